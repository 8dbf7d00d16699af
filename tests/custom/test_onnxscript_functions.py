"""A node of one's own whose meaning is an onnxscript function: its numbers are compared with the operator's."""

from __future__ import annotations

from pathlib import Path

import pytest

from stories import lay_out

MODULE = """
import meanings
import torch


@torch.library.custom_op("mylib::scale", mutates_args=())
def scale(x: torch.Tensor, by: float = 2.0) -> torch.Tensor:
    if not x.is_floating_point():
        raise TypeError("floating point only")
    return torch.nn.functional.relu6(x) * by {change}


@scale.register_fake
def _(x, by=2.0):
    return torch.empty_like(x)


class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.from_numpy(x.numpy() * 2 {change})
"""
MEANINGS = """
import onnxscript
from onnxscript import opset15 as op
from onnxscript.values import Opset
from torch.onnx._internal.torchscript_exporter import registration


@registration.custom_onnx_symbolic("my.ops::Scale", 2)
@onnxscript.script(Opset("my.ops", 2))
def Scale(x, by: float):
    six = op.CastLike(op.Constant(value_float=6.0), x)
    return op.Min(op.Relu(x), six) * op.CastLike(op.Constant(value_float=by), x)


@registration.custom_onnx_symbolic("my.ops::Gate", 2)
@onnxscript.script(Opset("my.ops", 2))
def Gate(x):
    return op.Add(x, x)
"""
DOMAIN = ("--domain", "my.ops", "--version", "2")
SAID = "the node's onnxscript function is one of opset 15"


@pytest.mark.parametrize("asked", [("mylib::scale", "--import", "user_mod"), ("user_mod:Gate", "--no-edit")])
@pytest.mark.parametrize(("change", "status", "word"), [("", 0, "verified"), ("+ 1", 1, "wrong value")])
def test_its_numbers_are_compared(tmp_path: Path, asked: tuple[str, ...], change: str, status: int, word: str) -> None:
    story = lay_out(tmp_path, {"user_mod.py": MODULE.format(change=change), "meanings.py": MEANINGS})
    printed = story.symgen("new", *asked, *DOMAIN, status=status)
    assert word in printed
    assert SAID in printed
    assert (tmp_path / "symbolics").exists() is (status == 0)


def test_the_written_test_compares_them_too(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {"user_mod.py": MODULE.format(change=""), "meanings.py": MEANINGS})
    story.symgen("new", "mylib::scale", "--import", "user_mod", *DOMAIN)
    assert 'assert_numbers(op, call, opset, {"my.ops": 2})' in story.read("tests/test_mylib.py")
    run = "import sys, pytest; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', 'tests']))"
    assert " passed" in story.run(run)
    (tmp_path / "user_mod.py").write_text(MODULE.format(change="+ 1"), "utf-8")
    with pytest.raises(AssertionError):
        story.run(run)
