"""What the dynamo exporter never asks for: what is made of it, and what is known of that with symgen's functions."""

from __future__ import annotations

import csv
import importlib
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
import pytest

from symgen.cli import main
from symgen.cli.coverage_table import dynamo_line, table_lines
from symgen.config import Config, Target
from symgen.coverage import CoverageRow
from symgen.model.names import parse_op_name
from symgen.model.plan import Plan
from symgen.model.result import Evidence, SampleResult, Strategy, Verdict
from symgen.model.standing import (
    WHOLE,
    Apart,
    Chart,
    Ours,
    Proof,
    Span,
    Standing,
    Through,
    Torch,
    apart_sentence,
)
from symgen.pipeline import chart, release_records
from symgen.pipeline.chart import list_charted
from symgen.pipeline.exporters import TORCHLIB_EXPORTER
from symgen.pipeline.in_parts import parts_at_fault, probe_task, task_with_parts, what_is_made
from symgen.pipeline.release_records import (
    ReleaseRecord,
    ReleaseRecords,
    load_release_records,
    plan_digest,
    write_release_records,
)
from symgen.pipeline.translate import translate
from symgen.sources import Sources, load_sources, match_in
from symgen.verify.record import store_record
from symgen.verify.task import Verification, VerifyTask

OP, PART = "aten::view_as", "aten::view"
OPSETS = tuple(Target.TORCHLIB.opsets)
MADE = "torch.export makes aten::view of it"
WRONG = SampleResult("default(f32[0,4], f32[0,4])", "float32", 18, "exported", Verdict.INVALID_MODEL)
NEVER = replace(
    WRONG,
    sample="default(f32[3,4], f32[3,4])",
    verdict=Verdict.NEVER_ASKED,
    detail=f"the exporter never asks for it: {MADE}",
)
RIGHT = Evidence(samples=3, dtypes=("float32",), opsets=(18, 24), modes=("exported",), exports=1, runs=3)
AT_FAULT = replace(RIGHT, failures=(WRONG,))
TAKEN = Evidence(never_asked=(NEVER,), modes=("exported",), exports=1)


@pytest.fixture(scope="module")
def sources() -> Sources:
    return load_sources(Config())


@pytest.fixture(scope="module")
def plan(sources: Sources) -> Plan:
    return match_in(sources, parse_op_name(PART)).plans[0]


@pytest.fixture(autouse=True)
def records_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for records of this machine without any."""
    monkeypatch.setattr(chart, "cache_folder", lambda: tmp_path)
    for module in ("symgen.verify.record", "symgen.pipeline.audit"):
        monkeypatch.setattr(importlib.import_module(module), "cache_folder", lambda: tmp_path)
    return tmp_path


def of_torch(op: str) -> ReleaseRecord:
    return ReleaseRecord(Proof(op, Target.TORCHLIB, "torch", AT_FAULT), ((18, 24, Torch.REFUSES),))


def of_symgen(plan: Plan) -> ReleaseRecord:
    """A proof of the part's function, from opset 20 on."""
    spans = ((18, 19, str(Ours.UNVERIFIED)), (20, 24, str(Ours.VERIFIED)))
    return ReleaseRecord(Proof(PART, Target.TORCHLIB, "symgen", RIGHT), spans, plan_digest(plan))


def of_parts(plan: Plan, state: Through, evidence: Evidence = RIGHT) -> ReleaseRecord:
    """A run of the operator with symgen's function for its part."""
    proof = Proof(OP, Target.TORCHLIB, "parts", replace(evidence, never_asked=(NEVER,)))
    return ReleaseRecord(proof, ((18, 24, str(state)),), parts=((PART, plan_digest(plan)),))


def charted(
    op: str, sources: Sources, monkeypatch: pytest.MonkeyPatch, known: Sequence[ReleaseRecord] = ()
) -> tuple[Chart, tuple[Span, ...]]:
    """The chart of an operator beside some records that came with symgen, and its spans in the dynamo exporter."""
    records = ReleaseRecords({record.key: record for record in known})
    monkeypatch.setattr(chart, "load_release_records", lambda: records)
    ((_, found),) = list_charted([parse_op_name(op)], sources, Config())
    return found, tuple(span for span in found.spans if span.exporter == Target.TORCHLIB)


def store_probe(sources: Sources) -> None:
    """What is seen of an operator that is never asked for, as `fix` tries it with a function that raises."""
    task = probe_task(match_in(sources, parse_op_name(OP)), TORCHLIB_EXPORTER)
    assert task is not None
    store_record(task, Verification(OP, TAKEN))


def store_run(sources: Sources, seen: Evidence) -> None:
    """What is seen of it with symgen's function for its part."""
    match = match_in(sources, parse_op_name(OP))
    store_record(
        task_with_parts(match, parts_at_fault(TAKEN, sources, TORCHLIB_EXPORTER, [PART]), TORCHLIB_EXPORTER),
        Verification(OP, seen),
    )


