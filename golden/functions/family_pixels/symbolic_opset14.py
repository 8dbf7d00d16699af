"""ONNX symbolic functions, right from opset 14 on."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
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

__all__ = ["pixel_unshuffle"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=14, custom=True)


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


# symgen: _rank 6d888dc2ea092ca6
def _rank(value: _C.Value) -> int:
    """The rank of a tensor; raises where the exporter does not know it."""
    rank = symbolic_helper._get_tensor_rank(value)
    if rank is None:
        raise errors.SymbolicValueError(
            f"the rank of {value.debugName()} is not known at export", value
        )
    return rank


# symgen: _is_empty 24d4232cc64f15d7
def _is_empty(g: jit_utils.GraphContext, x: _C.Value) -> bool:
    """Whether an axis is known to have no elements, also where the others are dynamic."""
    return 0 in [_static_size(x, axis) for axis in range(_rank(x))]


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


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


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _nothing fc92b5f205330fa7
def _nothing(g: jit_utils.GraphContext, shape: _C.Value, dtype: torch.dtype) -> _C.Value:
    """A tensor without elements: where a length is 0, shape operators take it for another's."""
    return g.op("ConstantOfShape", shape, value_t=torch.tensor([0], dtype=dtype))


# symgen: _rearranged 754ee99e6c37a5fe
def _rearranged(
    g: jit_utils.GraphContext,
    x: _C.Value,
    apart: Sequence[_C.Value],
    order: list[int],
    shape: Sequence[_C.Value],
) -> _C.Value:
    """The elements in one shape, its axes in another order, and then in the last shape."""
    if _is_empty(g, x):
        return _nothing(g, _ints(g, shape), _dtype(x))
    moved = g.op("Transpose", g.op("Reshape", x, _ints(g, apart), allowzero_i=1), perm_i=order)
    return g.op("Reshape", moved, _ints(g, shape), allowzero_i=1)


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


# symgen: _inner_place 625c94b8c9709dcd
def _inner_place(g: jit_utils.GraphContext, x: _C.Value, axis: int, factor: int) -> _C.Value:
    """That part of the length of an axis."""
    length = _static_size(x, axis)
    return (
        g.op(
            "Div",
            _size(g, x, axis),
            g.op("Constant", value_t=torch.tensor(factor, dtype=torch.int64)),
        )
        if length is None
        else length // factor
    )


# symgen: _times 6b8ab7d933e2e0a5
def _times(g: jit_utils.GraphContext, x: _C.Value, axis: int, factor: int) -> _C.Value:
    """So many times the length of an axis."""
    length = _static_size(x, axis)
    return (
        g.op(
            "Mul",
            _size(g, x, axis),
            g.op("Constant", value_t=torch.tensor(factor, dtype=torch.int64)),
        )
        if length is None
        else length * factor
    )


# symgen: aten::pixel_unshuffle 1dd0e5b469a3b7c8
@_onnx_symbolic("aten::pixel_unshuffle")
@symbolic_helper.parse_args("v", "i")
def pixel_unshuffle(g: jit_utils.GraphContext, input: _C.Value, downscale_factor: int) -> _C.Value:
    """pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor

    A channel makes r² of them, one for each place in squares of r rows of r
    """
    r, rank = downscale_factor, _rank(input)
    lead = [_size(g, input, axis) for axis in range(rank - 3)]
    height, width = [_inner_place(g, input, rank + k, r) for k in (-2, -1)]
    order = [*range(rank - 3), *[rank - 3 + place for place in (0, 2, 4, 1, 3)]]
    apart = [*lead, _size(g, input, rank - 3), height, r, width, r]
    return _rearranged(
        g, input, apart, order, [*lead, _times(g, input, rank - 3, r * r), height, width]
    )
