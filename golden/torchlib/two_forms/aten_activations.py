"""ONNX translations of PyTorch's operators for its dynamo exporter: activations."""

from __future__ import annotations

import collections
import math

from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TFloat
from onnxscript.onnx_opset import opset18 as op, opset20

from .tracing import _promoted

__all__ = ["aten_gelu", "aten_gelu_opset20"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: aten_gelu f958f655b6aa964a
@torch_op("aten::gelu", registry=REGISTRIES[18], trace_only=True)
@_promoted("self")
def aten_gelu(self: TFloat, approximate: str = "none") -> TFloat:
    """gelu(Tensor self, *, str approximate='none') -> Tensor

    x · Φ(x) with the normal distribution Φ, or its approximation by tanh
    """
    half = op.Mul(0.5, self)
    if approximate == "tanh":
        inner = op.Mul(
            math.sqrt(2 / math.pi), op.Add(self, op.Mul(op.Mul(op.Mul(0.044715, self), self), self))
        )
        return op.Mul(half, op.Add(1.0, op.Tanh(inner)))
    return op.Mul(half, op.Add(1.0, op.Erf(op.Mul(self, math.sqrt(0.5)))))


# symgen: aten_gelu_opset20 cf88b7d3c9046e1c
@torch_op("aten::gelu", registry=REGISTRIES[20], trace_only=True)
@_promoted("self")
def aten_gelu_opset20(self: TFloat, approximate: str = "none") -> TFloat:
    """gelu(Tensor self, *, str approximate='none') -> Tensor

    x · Φ(x) with the normal distribution Φ, or its approximation by tanh
    """
    return opset20.Gelu(self, approximate=approximate)
