"""Whole numbers are convolved, averaged and summed as in eager torch, to the last digit and over a dtype's ends."""

from __future__ import annotations

from pathlib import Path

import pytest

import whole_numbers
from beside_package import make_package, printed_by

OPS = ("_convolution", "avg_pool1d", "avg_pool2d", "avg_pool3d", "sum", "einsum", "tensordot", "trace")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package that holds the operators."""
    folder = tmp_path_factory.mktemp("numbers")
    make_package(folder, OPS)
    return folder


@pytest.mark.parametrize("opset", [11, 20])
def test_every_argument_gives_the_numbers_of_eager_torch(opset: int, folder: Path) -> None:
    found = printed_by(whole_numbers, folder, opset)
    assert found["count"] >= 180
    assert found["wrong"] == []