@pytest.mark.parametrize(
    ("seen", "through", "standing"),
    [
        (RIGHT, Through.VERIFIED, Standing.PARTS_VERIFIED),
        (AT_FAULT, Through.NONE, Standing.TORCH_REFUSES),
        (replace(RIGHT, never_asked=(WRONG,)), Through.NONE, Standing.TORCH_REFUSES),
    ],
    ids=["right", "one fails", "what was wrong is not made of them"],
)
def test_a_run_on_record_says_whether_the_parts_put_it_right(
    seen: Evidence,
    through: Through,
    standing: Standing,
    sources: Sources,
    plan: Plan,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where it says that they don't, nothing is derived from the proof of the part."""
    store_probe(sources)
    store_run(sources, seen)
    known = [of_torch(OP), of_torch(PART), of_symgen(plan)]
    found, spans = charted(OP, sources, monkeypatch, known)
    assert {span.apart for span in spans} == {Apart(MADE, (PART,), through)}
    assert {span.standing for span in spans} == {standing}
    proof = found.proofs[-1]
    assert (proof.op, proof.by, proof.evidence.samples) == (OP, "parts", 3)


def test_without_a_run_it_is_derived_where_the_part_is_proven(
    sources: Sources, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_probe(sources)
    _, spans = charted(OP, sources, monkeypatch, [of_torch(OP), of_torch(PART), of_symgen(plan)])
    assert [(span.first, span.last, span.apart, span.standing) for span in spans] == [
        (18, 19, Apart(MADE), Standing.TORCH_REFUSES),
        (20, 24, Apart(MADE, (PART,), Through.DERIVED), Standing.PARTS),
    ]


@pytest.mark.parametrize("lacking", ["a fault of the operator", "a fault of the part", "a proof of the part"])
def test_nothing_is_derived_of_less(
    lacking: str, sources: Sources, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {
        "a fault of the operator": of_torch(OP),
        "a fault of the part": of_torch(PART),
        "a proof of the part": of_symgen(plan),
    }
    store_probe(sources)
    _, spans = charted(OP, sources, monkeypatch, [record for name, record in known.items() if name != lacking])
    assert {span.apart for span in spans} == {Apart(MADE)}


def test_a_run_that_came_with_symgen_counts_while_the_parts_plan_is_the_same(
    sources: Sources, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = [of_torch(OP), of_torch(PART)]
    _, spans = charted(OP, sources, monkeypatch, [*faults, of_parts(plan, Through.VERIFIED)])
    assert {span.apart for span in spans} == {Apart(MADE, (PART,), Through.VERIFIED)}
    _, spans = charted(OP, sources, monkeypatch, [*faults, of_symgen(plan), of_parts(plan, Through.NONE)])
    assert {span.apart for span in spans} == {Apart(MADE, (PART,), Through.NONE)}
    old = replace(plan, body=replace(plan.body, source=plan.body.source + "    # Otherwise.\n"))
    _, spans = charted(OP, sources, monkeypatch, [*faults, of_parts(old, Through.VERIFIED)])
    assert {span.apart for span in spans} == {Apart(MADE)}
    store_probe(sources)
    store_run(sources, AT_FAULT)
    _, spans = charted(OP, sources, monkeypatch, [*faults, of_parts(plan, Through.VERIFIED)])
    assert {span.apart.through for span in spans} == {Through.NONE}, "this machine saw it later"


def test_what_is_on_record_here_comes_with_symgen(
    tmp_path: Path, sources: Sources, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run with its parts as such; of what is derived only what torch.export makes of the operator."""
    store_probe(sources)
    known = [of_torch(OP), of_torch(PART), of_symgen(plan)]
    derived, _ = charted(OP, sources, monkeypatch, known)
    store_run(sources, RIGHT)
    run, spans = charted(OP, sources, monkeypatch, known)
    kept = []
    for one, state in ((derived, Through.NONE), (run, Through.VERIFIED)):
        records = release_records.release_records(one, lambda op: match_in(sources, parse_op_name(op)).plans[0], {})
        (record,) = (record for record in records if record.proof.by == "parts")
        assert {said for _, _, said in record.spans} == {state}
        assert record.proof.evidence.never_asked == (NEVER,)
        kept.append(record)
    assert [record.parts for record in kept] == [(), ((PART, plan_digest(plan)),)]
    path = tmp_path / "records.jsonl"
    write_release_records(kept[1:], path)
    read = load_release_records(path)
    assert read.by_key == {kept[1].key: kept[1]}
    for file in (tmp_path / "evidence").iterdir():
        file.unlink()
    assert charted(OP, sources, monkeypatch, [*known, *read.by_key.values()])[1] == spans


def test_a_translation_that_is_never_asked_for_is_not_called_unverified(
    sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    op = parse_op_name("aten::dropout")
    (first,) = match_in(sources, op).plans[:1]
    made = translate(first, sources, lowest=None, own_templates=None, exporter=TORCHLIB_EXPORTER)
    overloads = sources.catalogue.overloads_reaching(op)
    task = VerifyTask(op.qualified, overloads, made.modules, made.opsets, target=Target.TORCHLIB)
    _, before = charted(op.qualified, sources, monkeypatch)
    assert {(span.ours, span.apart) for span in before} == {(Ours.UNVERIFIED, WHOLE)}
    store_record(task, Verification(op.qualified, TAKEN))
    found, after = charted(op.qualified, sources, monkeypatch)
    assert {(span.ours, span.apart) for span in after} == {(Ours.NEVER_ASKED, Apart(MADE))}
    assert {span.ours for span in found.spans if span.exporter == Target.TORCHSCRIPT} == {Ours.UNVERIFIED}


@pytest.mark.parametrize(
    ("details", "said"),
    [
        (["it: torch.export makes aten::a of it"], "torch.export makes aten::a of it"),
        (["it, which torch.export takes apart"], "torch.export takes it apart"),
        (
            ["it: torch.export makes aten::a of it", "it: torch.export makes aten::b of it"],
            "torch.export makes aten::a of it, or aten::b of it",
        ),
        (
            [f"it: torch.export makes aten::{name} of it" for name in "abcd"],
            "torch.export makes aten::a of it, or aten::b of it, or aten::c of it, or others",
        ),
    ],
)
def test_what_is_made_is_said_of_all_calls(details: list[str], said: str) -> None:
    seen = Evidence(never_asked=tuple(replace(NEVER, detail=f"the exporter never asks for {one}") for one in details))
    assert what_is_made(replace(seen, never_asked=seen.never_asked * 2)) == said


SENTENCES = {
    Apart(MADE, (PART,), Through.VERIFIED): f"never asked for: {MADE}; with symgen's aten::view it is right",
    Apart(MADE, (PART,), Through.DERIVED): (
        f"never asked for: {MADE}; symgen's aten::view, verified by itself, may put it right, which was not run"
    ),
    Apart(MADE, (PART,)): f"never asked for: {MADE}; with symgen's aten::view it is not right either",
    Apart(MADE): f"never asked for: {MADE}",
    WHOLE: "",
}


def test_the_table_says_what_was_run_and_what_is_derived() -> None:
    row = CoverageRow("aten::x", "aten::x", True, (9,), None, Strategy.NONE, "", "")
    own = Span("torchscript", 9, 20, Torch.RIGHT, Ours.NONE)
    spans = [
        Span("torchlib", 18, 24, Torch.WRONG, Ours.NEVER_ASKED if one.made else Ours.NONE, one) for one in SENTENCES
    ]
    table = [(row, Chart((own, span))) for span in spans]
    lines = [click.unstyle(line) for line in table_lines(table, 20, {})]
    assert [line.partition("dynamo exporter: ")[2] for line in lines] == [
        ", ".join(["torch's (wrong for some arguments)", *([sentence] if sentence else [])])
        for sentence in map(apart_sentence, SENTENCES)
    ]
    assert [apart_sentence(one) for one in SENTENCES] == list(SENTENCES.values())
    assert dynamo_line(table, 20) == (
        "in the dynamo exporter: 5 by torch (5 wrong for some arguments; 1 of these are right with symgen's for their"
        " parts; 1 of these may be right with symgen's for their parts, which are verified, but were not run so), 0 by"
        " symgen, 0 by neither"
    )


def test_the_files_say_it(
    tmp_path: Path, sources: Sources, plan: Plan, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    charted(OP, sources, monkeypatch, [of_torch(OP), of_torch(PART), of_parts(plan, Through.VERIFIED)])
    table, page = tmp_path / "coverage.csv", tmp_path / "coverage.html"
    assert main(["coverage", OP, "--json", "--csv", str(table), "--html", str(page)]) == 0
    ((op,),) = (json.loads(capsys.readouterr().out)["ops"],)
    said = {"never_asked": MADE, "in_parts": "verified", "parts": [PART]}
    own, dynamo = op["standings"]
    assert {name: dynamo[name] for name in said} == said
    assert (dynamo["torch"], dynamo["symgen"], dynamo["standing"]) == ("refuses", "none", "symgen-parts-verified")
    assert {name: own[name] for name in said} == {"never_asked": "", "in_parts": "none", "parts": []}
    lines = list(csv.DictReader(io.StringIO(table.read_text("utf-8"))))
    assert list(lines[0])[-4:] == ["link", "never_asked", "in_parts", "parts"], "what is new stands last"
    assert {(line["never_asked"], line["in_parts"], line["parts"]) for line in lines} == {
        ("", "none", ""),
        (MADE, "verified", PART),
    }
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page.read_text("utf-8"))
    (listed,) = json.loads(data)["ops"]
    assert listed["apart"] == [
        f"In the dynamo exporter it is never asked for: {MADE}; with symgen's aten::view it is right."
    ]
    assert listed["strips"][1] == "P" * 7
