"""Orthogonal polynomials are those of eager torch at ends, limits, and degrees that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

import orthogonal_polynomials
from beside_package import make_package, printed_by


@pytest.mark.parametrize(("exporter", "opset"), [("torchscript", 9), ("torchscript", 20), ("torchlib", 18)])
def test_every_edge_is_that_of_eager_torch(exporter: str, opset: int, tmp_path: Path) -> None:
    if exporter == "torchlib":
        pytest.importorskip("onnxscript")
    make_package(tmp_path, orthogonal_polynomials.OPS, exporter)
    found = printed_by(orthogonal_polynomials, tmp_path, exporter, opset)
    assert found["count"] > 8000
    assert found["wrong"] == []
