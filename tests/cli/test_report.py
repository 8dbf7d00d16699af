from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import click
import pytest

from symgen.cli.report import diff_lines, outcome_lines, print_run, usage_lines
from symgen.config import Config
from symgen.model.result import Evidence, Outcome, SampleResult, Status, Strategy, Verdict
from symgen.model.run import FileChange, Run

EVIDENCE = Evidence(
    samples=12,
    dtypes=("float32", "float64"),
    opsets=(9, 20),
    modes=("traced", "scripted"),
    max_abs_err=1.25e-7,
    max_rel_err=0.0,
    by_reference=("float64",),
    exports=7,
    runs=20,
)
ELU = Outcome(
    asked="elu",
    op="aten::elu",
    status=Status.VERIFIED,
    strategy=Strategy.DECOMPOSITION,
    opset=9,
    files=("symbolics/symbolic_opset9.py",),
    test_files=("tests/test_symbolic_opset9.py",),
    reason="torch's own, from opset 9 on, refuses scale",
    evidence=EVIDENCE,
)
STUB = Outcome("aten::to_sparse", "aten::to_sparse", Status.STUB, reason="ONNX has no sparse tensors")
CHANGE = FileChange("symbolics/a.py", b"one\ntwo\x0c\n", b"one\nthree")


def sample(number: int, verdict: Verdict = Verdict.WRONG_VALUE) -> SampleResult:
    return SampleResult(f"sample {number}", "float32", 9, "traced", verdict, "3 of 4 differ\nmore")


