"""What a report comes to, and how it is printed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symgen.cli.scan_report import report_lines, report_record
from symgen.config import Config
from symgen.model.result import Outcome, Status
from symgen.model.scan import ExportCheck, Finding, Kind, Place, Report, Severity

MISSING = Finding(
    Kind.MISSING, Severity.ERROR, "aten::f", 2, Place("block.0", "net.py", 7), "no symbolic function",
    "symgen new aten::f writes it", inside="net:Gate", falls_back={"ONNX_FALLTHROUGH": "org.pytorch.aten::f"},
    new="aten::f",
)  # fmt: skip
BAKED = Finding(Kind.BAKED, Severity.WRONG, ".item()", 1, Place(), "it takes a value out of the trace")
NOTE = replace(BAKED, severity=Severity.NOTE)
WRITTEN, FAILED = Outcome("aten::f", "aten::f", Status.VERIFIED), Outcome("aten::f", "aten::f", Status.FAILED)
RIGHT, WRONG = ExportCheck("net.onnx", "right"), ExportCheck("net.onnx", "wrong value")
EMPTY = Report("net:model", 17, 9, ())


@pytest.mark.parametrize(
    ("report", "status"),
    [
        (EMPTY, 0),
        (replace(EMPTY, findings=(NOTE,)), 0),
        (replace(EMPTY, findings=(MISSING,)), 1),
        (replace(EMPTY, findings=(BAKED,)), 1),
        (replace(EMPTY, findings=(MISSING,), outcomes=(WRITTEN,)), 0),
        (replace(EMPTY, findings=(MISSING,), outcomes=(FAILED,)), 1),
        (replace(EMPTY, findings=(MISSING,), export=RIGHT), 0),
        (replace(EMPTY, findings=(BAKED,), export=RIGHT), 1),
        (replace(EMPTY, export=WRONG), 1),
        (replace(EMPTY, findings=(MISSING,), outcomes=(WRITTEN,), export=WRONG), 1),
        (replace(EMPTY, export=replace(RIGHT, verdict="not compared")), 0),
    ],
)
def test_the_exit_status(report: Report, status: int) -> None:
    assert report.exit_status == status


def test_the_text_of_a_finding() -> None:
    lines = list(report_lines(replace(EMPTY, findings=(MISSING, NOTE)), Config(verbose=1)))
    assert lines == [
        "net.py:7 in block.0: \x1b[31m\x1b[1mmissing\x1b[0m \x1b[1maten::f\x1b[0m (2 times), called by net:Gate",
        "  reason  no symbolic function",
        "  do      symgen new aten::f writes it",
        "  else    org.pytorch.aten::f under ONNX_FALLTHROUGH",
        "the model: \x1b[36m\x1b[1mbaked\x1b[0m \x1b[1m.item()\x1b[0m",
        "  reason  it takes a value out of the trace",
        "net:model: 1 problem and 1 note in 9 nodes, at opset 17",
    ]


def test_notes_are_left_out_when_only_results_are_wanted() -> None:
    lines = list(report_lines(replace(EMPTY, findings=(NOTE,)), Config(quiet=True)))
    assert lines == ["net:model: no problems and 1 note in 9 nodes, at opset 17"]


def test_the_call_has_the_axes_and_stands_only_where_it_works() -> None:
    dynamic = replace(EMPTY, input_names=("x",), dynamic_axes=(("x", ((0, "batch"),)),))
    (call,) = (line for line in report_lines(dynamic, Config()) if "torch.onnx.export(" in line)
    assert "dynamo=False, opset_version=17, input_names=['x'], dynamic_axes={'x': {0: 'batch'}})" in call
    assert not [line for line in report_lines(replace(dynamic, export=WRONG), Config()) if "onnx.export(" in line]


def test_the_record_of_a_report() -> None:
    record = report_record(replace(EMPTY, findings=(MISSING,), outcomes=(WRITTEN,), export=RIGHT))
    assert list(record) == ["target", "exporter", "opset", "nodes", "findings", "new", "export"]
    (finding,) = record["findings"]  # type: ignore[misc]  # a list, as all of JSON's
    assert (finding["module"], finding["path"], finding["line"]) == ("block.0", "net.py", 7)
