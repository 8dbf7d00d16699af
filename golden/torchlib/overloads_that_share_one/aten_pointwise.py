"""ONNX translations of PyTorch's operators for its dynamo exporter: pointwise."""

from __future__ import annotations

import collections

from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TFloat, TTensor
from onnxscript.onnx_opset import opset18 as op

from .tracing import _promoted, _scalar

__all__ = ["aten_xlogy"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: aten_xlogy 623b6563135dc5da
@torch_op(
    ("aten::xlogy.Tensor", "aten::xlogy.Scalar_Self", "aten::xlogy.Scalar_Other"),
    registry=REGISTRIES[18],
    trace_only=True,
)
@_promoted("self", "other", kind="INT_TO_FLOAT")
def aten_xlogy(self: TTensor, other: TTensor) -> TFloat:
    """xlogy.Tensor(Tensor self, Tensor other) -> Tensor
    xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor
    xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor

    x · log(y), and 0 where x is 0, unless y is nan
    """
    product = op.Mul(self, op.Log(other))
    vanishes = op.And(op.Equal(self, 0.0), op.Not(op.IsNaN(other)))
    return op.Where(vanishes, _scalar(0.0, product), product)
