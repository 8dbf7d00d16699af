"""ONNX translations of PyTorch's operators for its dynamo exporter: activations."""

from __future__ import annotations

import collections
import math

from onnxscript import ir
from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TTensor
from onnxscript.onnx_opset import opset18 as op

from .tracing import _promoted, _scalar

__all__ = ["aten_hardtanh"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: _bounded b562e1e31a75e357
def _bounded(x: ir.Value, low: float, high: float) -> ir.Value:
    """x, but at least `low` and at most `high`, which wins; all nan where one of them is.

    The dynamo exporter makes one Clip of Max and Min, in which a limit of nan counts
    for none.
    """
    if low != low or high != high:
        return op.Mul(x, math.nan)
    return op.Min(op.Max(x, _scalar(low, x)), _scalar(high, x))


# symgen: aten_hardtanh 7e64f7ba251c0be0
@torch_op("aten::hardtanh", registry=REGISTRIES[18], trace_only=True)
@_promoted("self")
def aten_hardtanh(self: TTensor, min_val: float = -1, max_val: float = 1) -> TTensor:
    """hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor

    x, but at least `min_val` and at most `max_val`
    """
    return _bounded(self, min_val, max_val)
