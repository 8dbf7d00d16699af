"""ONNX translations of PyTorch's operators for its dynamo exporter: activations."""

from __future__ import annotations

import collections

from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TFloat
from onnxscript.onnx_opset import opset18 as op, opset24

from .tracing import _promoted

__all__ = ["aten_silu", "aten_silu_opset24"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: aten_silu 01aa358e99781675
@torch_op("aten::silu", registry=REGISTRIES[18], trace_only=True)
@_promoted("self")
def aten_silu(self: TFloat) -> TFloat:
    """silu(Tensor self) -> Tensor

    x · sigmoid(x)
    """
    return op.Mul(self, op.Sigmoid(self))


# symgen: aten_silu_opset24 e43581a7f4b03104
@torch_op("aten::silu", registry=REGISTRIES[24], trace_only=True)
@_promoted("self")
def aten_silu_opset24(self: TFloat) -> TFloat:
    """silu(Tensor self) -> Tensor

    x · sigmoid(x)
    """
    return opset24.Swish(self)
