"""ONNX symbolic functions, right from opset 9 on."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import torch
from torch import _C
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import (
    _type_utils,
    jit_utils,
    registration,
    symbolic_helper,
)

__all__ = ["amax"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _rank 6d888dc2ea092ca6
def _rank(value: _C.Value) -> int:
    """The rank of a tensor; raises where the exporter does not know it."""
    rank = symbolic_helper._get_tensor_rank(value)
    if rank is None:
        raise errors.SymbolicValueError(
            f"the rank of {value.debugName()} is not known at export", value
        )
    return rank


# symgen: _chosen cb8b6a5d858b9561
def _chosen(g: jit_utils.GraphContext, condition: _C.Value, a: _C.Value, b: _C.Value) -> _C.Value:
    """The elements of one tensor where a condition holds, else of another one of the same dtype."""
    dtype = _dtype(a)
    is_number = max(_rank(condition), _rank(a), _rank(b)) == 0
    if is_number:
        # The exporter takes 0-d float64 tensors for Python numbers and would make them float32.
        condition, a, b = [
            symbolic_helper._unsqueeze_helper(g, value, [0]) for value in (condition, a, b)
        ]
    if dtype in (torch.bool, torch.int16):
        found = _cast(
            g, g.op("Where", condition, _cast(g, a, torch.int32), _cast(g, b, torch.int32)), dtype
        )
    elif dtype == torch.bfloat16:
        # Where takes it since opset 16 only.
        found = _cast(
            g,
            g.op("Where", condition, _cast(g, a, torch.float32), _cast(g, b, torch.float32)),
            dtype,
        )
    else:
        found = g.op("Where", condition, a, b)
    return symbolic_helper._squeeze_helper(g, found, [0]) if is_number else found


# symgen: _comparable fced91474a030c48
def _comparable(g: jit_utils.GraphContext, x: _C.Value) -> _C.Value:
    """The tensor in a dtype that every operator compares."""
    return (
        _cast(g, x, torch.int32)
        if _dtype(x) in (torch.bool, torch.uint8, torch.int8, torch.int16)
        else x
    )


# symgen: _any_over 48aa91b3fdaf7d3f
def _any_over(
    g: jit_utils.GraphContext, mask: _C.Value, axes: list[int], keepdim: bool
) -> _C.Value:
    """Whether any element over some axes is true."""
    if not axes:
        return g.op("Identity", mask)
    return g.op(
        "Greater",
        symbolic_helper._reducesum_helper(
            g, _cast(g, mask, torch.int32), axes_i=axes, keepdims_i=int(keepdim)
        ),
        g.op("Constant", value_t=torch.tensor(0, dtype=torch.int32)),
    )


# symgen: _cast_like 7ccf97423759ad9a
def _cast_like(g: jit_utils.GraphContext, value: _C.Value, like: _C.Value) -> _C.Value:
    """The tensor in the dtype of `like`, also where that is unknown at export."""
    known = _type_utils.JitScalarType.from_value(like, _type_utils.JitScalarType.UNDEFINED)
    if known != _type_utils.JitScalarType.UNDEFINED:
        return symbolic_helper._maybe_cast_to_type(g, value, known)
    if g.opset < 15:
        raise errors.SymbolicValueError(
            "a dtype that is unknown at export needs opset 15 (CastLike)", like
        )
    return g.op("CastLike", value, like)


# symgen: _extreme_over 710446ac73151cca
def _extreme_over(
    g: jit_utils.GraphContext, self: _C.Value, axes: list[int], keepdim: bool, sign: int
) -> _C.Value:
    """The largest (1) or smallest (-1) element over some axes."""
    if not axes:
        return g.op("Identity", self)
    x = _comparable(g, self)
    found = (
        g.op("ReduceMax", x, axes_i=axes, keepdims_i=int(keepdim))
        if sign > 0
        else g.op("ReduceMin", x, axes_i=axes, keepdims_i=int(keepdim))
    )
    if _dtype(x).is_floating_point:
        # ONNX Runtime passes over a nan at times.
        has_nan = _any_over(g, g.op("IsNaN", x), axes, keepdim)
        found = _chosen(
            g, has_nan, g.op("Constant", value_t=torch.tensor(math.nan, dtype=_dtype(x))), found
        )
    return _cast_like(g, found, self)


# symgen: _axes_of 82abb58a5e59d5b9
def _axes_of(g: jit_utils.GraphContext, x: _C.Value, dim: list[int] | int | None) -> list[int]:
    """The axes that are meant, all of them where none is named; a number has none."""
    rank = _rank(x)
    named = [dim] if isinstance(dim, int) else dim
    # In order, since below opset 11 shape inference takes the axes of a Squeeze one after the other.
    return sorted([axis % rank for axis in named]) if named and rank else list(range(rank))


# symgen: aten::amax fa131f2bd627fce3
@_onnx_symbolic("aten::amax")
@symbolic_helper.parse_args("v", "is", "b")
def amax(
    g: jit_utils.GraphContext, input: _C.Value, dim: Sequence[int] = (), keepdim: bool = False
) -> _C.Value:
    """amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor

    The largest element, over some axes or of all.
    """
    return _extreme_over(g, input, _axes_of(g, input, dim), keepdim, 1)
