"""ONNX translations of PyTorch's operators for its dynamo exporter: arithmetic."""

from __future__ import annotations

import collections

import torch
from onnxscript import ir
from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TTensor
from onnxscript.onnx_opset import opset18 as op

from .tracing import _carried, _carrying_complex, _constant, _is_complex, _promoted, _rank

__all__ = ["aten_mul"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: _from_parts b18dd0a6cbd6698c
def _from_parts(real: ir.Value, imaginary: ir.Value) -> ir.Value:
    """A complex tensor of its two parts."""
    rank = _rank(real)
    return op.Concat(op.Unsqueeze(real, [rank]), op.Unsqueeze(imaginary, [rank]), axis=rank)


# symgen: _parts 0abba45fa1274b5d
def _parts(x: ir.Value) -> tuple[ir.Value, ...]:
    """(The real part, the imaginary part)."""
    return (
        op.Gather(x, _constant(0, torch.int64), axis=-1),
        op.Gather(x, _constant(1, torch.int64), axis=-1),
    )


# symgen: _complex_product 5e76565690719fc9
def _complex_product(a: ir.Value, b: ir.Value) -> ir.Value:
    """a · b"""
    a_real, a_imaginary = _parts(a)
    b_real, b_imaginary = _parts(b)
    crossed = op.Add(op.Mul(a_real, b_imaginary), op.Mul(a_imaginary, b_real))
    return _from_parts(op.Sub(op.Mul(a_real, b_real), op.Mul(a_imaginary, b_imaginary)), crossed)


# symgen: aten_mul f957c1d1369204fa
@torch_op(("aten::mul.Tensor", "aten::mul.Scalar"), registry=REGISTRIES[18], trace_only=True)
@_carrying_complex
@_promoted("self", "other", unrounded=["other"])
def aten_mul(self: TTensor, other: TTensor) -> TTensor:
    """mul.Tensor(Tensor self, Tensor other) -> Tensor
    mul.Scalar(Tensor self, Scalar other) -> Tensor

    x · y
    """
    if _is_complex(self) and _is_complex(other):
        return _carried(_complex_product(self, other))
    # A real factor goes with both parts.
    if _is_complex(self):
        return _carried(op.Mul(self, op.Unsqueeze(other, [_rank(other)])))
    if _is_complex(other):
        return _carried(op.Mul(op.Unsqueeze(self, [_rank(self)]), other))
    return op.Mul(self, other)
