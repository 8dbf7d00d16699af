"""Whole numbers are convolved and averaged as eager torch does it, to the last digit and over the ends of a dtype."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import whole_windows

OPS = ("_convolution", "avg_pool1d", "avg_pool2d", "avg_pool3d")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package that holds the operators."""
    folder = tmp_path_factory.mktemp("windows")
    operators = [f"aten::{name}" for name in OPS]
    new = [sys.executable, "-m", "symgen", "new", *operators, "--no-verify", "--force", "-q"]
    subprocess.run(new, cwd=folder, check=True, capture_output=True, timeout=120)
    return folder


@pytest.mark.parametrize("opset", [11, 20])
def test_every_argument_gives_the_numbers_of_eager_torch(opset: int, folder: Path) -> None:
    script = [sys.executable, str(Path(whole_windows.__file__).resolve()), str(opset)]
    done = subprocess.run(script, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["count"] > 100
    assert found["wrong"] == []
