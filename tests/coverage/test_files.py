from __future__ import annotations

import base64
import csv
import importlib
import io
import json
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from symgen.cli import main
from symgen.config import Config, Target
from symgen.coverage import list_coverage
from symgen.model.names import parse_op_name
from symgen.model.result import Evidence, SampleResult, Verdict
from symgen.model.standing import Ours, Torch
from symgen.pipeline import chart
from symgen.pipeline.chart import judged, list_charted
from symgen.pipeline.coverage_links import operator_page, what_would_change
from symgen.pipeline.exporters import TORCHLIB_EXPORTER, TORCHSCRIPT_EXPORTER
from symgen.pipeline.release_records import ReleaseRecords
from symgen.sources import Sources, load_sources
from symgen.verify.exported_plan import EXPORTED, NO_FUNCTION
from symgen.verify.record import store_record
from symgen.verify.task import Verification, VerifyTask

OPS = ["hypot", "relu", "to_sparse", "atleast_1d"]


@pytest.fixture(scope="module")
def sources() -> Sources:
    return load_sources(Config())


@pytest.fixture
def no_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for records without any, as if none came with symgen; what else is cached stays."""
    monkeypatch.setattr(chart, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(chart, "load_release_records", ReleaseRecords)
    for module in ("symgen.verify.record", "symgen.pipeline.audit"):
        monkeypatch.setattr(importlib.import_module(module), "cache_folder", lambda: tmp_path)
    return tmp_path


def test_csv_has_every_opset_of_both_exporters(no_records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", *OPS, "--csv", "-"]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(lines) == len(OPS) * (12 + 7)
    stands = {(line["op"], line["exporter"], line["opset"]): line["standing"] for line in lines}
    assert stands["aten::hypot", "torchscript", "9"] == "symgen"
    assert stands["aten::relu", "torchscript", "20"] in {"torch", "torch-refuses"}
    assert stands["aten::relu", "torchlib", "24"] == "torch"
    assert stands["aten::to_sparse", "torchlib", "18"] == "unknown"


def test_each_exporter_has_its_own_strategy(no_records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Traces make gt of greater, which the dynamo exporter has by its name; convolutions have a plan for that alone."""
    assert main(["coverage", "greater", "conv2d", "--csv", "-"]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {(line["op"], line["exporter"]): line["strategy"] for line in lines} == {
        ("aten::greater", "torchscript"): "decomposition",
        ("aten::greater", "torchlib"): "same-name",
        ("aten::conv2d", "torchscript"): "none",
        ("aten::conv2d", "torchlib"): "decomposition",
    }
    assert main(["coverage", "conv2d", "--json"]) == 0
    (conv2d,) = json.loads(capsys.readouterr().out)["ops"]
    assert conv2d["strategy"] == "none"
    assert [one["strategy"] for one in conv2d["standings"]] == ["none", "decomposition"]


def test_csv_and_json_do_not_share_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "hypot", "--csv", "-", "--json"]) == 2
    assert "both print" in capsys.readouterr().err


