"""A number beside half precision is multiplied by, and divided by, before anything is rounded, as in eager torch."""

from __future__ import annotations

from pathlib import Path

import pytest

import half_scalars
from beside_package import make_package, printed_by


@pytest.mark.parametrize("exporter", ["torchscript", "torchlib"])
def test_it_is_not_rounded_before(exporter: str, tmp_path: Path) -> None:
    if exporter == "torchlib":
        pytest.importorskip("onnxscript")
    make_package(tmp_path, ("mul", "div", "true_divide", "floor_divide"), exporter)
    found = printed_by(half_scalars, tmp_path, exporter)
    assert found["count"] == len(half_scalars.CALLS)
    assert found["wrong"] == {}
