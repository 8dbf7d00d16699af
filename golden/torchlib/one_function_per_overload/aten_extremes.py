"""ONNX translations of PyTorch's operators for its dynamo exporter: extremes."""

from __future__ import annotations

import collections
import math
from typing import Any

import torch
from onnxscript import INT64, ir
from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TTensor
from onnxscript.onnx_opset import opset18 as op

from .tracing import _cast, _cast_like, _common_dtype, _constant, _dtype, _rank, _told, _traced

__all__ = ["aten_max", "aten_max_dim", "aten_max_other"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: _any_over 69231de793df0c6d
def _any_over(mask: ir.Value, axes: list[int], keepdim: bool) -> ir.Value:
    """Whether any element over some axes is true."""
    if not axes:
        return op.Identity(mask)
    return op.Greater(op.ReduceSum(_cast(mask, torch.int32), axes, keepdims=int(keepdim)), 0)


# symgen: _chosen e1a34e870839029b
def _chosen(condition: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
    """The elements of one tensor where a condition holds, else of another one of the same dtype."""
    dtype = _dtype(a)
    is_number = max(_rank(condition), _rank(a), _rank(b)) == 0
    if is_number:
        # The exporter takes 0-d float64 tensors for Python numbers and would make them float32.
        condition, a, b = [op.Unsqueeze(value, [0]) for value in (condition, a, b)]
    if dtype in (torch.bool, torch.int16):
        found = _cast(op.Where(condition, _cast(a, torch.int32), _cast(b, torch.int32)), dtype)
    elif dtype == torch.bfloat16:
        # Where takes it since opset 16 only.
        found = _cast(op.Where(condition, _cast(a, torch.float32), _cast(b, torch.float32)), dtype)
    else:
        found = op.Where(condition, a, b)
    return op.Squeeze(found, [0]) if is_number else found


# symgen: _comparable 2a09006afc745277
def _comparable(x: ir.Value) -> ir.Value:
    """The tensor in a dtype that every operator compares."""
    return (
        _cast(x, torch.int32)
        if _dtype(x) in (torch.bool, torch.uint8, torch.int8, torch.int16)
        else x
    )


# symgen: _extreme_over e95dbfd4f6ce9666
def _extreme_over(self: ir.Value, axes: list[int], keepdim: bool, sign: int) -> ir.Value:
    """The largest (1) or smallest (-1) element over some axes."""
    if not axes:
        return op.Identity(self)
    x = _comparable(self)
    found = (
        op.ReduceMax(x, axes, keepdims=int(keepdim))
        if sign > 0
        else op.ReduceMin(x, axes, keepdims=int(keepdim))
    )
    if _dtype(x).is_floating_point:
        # ONNX Runtime passes over a nan at times.
        has_nan = _any_over(op.IsNaN(x), axes, keepdim)
        found = _chosen(has_nan, _constant(math.nan, _dtype(x)), found)
    return _cast_like(found, self)


# symgen: _extremes 07ee309712d4016c
def _extremes(x: ir.Value, count: ir.Value, axis: int, largest: bool) -> tuple[ir.Value, ...]:
    """The largest or smallest elements along an axis in order, and where they stood; `count` has the shape [1]."""
    # TopK takes neither bool nor bfloat16.
    wider = {torch.bool: torch.uint8, torch.bfloat16: torch.float32}.get(_dtype(x), _dtype(x))
    comparable = _cast(x, wider)
    values, places = op.TopK(comparable, count, axis=axis, largest=int(largest), sorted=1)
    return (_cast(values, _dtype(x)), places)


# symgen: _first_extreme be49153e2cd87c5e
def _first_extreme(self: ir.Value, axis: int, keepdim: bool, sign: int) -> ir.Value:
    """The largest (1) or smallest (-1) element along an axis, and the first place where it stands."""
    x = _comparable(self)
    turns = sign < 0 and _dtype(x).is_floating_point
    # TopK takes nan for the largest.
    values, places = _extremes(
        op.Neg(x) if turns else x, _constant([1], torch.int64), axis, sign > 0 or turns
    )
    values = _cast_like(op.Neg(values) if turns else values, self)
    return (values, places) if keepdim else (op.Squeeze(values, [axis]), op.Squeeze(places, [axis]))


# symgen: _extreme_of_two b28485a49b29a062
def _extreme_of_two(first: ir.Value, second: ir.Value, sign: int) -> ir.Value:
    """The larger (1) or smaller (-1) of two tensors element by element."""
    dtype = _common_dtype([first, second], "DEFAULT")
    is_number = _rank(first) == 0 and _rank(second) == 0
    a, b = _comparable(_cast(first, dtype)), _comparable(_cast(second, dtype))
    if is_number:
        a, b = op.Unsqueeze(a, [0]), op.Unsqueeze(b, [0])
    found = _cast(op.Max(a, b) if sign > 0 else op.Min(a, b), dtype)
    return op.Squeeze(found, [0]) if is_number else found


# symgen: _axes_of e184ae4c53e3dc09
def _axes_of(x: ir.Value, dim: list[int] | int | None) -> list[int]:
    """The axes that are meant, all of them where none is named; a number has none."""
    rank = _rank(x)
    named = [dim] if isinstance(dim, int) else dim
    # In order, since below opset 11 shape inference takes the axes of a Squeeze one after the other.
    return sorted([axis % rank for axis in named]) if named and rank else list(range(rank))


# symgen: _aten_max dae303ba2a74ff9f
def _aten_max(self: TTensor, *args: Any) -> Any:
    """The largest element; along an axis, and where it stands; or the larger of two tensors, element by element."""
    if len(args) == 1:
        return _extreme_of_two(self, args[0], 1)
    if not args:
        return _extreme_over(self, _axes_of(self, None), False, 1)
    if _rank(self) == 0:
        return (op.Identity(self), _constant(0, torch.int64))
    return _first_extreme(
        self, _told(args[0], "dim") % _rank(self), bool(_told(args[1], "keepdim")), 1
    )


# symgen: aten_max 6f8bee2de2f88f02
@torch_op("aten::max", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_max(self: TTensor) -> TTensor:
    """max(Tensor self) -> Tensor"""
    return _aten_max(self)


# symgen: aten_max_dim 41bc2ad603d493c7
@torch_op("aten::max.dim", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_max_dim(self: TTensor, dim: int, keepdim: bool = False) -> tuple[TTensor, INT64]:
    """max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"""
    return _aten_max(self, dim, keepdim)


# symgen: aten_max_other ea1e50f16f33dc72
@torch_op("aten::max.other", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_max_other(self: TTensor, other: TTensor) -> TTensor:
    """max.other(Tensor self, Tensor other) -> Tensor"""
    return _aten_max(self, other)