def test_the_files_are_written_and_nothing_else_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, page = tmp_path / "new" / "coverage.csv", tmp_path / "coverage.html"
    assert main(["coverage", "elu", "to_sparse", "--csv", str(table), "--html", str(page)]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == [f"wrote {table}", f"wrote {page}"]
    text = page.read_text("utf-8")
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    assert [op["op"] for op in json.loads(data)["ops"]] == ["aten::elu", "aten::to_sparse"]
    (chunk,) = re.findall(r'<script type="text/plain" id="chunk-0">(.*?)</script>', text)
    elu, to_sparse = json.loads(zlib.decompress(base64.b64decode(chunk)))
    assert elu["code"][0]["code"].startswith('@_onnx_symbolic("aten::elu"')
    assert "def aten_elu(" in elu["code"][1]["code"]
    assert elu["graph"].startswith("<svg")
    assert elu["onnx"]["link"] == "https://onnx.ai/onnx/operators/onnx__Elu.html"
    assert not to_sparse["code"]


def test_torch_is_not_imported(tmp_path: Path) -> None:
    code = (
        "import sys; from symgen.cli import main; "
        f"main(['coverage', 'elu', '--json', '--html', {str(tmp_path / 'page.html')!r}]); "
        "sys.exit(any(name in sys.modules for name in ('torch', 'onnxscript', 'onnxruntime')))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_the_record_of_an_audit_is_what_torch_is_judged_by(no_records: Path, sources: Sources) -> None:
    op = parse_op_name("aten::relu")
    task = VerifyTask(op.qualified, sources.catalogue.overloads_reaching(op))
    wrong = SampleResult("relu(x)", "int64", 11, "traced", Verdict.WRONG_VALUE)
    store_record(task, Verification(op.qualified, Evidence(samples=1, opsets=(9, 20), failures=(wrong,))))
    ((_, charted),) = list_charted([op], sources, Config())
    assert {span.torch for span in charted.spans if span.exporter == "torchscript"} == {Torch.WRONG}
    assert [(proof.exporter, proof.by) for proof in charted.proofs] == [("torchscript", "torch")]


def test_the_dynamo_exporter_is_judged_by_its_own_record(no_records: Path, sources: Sources) -> None:
    op = parse_op_name("aten::hypot")
    opsets = tuple(Target.TORCHLIB.opsets)
    task = VerifyTask(op.qualified, sources.catalogue.overloads_reaching(op), opsets=opsets, target=Target.TORCHLIB)
    lacking = SampleResult("hypot(x, y)", "float32", 18, "exported", Verdict.EXPORT_ERROR, NO_FUNCTION)
    store_record(task, Verification(op.qualified, Evidence(failures=(lacking,))))
    ((_, charted),) = list_charted([op], sources, Config())
    assert {(span.exporter, span.torch) for span in charted.spans} == {
        ("torchscript", Torch.NONE),
        ("torchlib", Torch.NONE),
    }


def test_a_proof_on_record_makes_it_verified(no_records: Path, sources: Sources) -> None:
    op = parse_op_name("aten::hypot")
    ((_, before),) = list_charted([op], sources, Config())
    assert {span.ours for span in before.spans} == {Ours.UNVERIFIED}
    (plan,) = chart.match_in(sources, op).plans[:1]
    translation = chart.translate(plan, sources, lowest=None, own_templates=None)
    task = VerifyTask(op.qualified, plan.overloads, translation.modules, translation.opsets)
    evidence = Evidence(samples=3, opsets=(9, 20), dtypes=("float32",))
    store_record(task, Verification(op.qualified, evidence))
    ((_, charted),) = list_charted([op], sources, Config())
    assert {span.ours for span in charted.spans if span.exporter == "torchscript"} == {Ours.VERIFIED}
    assert {span.ours for span in charted.spans if span.exporter == "torchlib"} == {Ours.UNVERIFIED}
    assert charted.dtypes == ("float32",)


@pytest.mark.parametrize("target", Target)
def test_a_proof_is_found_whichever_opset_is_asked_for(target: Target, no_records: Path, sources: Sources) -> None:
    """What was made without `--opset` holds at the one of this run; what was made for one holds from there on."""
    op = parse_op_name("aten::hypot")
    exporter = {one.target: one for one in (TORCHSCRIPT_EXPORTER, TORCHLIB_EXPORTER)}[target]
    (plan,) = chart.match_in(sources, op).plans[:1]
    mode = EXPORTED if target is Target.TORCHLIB else "traced"

    def proven(lowest: int | None, asked: int | None) -> list[int]:
        """The opsets with a proof, where one is on record that was made from a lowest opset on."""
        for file in no_records.glob("evidence/*"):
            file.unlink()
        translation = chart.translate(plan, sources, lowest=lowest, own_templates=None, exporter=exporter)
        task = VerifyTask(op.qualified, plan.overloads, translation.modules, translation.opsets, target=target)
        store_record(task, Verification(op.qualified, Evidence(samples=3, opsets=(20,), modes=(mode,))))
        ((_, charted),) = list_charted([op], sources, Config(opset=asked))
        spans = [span for span in charted.spans if span.exporter == target and span.ours is Ours.VERIFIED]
        return [opset for span in spans for opset in range(span.first, span.last + 1)]

    every = list(target.opsets)
    assert proven(None, None) == every
    assert proven(None, 19) == proven(None, 20) == every
    assert proven(19, 19) == [opset for opset in every if opset >= 19]


@pytest.mark.parametrize(
    ("evidence", "judgement"),
    [
        (Evidence(samples=1, opsets=(9,)), Torch.RIGHT),
        (Evidence(samples=1, opsets=(14,)), Torch.UNJUDGED),
        (Evidence(opsets=(9,), refused=(SampleResult("s", "", 12, "traced", Verdict.REFUSED),)), Torch.REFUSES),
        (Evidence(opsets=(9,), failures=(SampleResult("s", "", 13, "traced", Verdict.WRONG_VALUE),)), Torch.RIGHT),
        (Evidence(opsets=(9,), failures=(SampleResult("s", "", 12, "traced", Verdict.WRONG_VALUE),)), Torch.WRONG),
        (Evidence(opsets=(9,), failures=(SampleResult("s", "", 12, "traced", Verdict.INVALID_MODEL),)), Torch.REFUSES),
        (Evidence(opsets=(14,), failures=(SampleResult("s", "", 12, "traced", Verdict.INVALID_MODEL),)), Torch.WRONG),
    ],
)
def test_a_judgement_is_of_the_function_that_serves_these_opsets(evidence: Evidence, judgement: Torch) -> None:
    assert judged(evidence, range(9, 13)) is judgement


def test_links_lead_where_a_change_would_be_made(sources: Sources) -> None:
    names = ("to_sparse", "linalg_eig", "resize", "bartlett_window", "relu")
    rows = list_coverage(sources, [parse_op_name(f"aten::{name}") for name in names])
    assert [what_would_change(row, sources) for row in rows] == [
        "https://github.com/onnx/onnx/blob/main/docs/IR.md",
        "https://github.com/onnx/onnx/blob/main/docs/AddNewOp.md",
        operator_page("Resize"),
        "",
        "",
    ]
