"""ONNX symbolic functions, right from opset 14 on."""

from __future__ import annotations

import functools
import itertools
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

__all__ = ["max_unpool2d"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=14, custom=True)


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


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


# symgen: _ints 94b137551f16b0c3
def _ints(g: jit_utils.GraphContext, values: Any) -> _C.Value:
    """Integers, of which some may be graph values, as one int64 tensor of shape [n]."""
    if isinstance(values, _C.Value) and symbolic_helper._is_packed_list(values):
        values = symbolic_helper._unpack_list(values)
    known = _known(values)
    if known is not None:
        return g.op("Constant", value_t=torch.tensor(known, dtype=torch.int64).reshape(-1))
    if isinstance(values, _C.Value):
        # The exporter follows a length through Unsqueeze, not through Reshape.
        if symbolic_helper._get_tensor_rank(values) == 0:
            return _cast(g, symbolic_helper._unsqueeze_helper(g, values, [0]), torch.int64)
        shape = g.op("Constant", value_t=torch.tensor([-1]))
        return _cast(g, g.op("Reshape", values, shape), torch.int64)
    runs = itertools.groupby(values, key=lambda value: _known(value) is not None)
    parts = [part for is_known, run in runs for part in ([list(run)] if is_known else run)]
    return g.op("Concat", *[_ints(g, part) for part in parts], axis_i=0)


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


# symgen: _static_size 11ff0519ee8bff60
def _static_size(value: _C.Value, axis: int) -> int | None:
    """The length of an axis where it is known at export, else None."""
    known = symbolic_helper._get_tensor_dim_size(value, axis)
    if known is None and value.node().kind() == "onnx::Reshape":
        # Nodes that the exporter's own passes made have no inferred shapes.
        sizes = _known(list(value.node().inputs())[1])
        known = sizes[axis] if sizes is not None and sizes[axis] > 0 else None
    return known


# symgen: _rank 6d888dc2ea092ca6
def _rank(value: _C.Value) -> int:
    """The rank of a tensor; raises where the exporter does not know it."""
    rank = symbolic_helper._get_tensor_rank(value)
    if rank is None:
        raise errors.SymbolicValueError(
            f"the rank of {value.debugName()} is not known at export", value
        )
    return rank


# symgen: _with_shape 2417d253dfe2ae88
def _with_shape(g: jit_utils.GraphContext, x: _C.Value, shape: _C.Value, rank: int) -> _C.Value:
    """The tensor in a shape of that rank, which is counted out; a 0 in it is a length."""
    return g.op("Reshape", x, shape, allowzero_i=1)


# symgen: _put_back b04ebbca972727ad
def _put_back(
    g: jit_utils.GraphContext, x: _C.Value, indices: _C.Value, output_size: _C.Value, axes: int
) -> _C.Value:
    """Zeros with the elements at their places in the plane, or volume, of the last axes."""
    rank = _rank(x)
    batch, plane = (
        g.op(
            "Slice",
            g.op("Shape", x),
            g.op("Constant", value_t=torch.tensor([0])),
            g.op("Constant", value_t=torch.tensor([rank - axes], dtype=torch.int64)),
        ),
        g.op(
            "Slice",
            g.op("Shape", x),
            g.op("Constant", value_t=torch.tensor([rank - axes], dtype=torch.int64)),
            g.op("Constant", value_t=torch.tensor([rank], dtype=torch.int64)),
        ),
    )
    # Counted here, as a model cannot infer it where there are no elements.
    flat = g.op("Concat", batch, g.op("ReduceProd", plane, axes_i=[0], keepdims_i=1), axis_i=0)
    sizes = _ints(g, output_size)
    if 0 in [_static_size(x, axis) for axis in range(rank)]:
        return g.op("Expand", _scalar(g, 0, x), g.op("Concat", batch, sizes, axis_i=0))
    whole = g.op("Concat", batch, g.op("ReduceProd", sizes, axes_i=[0], keepdims_i=1), axis_i=0)
    zeros = g.op("Expand", _scalar(g, 0, x), whole)
    places, elements = [_with_shape(g, part, flat, rank - axes + 1) for part in (indices, x)]
    planes = g.op("ScatterElements", zeros, places, elements, axis_i=rank - axes)
    return _with_shape(g, planes, g.op("Concat", batch, sizes, axis_i=0), rank)


# symgen: aten::max_unpool2d ab58bb155beafb43
@_onnx_symbolic("aten::max_unpool2d")
@symbolic_helper.parse_args("v", "v", "v")
def max_unpool2d(
    g: jit_utils.GraphContext, input: _C.Value, indices: _C.Value, output_size: _C.Value
) -> _C.Value:
    """max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor

    Zeros with the largest elements at the places where they came from
    """
    return _put_back(g, input, indices, output_size, 2)
