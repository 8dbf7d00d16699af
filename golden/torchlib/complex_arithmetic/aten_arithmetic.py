"""ONNX translations of PyTorch's operators for its dynamo exporter: arithmetic."""

from __future__ import annotations

import collections
from typing import Any

import torch
from onnxscript import ir
from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TTensor
from onnxscript.onnx_opset import opset18 as op

from .tracing import (
    _carried,
    _carrying_complex,
    _cast,
    _cast_like,
    _constant,
    _dtype,
    _is_complex,
    _known,
    _promoted,
    _rank,
    _scalar,
    _traced,
)

__all__ = ["aten_div", "aten_div_tensor_mode"]

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


# symgen: _complex_quotient 1d03444ce9f6af1e
def _complex_quotient(a: ir.Value, b: ir.Value) -> ir.Value:
    """a / b, where neither overflows nor underflows in between; Smith's way, Commun. ACM 5 (1962)"""
    largest = op.ReduceMax(op.Abs(b), [-1], keepdims=1)
    turned = op.Mul(op.Div(b, largest), _scalar([1.0, -1.0], b))
    square = op.ReduceSum(op.Mul(turned, turned), [-1], keepdims=1)
    return op.Div(_complex_product(op.Div(a, largest), turned), square)


# symgen: _as_complex 6cf3eef81a7aa7a6
def _as_complex(x: ir.Value, is_complex: bool) -> ir.Value:
    """A real tensor with the imaginary part 0; a complex one as it is."""
    if is_complex:
        return x
    number = _known(x)
    if isinstance(number, (int, float)):
        # The exporter takes two numbers that are joined for lengths, and large ones are none.
        return _scalar([float(number), 0.0], x)
    return _from_parts(x, op.Expand(_scalar(0, x), op.Shape(x)))


# symgen: _floor_divided 405bf76aadf2ecb0
def _floor_divided(a: ir.Value, b: ir.Value) -> ir.Value:
    """The quotient of whole numbers, rounded down; Div rounds towards zero."""
    is_above = op.And(op.Not(op.Equal(op.Mod(a, b), 0)), op.Xor(op.Less(a, 0), op.Less(b, 0)))
    quotient = op.Div(a, b)
    return op.Sub(quotient, _cast_like(is_above, quotient))


# symgen: _floor_quotient 02366cab5abca7aa
def _floor_quotient(a: ir.Value, b: ir.Value) -> ir.Value:
    """The quotient of floating-point numbers rounded down, from the remainder as torch computes it."""
    remainder = op.Mod(a, b, fmod=1)
    has_other_sign = op.And(
        op.Not(op.Equal(remainder, 0.0)), op.Xor(op.Less(remainder, 0), op.Less(b, 0))
    )
    quotient = op.Div(op.Sub(a, remainder), b)
    quotient = op.Where(has_other_sign, op.Sub(quotient, 1.0), quotient)
    rounded = op.Floor(quotient)
    rounded = op.Where(op.Greater(op.Sub(quotient, rounded), 0.5), op.Add(rounded, 1.0), rounded)
    rounded = op.Where(op.Equal(quotient, 0.0), op.Mul(_scalar(0.0, a), op.Div(a, b)), rounded)
    return op.Where(op.Equal(b, 0.0), op.Div(a, b), rounded)


# symgen: _truncate 674a7d416b62d302
def _truncate(x: ir.Value) -> ir.Value:
    """The whole part, rounded towards zero."""
    return op.Mul(op.Sign(x), op.Floor(op.Abs(x)))


# symgen: _aten_div 6eb799ef2972be84
@_promoted("self", "other", unrounded=["other"])
def _aten_div(self: TTensor, other: TTensor, rounding_mode: str | None = None) -> Any:
    """x / y, also rounded down or towards zero"""
    if _is_complex(other):
        return _carried(_complex_quotient(_as_complex(self, _is_complex(self)), other))
    if _is_complex(self):
        return _carried(op.Div(self, op.Unsqueeze(other, [_rank(other)])))
    is_floating = _dtype(self).is_floating_point
    if rounding_mode is None:
        return (
            op.Div(self, other)
            if is_floating
            else op.Div(_cast(self, torch.float32), _cast(other, torch.float32))
        )
    if rounding_mode == "floor":
        return _floor_quotient(self, other) if is_floating else _floor_divided(self, other)
    return _truncate(op.Div(self, other)) if is_floating else op.Div(self, other)


# symgen: aten_div 3695e99921c6186e
@torch_op(("aten::div.Tensor", "aten::div.Scalar"), registry=REGISTRIES[18], trace_only=True)
@_carrying_complex
def aten_div(self: TTensor, other: TTensor) -> TTensor:
    """div.Tensor(Tensor self, Tensor other) -> Tensor
    div.Scalar(Tensor self, Scalar other) -> Tensor
    """
    return _aten_div(self, other)


# symgen: aten_div_tensor_mode 0fec73ec99b43ac1
@torch_op(
    ("aten::div.Tensor_mode", "aten::div.Scalar_mode"), registry=REGISTRIES[18], trace_only=True
)
@_carrying_complex
@_traced
def aten_div_tensor_mode(self: TTensor, other: TTensor, rounding_mode: str | None) -> TTensor:
    """div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor
    div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor
    """
    return _aten_div(self, other, rounding_mode)
