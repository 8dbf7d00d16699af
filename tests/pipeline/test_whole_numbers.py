"""Whole numbers are convolved, averaged and summed as in eager torch, to the last digit and over a dtype's ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import whole_numbers

OPS = ("_convolution", "avg_pool1d", "avg_pool2d", "avg_pool3d", "sum", "einsum", "tensordot", "trace")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package that holds the operators."""
    folder = tmp_path_factory.mktemp("numbers")
    operators = [f"aten::{name}" for name in OPS]
    new = [sys.executable, "-m", "symgen", "new", *operators, "--no-verify", "--force", "-q"]
    subprocess.run(new, cwd=folder, check=True, capture_output=True, timeout=120)
    return folder


@pytest.mark.parametrize("opset", [11, 20])
def test_every_argument_gives_the_numbers_of_eager_torch(opset: int, folder: Path) -> None:
    script = [sys.executable, str(Path(whole_numbers.__file__).resolve()), str(opset)]
    done = subprocess.run(script, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["count"] >= 180
    assert found["wrong"] == []
