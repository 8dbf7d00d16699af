"""Numbers of a custom operator, by the kernels of a library for ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import pytest

from stories import lay_out

MODULE = """
import torch


@torch.library.custom_op("contrib::neg_pos", mutates_args=())
def neg_pos(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.clamp(x, max=0.0) {change}, torch.clamp(x, min=0.0)


@neg_pos.register_fake
def _(x):
    return torch.empty_like(x), torch.empty_like(x)
"""


@pytest.mark.parametrize(("change", "status", "said"), [("", 0, "verified"), ("+ 1", 1, "wrong value")])
def test_a_librarys_kernels_are_compared_with_the_operator(tmp_path: Path, change: str, status: int, said: str) -> None:
    extensions = pytest.importorskip("onnxruntime_extensions")
    story = lay_out(tmp_path, {"user_mod.py": MODULE.format(change=change)})
    arguments = ["contrib::neg_pos", "--import", "user_mod", "--domain", "ai.onnx.contrib"]
    library = extensions.get_library_path()
    assert said in story.symgen("new", *arguments, "--ort-library", library, status=status)
    assert (tmp_path / "symbolics").exists() is (status == 0)
