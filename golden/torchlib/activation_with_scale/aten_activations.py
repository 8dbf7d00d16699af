"""ONNX translations of PyTorch's operators for its dynamo exporter: activations."""

from __future__ import annotations

import collections

from onnxscript import ir
from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TFloat
from onnxscript.onnx_opset import opset18 as op

from .tracing import _promoted

__all__ = ["aten_elu"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: _expm1_of 628d1f0ee590b087
def _expm1_of(x: ir.Value) -> ir.Value:
    """exp(x) − 1 without cancellation near 0.

    Uses exp(x) − 1 = tanh(x / 2) · (exp(x) + 1), exact as an identity and free of
    cancellation: as accurate as the runtime's Tanh, 5 ulps in float32 (23 for the
    tiniest numbers) and 1 in float64.
    """
    return op.Mul(op.Tanh(op.Mul(0.5, x)), op.Add(op.Exp(x), 1.0))


# symgen: aten_elu feeb4fe552343138
@torch_op("aten::elu", registry=REGISTRIES[18], trace_only=True)
@_promoted("self")
def aten_elu(self: TFloat, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> TFloat:
    """elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor

    scale · (x if x > 0 else alpha · (exp(input_scale · x) − 1))
    """
    if scale == 1 and input_scale == 1:
        return op.Elu(self, alpha=alpha)
    negative = op.Mul(alpha * scale, _expm1_of(op.Mul(input_scale, self)))
    return op.Where(op.Less(self, 0), negative, op.Mul(scale, self))
