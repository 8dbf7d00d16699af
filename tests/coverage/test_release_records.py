"""What was seen when a version was made comes with it, and tells how operators stand where nothing is on record.

`pytest -m benchmark tests/coverage/test_release_records.py --update-golden` writes what is on record on this machine
into `golden/audit/records.jsonl`: what `symgen audit`, `symgen audit --target torchlib`, `symgen new --all` and
`symgen fix --all` have seen of the code as it is. What has no record here stays as it was.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from symgen.config import Config, Target
from symgen.model.names import parse_op_name
from symgen.model.plan import Plan
from symgen.model.result import Evidence, SampleResult, Status, Verdict
from symgen.model.sample import SampleSpec, TensorSpec
from symgen.model.standing import Chart, Ours, Proof, Span, Standing, Torch
from symgen.pipeline import chart, release_records
from symgen.pipeline.chart import list_charted
from symgen.pipeline.decide import Settings, decide
from symgen.pipeline.exporters import TORCHLIB_EXPORTER, TORCHSCRIPT_EXPORTER
from symgen.pipeline.release_records import (
    ReleaseRecord,
    ReleaseRecords,
    load_release_records,
    plan_digest,
    write_release_records,
)
from symgen.pipeline.resolve import resolve_names
from symgen.sources import Sources, load_sources, match_in
from symgen.verify.exported_plan import EXPORTED
from symgen.verify.task import Verification

SAMPLE = SampleSpec("", (TensorSpec((2,), "float32"),))
WRONG = SampleResult(str(SAMPLE), "float32", 12, "traced", Verdict.WRONG_VALUE, "1 at [0], not 2")
SEEN = Evidence(samples=3, dtypes=("float32",), opsets=(9, 20), modes=("traced",), exports=6, runs=12)

MODES = {Target.TORCHSCRIPT: "traced", Target.TORCHLIB: EXPORTED}
SPECIAL_ERF = [(op, target) for op in ("aten::erf", "aten::special_erf") for target in Target]
"""Both names, beside both exporters."""
EXPORTERS = (TORCHSCRIPT_EXPORTER, TORCHLIB_EXPORTER)


@pytest.fixture(scope="module")
def sources() -> Sources:
    return load_sources(Config())


@pytest.fixture(scope="module")
def plan(sources: Sources) -> Plan:
    return match_in(sources, parse_op_name("aten::elu")).plans[0]


@pytest.fixture
def nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chart, "cache_folder", lambda: tmp_path)


def wrong_of_torch() -> ReleaseRecord:
    evidence = replace(SEEN, failures=(WRONG,))
    proof = Proof("aten::elu", Target.TORCHSCRIPT, "torch", evidence, ((SAMPLE, WRONG),))
    return ReleaseRecord(proof, ((9, 14, Torch.WRONG), (15, 20, Torch.REFUSES)))


def right_of_symgen(plan: Plan) -> ReleaseRecord:
    proof = Proof("aten::elu", Target.TORCHSCRIPT, "symgen", SEEN)
    return ReleaseRecord(proof, ((9, 10, Ours.UNVERIFIED), (11, 20, Ours.VERIFIED)), plan_digest(plan))


def chart_of_elu(sources: Sources) -> Chart:
    return list_charted([parse_op_name("aten::elu")], sources, Config())[0][1]


def test_what_is_written_is_read(tmp_path: Path, plan: Plan) -> None:
    path = tmp_path / "records.jsonl"
    write_release_records([right_of_symgen(plan), wrong_of_torch()], path)
    read = load_release_records(path)
    assert read.by_key == {record.key: record for record in (wrong_of_torch(), right_of_symgen(plan))}
    told = read.of_plan(plan, Target.TORCHSCRIPT)
    assert told
    assert f"torch {release_records.installed_versions()['torch']}" in told.proof.evidence.notes[-1]
    again = tmp_path / "again.jsonl"
    write_release_records([wrong_of_torch(), right_of_symgen(plan)], again)
    assert again.read_bytes() == path.read_bytes()


def test_other_versions_have_other_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "records.jsonl"
    with monkeypatch.context() as patched:
        patched.setattr(release_records, "installed_versions", lambda: {"symgen": "0.0.1", "torch": "2.9.0"})
        write_release_records([wrong_of_torch()], path)
    assert load_release_records(path) == load_release_records(tmp_path / "none") == ReleaseRecords()


@pytest.mark.usefixtures("nothing_here")
def test_they_say_how_operators_stand(sources: Sources, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    records = {record.key: record for record in (wrong_of_torch(), right_of_symgen(plan))}
    monkeypatch.setattr(chart, "load_release_records", lambda: ReleaseRecords(records))
    seen = chart_of_elu(sources)
    assert [span for span in seen.spans if span.exporter == Target.TORCHSCRIPT] == [
        Span(Target.TORCHSCRIPT, 9, 10, Torch.WRONG, Ours.UNVERIFIED),
        Span(Target.TORCHSCRIPT, 11, 14, Torch.WRONG, Ours.VERIFIED),
        Span(Target.TORCHSCRIPT, 15, 20, Torch.REFUSES, Ours.VERIFIED),
    ]
    assert seen.spans[0].standing is Standing.TORCH_WRONG
    assert seen.spans[2].standing is Standing.SYMGEN_VERIFIED
    assert [proof.by for proof in seen.proofs] == ["torch", "symgen"]


def test_a_fault_on_record_counts_where_the_samples_here_do_not_show_it(sources: Sources) -> None:
    wrong = wrong_of_torch()
    right = SEEN
    assert release_records.with_known_faults(right, None) == right
    assert release_records.with_known_faults(right, wrong).failures == (WRONG,)
    other = replace(right, failures=(replace(WRONG, sample="of the same kind"),))
    assert release_records.with_known_faults(other, wrong) == other


@pytest.mark.parametrize(("lowest", "is_known"), [(12, True), (13, True), (15, False)])
def test_a_fault_on_record_is_corrected(sources: Sources, lowest: int, is_known: bool) -> None:
    """At the opsets where it was seen, or the function stood the same, though the samples here show nothing."""
    known = wrong_of_torch()
    settings = Settings(correct=True, lowest=lowest, known=ReleaseRecords({known.key: known}))
    trial = decide(resolve_names(["aten::elu"], sources)[0], sources, settings)
    next(trial)
    if not is_known:
        with pytest.raises(StopIteration) as end:
            trial.send(Verification("aten::elu", SEEN))
        assert end.value.value.status is Status.UNCHANGED
        return
    assert trial.send(Verification("aten::elu", SEEN)).modules
    with pytest.raises(StopIteration) as end:
        trial.send(Verification("aten::elu", SEEN))
    decision = end.value.value
    assert decision.status is Status.VERIFIED
    assert decision.reason == (
        f"torch's own function, from opset 9 on, is not right: wrong value at opset 12 for {SAMPLE} (float32),"
        " as was seen when symgen was made"
    )


@pytest.mark.parametrize("is_known", [True, False])
def test_without_verification_a_record_is_believed(sources: Sources, is_known: bool) -> None:
    """Where there is none, nobody says of torchlib's function that it isn't there."""
    proof = replace(wrong_of_torch().proof, exporter=Target.TORCHLIB)
    known = ReleaseRecord(proof, ((9, 24, Torch.WRONG),))
    settings = Settings(
        correct=True,
        verify=False,
        exporter=TORCHLIB_EXPORTER,
        known=ReleaseRecords({known.key: known} if is_known else {}),
    )
    with pytest.raises(StopIteration) as end:
        next(decide(resolve_names(["aten::elu"], sources, Target.TORCHLIB)[0], sources, settings))
    decision = end.value.value
    assert decision.status is (Status.WRITTEN if is_known else Status.UNCHANGED)
    said = "was seen when symgen was made" if is_known else "was not judged; --force writes another all the same"
    assert said in decision.reason


@pytest.mark.usefixtures("nothing_here")
def test_a_plan_that_has_changed_is_proven_no_more(
    sources: Sources, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = replace(plan, body=replace(plan.body, source=plan.body.source + "    # Otherwise.\n"))
    record = right_of_symgen(old)
    monkeypatch.setattr(chart, "load_release_records", lambda: ReleaseRecords({record.key: record}))
    assert {span.ours for span in chart_of_elu(sources).spans} == {Ours.UNVERIFIED}


@pytest.mark.usefixtures("nothing_here")
def test_a_plan_for_one_exporter_stands_with_that_one(sources: Sources, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chart, "load_release_records", ReleaseRecords)
    ((_, seen),) = list_charted([parse_op_name("aten::conv2d")], sources, Config())
    assert {span.exporter: span.ours for span in seen.spans} == {
        Target.TORCHSCRIPT: Ours.NONE,
        Target.TORCHLIB: Ours.UNVERIFIED,
    }


@pytest.mark.usefixtures("nothing_here")
def test_what_an_exporter_renames_stands_under_its_new_name_there_alone(
    sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Traces make erf of special_erf, for which torchlib has a function of its own."""
    evidence = replace(SEEN, opsets=(18,), failures=(replace(WRONG, opset=18),))
    proofs = [Proof(op, exporter, "torch", evidence) for op, exporter in SPECIAL_ERF]
    records = {record.key: record for record in (ReleaseRecord(proof, ((18, 18, Torch.WRONG),)) for proof in proofs)}
    monkeypatch.setattr(chart, "load_release_records", lambda: ReleaseRecords(records))
    ((_, seen),) = list_charted([parse_op_name("aten::special_erf")], sources, Config())
    assert [(proof.op, proof.exporter) for proof in seen.proofs] == [
        ("aten::erf", Target.TORCHSCRIPT),
        ("aten::special_erf", Target.TORCHLIB),
    ]


