"""ONNX symbolic functions, right from opset 11 on."""

from __future__ import annotations

import functools
import math
from typing import Any

import torch
from torch import _C
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import (
    _type_utils,
    jit_utils,
    registration,
    symbolic_helper,
)

__all__ = ["nanquantile"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=11, custom=True)


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


# symgen: _scalar 9451145ccc11ca13
def _scalar(g: jit_utils.GraphContext, number: Any, like: _C.Value) -> _C.Value:
    """A constant of the dtype of `like`, also where that is unknown at export."""
    known = _type_utils.JitScalarType.from_value(like, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        return _cast_like(g, g.op("Constant", value_t=torch.tensor(number)), like)
    return g.op("Constant", value_t=torch.tensor(number, dtype=known.dtype()))


# symgen: _between 680f8161b4826d3b
def _between(
    g: jit_utils.GraphContext, low: _C.Value, high: _C.Value, weight: _C.Value
) -> _C.Value:
    """low + weight · (high − low), from the nearer of both ends, so that the ends are met exactly"""
    distance = g.op("Sub", high, low)
    return g.op(
        "Where",
        g.op("Less", weight, _scalar(g, 0.5, weight)),
        g.op("Add", low, g.op("Mul", weight, distance)),
        g.op("Sub", high, g.op("Mul", distance, g.op("Sub", _scalar(g, 1.0, weight), weight))),
    )


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: _rank 6d888dc2ea092ca6
def _rank(value: _C.Value) -> int:
    """The rank of a tensor; raises where the exporter does not know it."""
    rank = symbolic_helper._get_tensor_rank(value)
    if rank is None:
        raise errors.SymbolicValueError(
            f"the rank of {value.debugName()} is not known at export", value
        )
    return rank


# symgen: _elements_at 4dafdad6317636b8
def _elements_at(
    g: jit_utils.GraphContext, ordered: _C.Value, position: _C.Value, per_row: bool
) -> _C.Value:
    """The elements of the last axis at whole positions."""
    axis = _rank(ordered) - 1
    places = _cast(g, position, torch.int64)
    return (
        g.op("GatherElements", ordered, places, axis_i=axis)
        if per_row
        else g.op("Gather", ordered, places, axis_i=axis)
    )


# symgen: _at_positions 87819dada5cc6181
def _at_positions(
    g: jit_utils.GraphContext,
    ordered: _C.Value,
    position: _C.Value,
    interpolation: str,
    per_row: bool,
) -> _C.Value:
    """The elements of the sorted last axis at positions that need not be whole, the same in all rows or not."""
    below, above = g.op("Floor", position), g.op("Ceil", position)
    if interpolation == "lower":
        return _elements_at(g, ordered, below, per_row)
    if interpolation == "higher":
        return _elements_at(g, ordered, above, per_row)
    if interpolation == "nearest":
        return _elements_at(g, ordered, g.op("Round", position), per_row)
    low, high = _elements_at(g, ordered, below, per_row), _elements_at(g, ordered, above, per_row)
    if interpolation == "midpoint":
        return _between(g, low, high, _scalar(g, 0.5, position))
    return _between(g, low, high, g.op("Sub", position, below))


# symgen: _known 07c1363a5c94cc6e
def _known(value: Any) -> Any:
    """The Python number, list of numbers, or text in a constant value; None where it is known only when the model runs."""
    if symbolic_helper._is_none(value):
        return None
    if isinstance(value, _C.Value) and symbolic_helper._is_packed_list(value):
        value = symbolic_helper._unpack_list(value)
    if isinstance(value, (list, tuple)):
        elements = [_known(element) for element in value]
        if None in elements:
            return None
        return [
            number for part in elements for number in (part if isinstance(part, list) else [part])
        ]
    if isinstance(value, _C.Value):
        value = (
            value.toIValue()
            if value.node().kind() == "prim::Constant"
            else symbolic_helper._maybe_get_const(value, "t")
        )
    if isinstance(value, torch.Tensor):
        return value.tolist()
    return value if isinstance(value, (int, float, str, list)) else None


# symgen: _static_size 11ff0519ee8bff60
def _static_size(value: _C.Value, axis: int) -> int | None:
    """The length of an axis where it is known at export, else None."""
    known = symbolic_helper._get_tensor_dim_size(value, axis)
    if known is None and value.node().kind() == "onnx::Reshape":
        # Nodes that the exporter's own passes made have no inferred shapes.
        sizes = _known(list(value.node().inputs())[1])
        known = sizes[axis] if sizes is not None and sizes[axis] > 0 else None
    return known


# symgen: _size c55557e33fa7e33f
def _size(g: jit_utils.GraphContext, value: _C.Value, axis: int) -> _C.Value:
    """The length of an axis as an int64 tensor of shape [1], also where it is dynamic."""
    known = _static_size(value, axis)
    if known is not None:
        return g.op("Constant", value_t=torch.tensor([known], dtype=torch.int64))
    if axis < 0:
        axis += _rank(value)
    return g.op(
        "Gather", g.op("Shape", value), g.op("Constant", value_t=torch.tensor([axis])), axis_i=0
    )


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _extremes d98d0196343ecb0c
def _extremes(
    g: jit_utils.GraphContext, x: _C.Value, count: _C.Value, axis: int, largest: bool
) -> tuple[_C.Value, ...]:
    """The largest or smallest elements along an axis in order, and where they stood; `count` has the shape [1]."""
    # TopK takes neither bool nor bfloat16.
    wider = {torch.bool: torch.uint8, torch.bfloat16: torch.float32}.get(_dtype(x), _dtype(x))
    comparable = _cast(g, x, wider)
    values, places = g.op(
        "TopK", comparable, count, axis_i=axis, largest_i=int(largest), sorted_i=1, outputs=2
    )
    return (_cast(g, values, _dtype(x)), places)


# symgen: _permuted 983357769c5563b2
def _permuted(g: jit_utils.GraphContext, x: _C.Value, order: list[int]) -> _C.Value:
    """The axes in that order; no node where they are in it already."""
    return x if order == list(range(len(order))) else g.op("Transpose", x, perm_i=order)


# symgen: _placed_quantiles a574f636d15a8de8
def _placed_quantiles(
    g: jit_utils.GraphContext, found: _C.Value, kept: list[int], several: bool
) -> _C.Value:
    """What was found along the last axis: more than one along the first, reduced axes that are kept back in place."""
    last = _rank(found) - 1
    if several:
        found = _permuted(g, found, [last, *range(last)])
        kept = [axis + 1 for axis in kept]
    else:
        found = symbolic_helper._squeeze_helper(g, found, [last])
    return symbolic_helper._unsqueeze_helper(g, found, kept) if kept else found


# symgen: _larger_of 4a3a680c3802dbe9
def _larger_of(g: jit_utils.GraphContext, a: _C.Value, b: _C.Value) -> _C.Value:
    """The larger of two tensors, nan passed on (Max takes integers from opset 12 on)."""
    if _dtype(a).is_floating_point:
        return g.op("Max", a, b)
    return g.op("Where", g.op("Greater", a, b), a, b)


# symgen: _quantile_of 16c3fbe69d53548c
def _quantile_of(
    g: jit_utils.GraphContext,
    self: _C.Value,
    q: _C.Value,
    dim: int | None,
    keepdim: bool,
    interpolation: str,
    ignore_nan: bool,
) -> _C.Value:
    """The quantiles along an axis or of all elements; more than one stand along a new first axis."""
    rank = _rank(self)
    if dim is None or rank == 0:
        axis, rows = 0, g.op("Reshape", self, g.op("Constant", value_t=torch.tensor([-1])))
    else:
        axis = dim % rank
        rows = _permuted(g, self, [*(k for k in range(rank) if k != axis), axis])
    last = _rank(rows) - 1
    ordered, _ = _extremes(g, rows, _size(g, rows, last), last, False)
    shares = g.op("Reshape", _cast_like(g, q, self), g.op("Constant", value_t=torch.tensor([-1])))
    is_nan = g.op("IsNaN", rows)
    if ignore_nan:
        counts = symbolic_helper._reducesum_helper(
            g, _cast_like(g, g.op("Not", is_nan), self), axes_i=[last], keepdims_i=1
        )
        found = _at_positions(
            g,
            ordered,
            g.op(
                "Mul",
                shares,
                _larger_of(
                    g, g.op("Sub", counts, _scalar(g, 1.0, counts)), _scalar(g, 0.0, counts)
                ),
            ),
            interpolation,
            True,
        )
    else:
        position = g.op(
            "Mul",
            shares,
            g.op("Sub", _cast_like(g, _size(g, rows, last), self), _scalar(g, 1.0, self)),
        )
        found = _at_positions(g, ordered, position, interpolation, False)
        has_nan = g.op(
            "Greater",
            g.op("ReduceMax", _cast(g, is_nan, torch.int32), axes_i=[last], keepdims_i=1),
            g.op("Constant", value_t=torch.tensor(0, dtype=torch.int32)),
        )
        found = g.op("Where", has_nan, _scalar(g, math.nan, found), found)
    kept = [] if not keepdim or rank == 0 else list(range(rank)) if dim is None else [axis]
    return _placed_quantiles(g, found, kept, _rank(q) > 0)


# symgen: aten::nanquantile 23d6fc7974c78d3b
@_onnx_symbolic("aten::nanquantile")
@symbolic_helper.parse_args("v", "v", "i", "b", "s")
def nanquantile(
    g: jit_utils.GraphContext,
    input: _C.Value,
    q: _C.Value,
    dim: int | None = None,
    keepdim: bool = False,
    interpolation: str = "linear",
) -> _C.Value:
    """nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor
    nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor

    The element below which a share q of all elements lies that are not nan.
    """
    return _quantile_of(g, input, q, dim, keepdim, interpolation, True)
