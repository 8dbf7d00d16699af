from __future__ import annotations

import json

import pytest

from symgen.cli import main
from symgen.coverage import CoverageRow, count_coverage, is_forward
from symgen.model.result import Strategy


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
    assert main(["coverage", "--missing", "--opset", "9"]) == 0
    *lines, sums = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines]
    assert "aten::relu" not in names
    assert {"aten::sinh", "aten::triu"} <= set(names), "torch has triu from opset 14 on"
    assert sums.startswith(tuple("0123456789"))
    assert "operators at opset 9: " in sums