def test_those_of_this_version_are_of_what_there_is(sources: Sources) -> None:
    records = load_release_records()
    if not records.by_key:
        pytest.skip("they are of other versions of torch, onnx or onnxruntime")
    assert {key[1] for key in records.by_key} == set(Target)
    for record in records.by_key.values():
        sources.catalogue.operator(parse_op_name(record.proof.op))
        assert bool(record.plan) == (record.proof.by == "symgen")
        assert record.spans


@pytest.mark.benchmark
def test_they_say_what_is_on_record_here(
    repository: Path, sources: Sources, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = repository / "golden" / "audit" / "records.jsonl"
    old = load_release_records(path)
    findings = _findings(path.parent)
    monkeypatch.setattr(chart, "load_release_records", lambda: _as_records(findings))
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    registered = (op for exporter in EXPORTERS for op in exporter.registered(sources))
    charted = list_charted(list(dict.fromkeys((*sources.catalogue, *registered))), sources, Config())
    here: dict[tuple[str, str, str], ReleaseRecord] = {}

    def first_plan(op: str) -> Plan:
        return match_in(sources, parse_op_name(op)).plans[0]

    sentences: dict[tuple[str, str], dict[str, str]] = {
        key: {one.verdict: one.detail for one in faults} for key, faults in findings.items()
    }
    for _, one in charted:
        for record in release_records.release_records(one, first_plan, sentences):
            evidence = record.proof.evidence
            if evidence.samples or evidence.never_asked or record.proof.failed:
                here[record.key] = record
    if request.config.getoption("--update-golden"):
        write_release_records({**old.by_key, **here}.values(), path)
        release_records._load.cache_clear()
        old = load_release_records(path)
    assert here
    assert {key: record.spans for key, record in here.items()} == {
        key: record.spans for key, record in old.by_key.items() if key in here
    }
    assert json.loads(path.read_text("utf-8").partition("\n")[0]) == release_records.installed_versions()


def _findings(folder: Path) -> dict[tuple[str, str], list[SampleResult]]:
    """What audits have found, by exporter and operator, with what people say of it."""
    found: dict[tuple[str, str], list[SampleResult]] = {}
    for exporter, name in ((Target.TORCHSCRIPT, "findings.tsv"), (Target.TORCHLIB, "torchlib_findings.tsv")):
        with (folder / name).open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                dtype, opset = row["dtypes"].partition(" ")[0], int(row["opsets"].partition("-")[0])
                seen = SampleResult(row["sample"], dtype, opset, MODES[exporter], Verdict(row["verdict"]))
                found.setdefault((exporter, row["op"]), []).append(replace(seen, detail=row["sentence"]))
    return found


def _as_records(findings: Mapping[tuple[str, str], Sequence[SampleResult]]) -> ReleaseRecords:
    """As records of nothing else: kinds of fault that the samples drawn here may not show."""
    records = [
        ReleaseRecord(Proof(op, exporter, "torch", Evidence(failures=tuple(faults))), ())
        for (exporter, op), faults in findings.items()
    ]
    return ReleaseRecords({record.key: record for record in records})