def test_the_json_is_the_contracts(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_run(Run((ELU, STUB)), Config(json=True)) == 1
    out, err = capsys.readouterr()
    printed = json.loads(out)
    assert list(printed) == ["symgen", "torch", "onnx", "ops"]
    assert printed["ops"][0] == {
        "asked": "elu",
        "op": "aten::elu",
        "status": "verified",
        "strategy": "decomposition",
        "opset": 9,
        "files": ["symbolics/symbolic_opset9.py"],
        "test_files": ["tests/test_symbolic_opset9.py"],
        "reason": "torch's own, from opset 9 on, refuses scale",
        "evidence": {
            "samples": 12,
            "dtypes": ["float32", "float64"],
            "opsets": [9, 20],
            "modes": ["traced", "scripted"],
            "max_abs_err": 1.25e-7,
            "max_rel_err": 0.0,
        },
    }
    assert printed["ops"][1]["strategy"] == "none"
    assert printed["ops"][1]["opset"] is None
    assert not err


def test_json_has_no_infinity(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = replace(ELU, evidence=replace(EVIDENCE, max_abs_err=math.inf, max_rel_err=math.nan))
    print_run(Run((outcome,)), Config(json=True))
    evidence = json.loads(capsys.readouterr().out)["ops"][0]["evidence"]
    assert evidence["max_abs_err"] is None
    assert evidence["max_rel_err"] is None


def test_a_dry_run_with_json_keeps_the_diff_from_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    print_run(Run((ELU,), (CHANGE,)), Config(json=True, dry_run=True))
    out, err = capsys.readouterr()
    json.loads(out)
    assert "+three" in err


def test_the_text_of_an_operator(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_run(Run((ELU,), (CHANGE,)), Config()) == 0
    assert capsys.readouterr().out.splitlines() == [
        "aten::elu: verified by decomposition, opset 9 and later",
        "  reason  torch's own, from opset 9 on, refuses scale",
        "  code    symbolics/symbolic_opset9.py",
        "  test    tests/test_symbolic_opset9.py",
        "  proof   12 samples in 7 exports and 20 runs; float32 float64; opsets 9 20; traced scripted; "
        "largest error 1.2e-07 (relative 0); by onnx.reference: float64",
        "",
        "To use it:",
        "",
        "    import torch, symbolics",
        '    torch.onnx.export(model, args, "model.onnx", dynamo=False, opset_version=9)  # or later, up to 20',
    ]


def test_quiet_leaves_out_the_advice(capsys: pytest.CaptureFixture[str]) -> None:
    print_run(Run((ELU,), (CHANGE,)), Config(quiet=True))
    assert "To use it" not in capsys.readouterr().out


def test_a_run_that_changed_nothing_gives_no_advice(capsys: pytest.CaptureFixture[str]) -> None:
    print_run(Run((ELU,)), Config())
    assert "To use it" not in capsys.readouterr().out


def test_nothing_to_use_where_nothing_was_written() -> None:
    assert not list(usage_lines(Run((STUB, replace(ELU, status=Status.UNCHANGED))), Config()))


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (Config(package=Path("lib/symbolics")), ["    import torch, lib.symbolics"]),
        (
            Config(package=Path("/x y/symbolics")),
            ["    import sys; sys.path.insert(0, '/x y')", "    import torch, symbolics"],
        ),
        (Config(package=Path("../other")), ["    import sys; sys.path.insert(0, '..')", "    import torch, other"]),
    ],
)
def test_the_import_fits_the_package(config: Config, expected: list[str]) -> None:
    assert list(usage_lines(Run((ELU,)), config))[3:-1] == expected


def test_a_renamed_operator_says_both_names() -> None:
    outcome = replace(ELU, asked="aten::absolute", op="aten::abs", status=Status.UNCHANGED)
    title = click.unstyle(next(outcome_lines(outcome, Config())))
    assert title == "aten::absolute -> aten::abs: unchanged"


def test_what_is_put_right_through_its_parts_says_so_to_people(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = replace(ELU, op="aten::view_as", asked="view_as", status=Status.UNCHANGED, through=("aten::view",))
    title = click.unstyle(next(outcome_lines(outcome, Config())))
    assert title == "aten::view_as: put right through aten::view"
    assert print_run(Run((outcome,)), Config(json=True)) == 0
    (printed,) = json.loads(capsys.readouterr().out)["ops"]
    assert printed["status"] == "unchanged"


def test_the_lengths_that_are_refused_stand_in_a_line() -> None:
    evidence = replace(EVIDENCE, refused_lengths=("groups", "stride"))
    assert "  lengths refused as groups, stride" in outcome_lines(replace(ELU, evidence=evidence), Config())
    assert not any(line.startswith("  lengths") for line in outcome_lines(ELU, Config()))


def test_failures_are_shown_and_how_many_more() -> None:
    failures = tuple(sample(number) for number in range(5))
    outcome = replace(ELU, status=Status.FAILED, evidence=replace(EVIDENCE, failures=failures))
    lines = list(outcome_lines(outcome, Config()))
    assert "  failed  sample 0 [float32, opset 9, traced] wrong value: 3 of 4 differ" in lines
    assert lines[-1] == "          and 2 more (-v shows them)"
    assert sum("wrong value" in line for line in outcome_lines(outcome, Config(verbose=1))) == 5


def test_refusals_are_shown_when_asked() -> None:
    outcome = replace(ELU, evidence=replace(EVIDENCE, refused=tuple(sample(n, Verdict.REFUSED) for n in range(5))))
    shown = [list(outcome_lines(outcome, Config(verbose=verbose))) for verbose in (0, 1, 2)]
    counts = [sum(line.startswith("  refused") for line in lines) for lines in shown]
    assert counts == [0, 3, 5]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            CHANGE,
            [
                "--- a/symbolics/a.py",
                "+++ b/symbolics/a.py",
                "@@ -1,2 +1,2 @@",
                " one",
                "-two\x0c",
                "+three",
                "\\ No newline at end of file",
            ],
        ),
        (FileChange("b.py", None, b"new\n"), ["--- /dev/null", "+++ b/b.py", "@@ -0,0 +1 @@", "+new"]),
        (FileChange("b.py", b"old\n", None), ["--- a/b.py", "+++ /dev/null", "@@ -1 +0,0 @@", "-old"]),
        (FileChange("b.py", b"same\n", b"same\n"), []),
    ],
    ids=["changed", "created", "removed", "same"],
)
def test_a_change_as_a_diff(change: FileChange, expected: list[str]) -> None:
    assert list(diff_lines(change)) == expected
