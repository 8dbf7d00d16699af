from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from symgen.cli import main
from symgen.cli.coverage_table import dynamo_line, sums_line, table_lines
from symgen.coverage import CoverageRow, count_coverage, is_forward
from symgen.model.result import Strategy
from symgen.model.standing import Chart, Ours, Span, Torch


def row(torch: tuple[int, ...], symgen: int | None) -> CoverageRow:
    return CoverageRow("aten::x", "aten::x", True, torch, symgen, Strategy.NONE, "", "")


@pytest.mark.parametrize(
    ("torch", "symgen", "opset", "who"),
    [
        ((9,), 9, 9, "torch"),
        ((16,), 9, 13, "symgen"),
        ((16,), 9, 16, "torch"),
        ((), 11, 10, "neither"),
        ((), 11, 11, "symgen"),
        ((), None, 20, "neither"),
    ],
)
def test_who_serves_at_an_opset(torch: tuple[int, ...], symgen: int | None, opset: int, who: str) -> None:
    assert row(torch, symgen).served_by(opset) == who
    assert count_coverage([row(torch, symgen)], opset)[who] == 1


@pytest.mark.parametrize(
    ("base", "forward"),
    [
        ("elu", True),
        ("elu_backward", False),
        ("_softmax", False),
        ("add_", False),
        ("backward", False),
        ("outer", True),
    ],
)
def test_forward_names(base: str, forward: bool) -> None:
    assert is_forward(base) is forward


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "--json", "aten::relu", "aten::hypot", "aten::to_sparse"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert list(printed) == ["symgen", "torch", "onnx", "opset", "counts", "ops"]
    by_name = {op["op"]: op for op in printed["ops"]}
    assert sum(printed["counts"].values()) == len(by_name) == 3
    assert by_name["aten::relu"]["served_by"] == "torch"
    hypot = by_name["aten::hypot"]
    assert list(hypot)[9:] == ["link", "signature", "dtypes", "standings"]
    assert {name: hypot[name] for name in list(hypot)[:9]} == {
        "op": "aten::hypot",
        "arrives_as": "aten::hypot",
        "declared": True,
        "served_by": "symgen",
        "torch": [],
        "symgen": by_name["aten::hypot"]["symgen"],
        "strategy": "decomposition",
        "family": "pointwise",
        "reason": "",
    }
    assert by_name["aten::to_sparse"]["reason"].startswith("ONNX models have no sparse layout")


def test_only_what_torch_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "--missing", "--opset", "9", "aten::relu", "aten::sinh", "aten::triu"]) == 0
    *lines, sums = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines]
    assert names == ["aten::sinh", "aten::triu"], "torch has triu from opset 14 on"
    assert sums.startswith("3 operators at opset 9: 1 by torch")


def test_the_table_agrees_with_the_standings(capsys: pytest.CaptureFixture[str]) -> None:
    ops = ["aten::cumsum", "aten::conv1d", "aten::relu"]
    assert main(["coverage", "--json", *ops]) == 0
    standings = {op["op"]: op["standings"] for op in json.loads(capsys.readouterr().out)["ops"]}
    assert main(["coverage", *ops]) == 0
    *lines, dynamo, sums = capsys.readouterr().out.splitlines()
    said = {
        "wrong": "wrong for some arguments",
        "refuses": "refuses some arguments",
        "right": "right",
        "unjudged": "unjudged",
    }
    for line in lines:
        at_20 = {one["exporter"]: one for one in standings[line.split()[0]] if one["first"] <= 20 <= one["last"]}
        assert f"torch's from opset 9, {said[at_20['torchscript']['torch']]}" in line
        assert f"dynamo exporter: torch's ({said[at_20['torchlib']['torch']]})" in line
    assert dynamo.startswith("in the dynamo exporter: 3 by torch")
    assert sums.startswith("3 operators at opset 20: 3 by torch")


def charted(name: str, torch: Torch, ours: Ours, since: int | None = None) -> tuple[CoverageRow, Chart]:
    registered = () if torch is Torch.NONE else (9,)
    one = CoverageRow(name, name, True, registered, since, Strategy.DECOMPOSITION, "", "")
    elsewhere = Span("torchlib", 18, 24, Torch.WRONG, Ours.VERIFIED)
    before = Span("torchscript", 9, 12, Torch.WRONG, Ours.NONE)
    return one, Chart((before, Span("torchscript", 13, 20, torch, ours), elsewhere))


def test_the_table_says_where_torchs_own_is_known_to_be_wrong() -> None:
    table = [
        charted("aten::right", Torch.RIGHT, Ours.NONE),
        charted("aten::wrong", Torch.WRONG, Ours.VERIFIED, 11),
        charted("aten::alone", Torch.WRONG, Ours.NONE),
        charted("aten::timid", Torch.REFUSES, Ours.UNVERIFIED, 11),
        charted("aten::open", Torch.UNJUDGED, Ours.NONE),
        charted("aten::ours", Torch.NONE, Ours.VERIFIED, 9),
    ]
    dynamo = "; dynamo exporter: torch's (wrong for some arguments), symgen's (verified)"
    assert [click.unstyle(line) for line in table_lines(table, 20, {})] == [
        f"aten::right  torch    torch's from opset 9, right{dynamo}",
        "aten::wrong  torch    torch's from opset 9, wrong for some arguments;"
        f" symgen's from opset 11 by decomposition, verified{dynamo}",
        f"aten::alone  torch    torch's from opset 9, wrong for some arguments{dynamo}",
        "aten::timid  torch    torch's from opset 9, refuses some arguments;"
        f" symgen's from opset 11 by decomposition, unverified{dynamo}",
        f"aten::open   torch    torch's from opset 9, unjudged{dynamo}",
        f"aten::ours   symgen   symgen's from opset 9 by decomposition, verified{dynamo}",
    ]
    styled = click.style("torch   ", "red")
    red = [click.unstyle(line).split()[0] for line in table_lines(table, 20, {}) if styled in line]
    assert red == ["aten::wrong", "aten::alone", "aten::timid"]
    assert sums_line(table, 20, {}) == (
        "6 operators at opset 20: 5 by torch (2 wrong and 1 refusing for some arguments; symgen's is verified for 1 of"
        " these), 1 by symgen (1 verified), 0 by neither"
    )
    assert dynamo_line(table, 20) == (
        "in the dynamo exporter: 6 by torch (6 wrong for some arguments; symgen's is verified for 6 of these),"
        " 0 by symgen, 0 by neither"
    )
    assert not dynamo_line(table, 17)
    assert sums_line(table[:1], 20, {"right_float32": 1}) == (
        "1 operator at opset 20: 1 by torch, 0 by symgen, 0 by neither, 1 right float32"
    )


def test_one_file_is_not_written_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "coverage")
    assert main(["coverage", "elu", "--csv", file, "--html", f"{tmp_path}/./coverage"]) == 2
    assert "--csv and --html write the same file" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_an_operator_is_listed_once_and_a_target_is_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The opsets are those of the TorchScript exporter, whichever one the project writes for."""
    (tmp_path / "pyproject.toml").write_text('[tool.symgen]\ntarget = "torchlib"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["coverage", "elu", "aten::elu", "--opset", "9"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("1 operator at opset 9: ")
    assert main(["coverage", "elu", "--opset", "24"]) == 2
