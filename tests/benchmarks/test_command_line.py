from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from timing import ratio, seconds_of

pytestmark = pytest.mark.benchmark

SYMGEN = [sys.executable, "-m", "symgen"]
BARE = """
import io, sys, warnings
warnings.filterwarnings("ignore")
import numpy, onnx, onnxruntime, torch
from torch.onnx import register_custom_op_symbolic


def hypot(g, x, y):
    return g.op("Sqrt", g.op("Add", g.op("Mul", x, x), g.op("Mul", y, y)))


class Hypot(torch.nn.Module):
    def forward(self, x, y):
        return torch.hypot(x, y)


register_custom_op_symbolic("aten::hypot", hypot, 9)
exports, runs = map(int, sys.argv[1:])
for number in range(exports):
    inputs = (torch.randn(2, 3), torch.randn(3))
    buffer = io.BytesIO()
    torch.onnx.export(Hypot(), inputs, buffer, dynamo=False, opset_version=9 + number % 12, input_names=["x", "y"])
    onnx.checker.check_model(onnx.load_from_string(buffer.getvalue()), full_check=True)
    session = onnxruntime.InferenceSession(buffer.getvalue(), providers=["CPUExecutionProvider"])
    for _ in range(runs * (number + 1) // exports - runs * number // exports):
        (got,) = session.run(None, {"x": inputs[0].numpy(), "y": inputs[1].numpy()})
    numpy.testing.assert_allclose(got, torch.hypot(*inputs).numpy(), rtol=1e-5)
"""
"""What no tool can do without: the imports, and so many exports, checks and runs of one operator."""


def test_help_costs_little_more_than_click() -> None:
    help_ = ratio(
        lambda: seconds_of([*SYMGEN, "--help"]), lambda: seconds_of([sys.executable, "-c", "import click"]), rounds=15
    )
    print(f"symgen --help: {help_:.2f} x import click")
    assert help_ <= 1.5


def test_new_costs_little_more_than_its_exports_and_runs(tmp_path: Path) -> None:
    new = [*SYMGEN, "new", "aten::hypot"]
    done = subprocess.run(new, cwd=tmp_path, check=True, capture_output=True, text=True)
    counts = re.search(r"(\d+) exports and (\d+) runs", done.stdout)
    assert counts
    assert 0 < int(counts[1]) <= 300
    bare = [sys.executable, "-c", BARE, *counts.groups()]

    def in_an_empty_folder() -> float:
        return seconds_of(new, Path(tempfile.mkdtemp(dir=tmp_path)))

    whole = ratio(in_an_empty_folder, lambda: seconds_of(bare), rounds=3)
    print(f"symgen new aten::hypot: {whole:.2f} x a bare script with {counts[0]}")
    assert whole <= 1.6
