"""ONNX symbolic functions, right from opset 9 on."""

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

__all__ = ["affine_grid_generator"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)


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


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _points_between 87e0d232a687fbff
def _points_between(g: jit_utils.GraphContext, length: int, align_corners: bool) -> list[float]:
    """Points from −1 to 1: the middles of as many cells, or from the first corner to the last."""
    if align_corners:
        return [2.0 * place / (length - 1) - 1.0 if length > 1 else 0.0 for place in range(length)]
    return [(2.0 * place + 1.0) / length - 1.0 for place in range(length)]


# symgen: _points_of_grid 669c8b02d36fd727
def _points_of_grid(
    g: jit_utils.GraphContext, lengths: Sequence[_C.Value], align_corners: bool
) -> _C.Value:
    """The points (x, y, 1) or (x, y, z, 1) of a grid of which only the model knows the lengths, in float64."""
    raise errors.SymbolicValueError(
        "affine_grid_generator: size has to be known at export below opset 11, which has Range",
        lengths[0],
    )


# symgen: aten::affine_grid_generator 4070dfef6f2d1cc2
@_onnx_symbolic("aten::affine_grid_generator")
@symbolic_helper.parse_args("v", "v", "b")
def affine_grid_generator(
    g: jit_utils.GraphContext, theta: _C.Value, size: _C.Value, align_corners: bool
) -> _C.Value:
    """affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor

    Each matrix times the points (x, y, 1) or (x, y, z, 1) of a grid
    """
    dtype = _dtype(theta)
    if dtype == torch.uint8:
        raise errors.SymbolicValueError("affine_grid_generator: a grid has points below 0", theta)
    if not dtype.is_floating_point:
        theta = _cast(g, theta, torch.int64)
    given = _known(size)
    lengths = (symbolic_helper._unpack_list(size) if given is None else given)[2:]
    known = [_known(length) for length in lengths]
    if None in known:
        points = _cast_like(
            g, _points_of_grid(g, [_ints(g, length) for length in lengths], align_corners), theta
        )
        moved = g.op("MatMul", points, g.op("Transpose", theta, perm_i=[0, 2, 1]))
        return g.op(
            "Reshape",
            _cast(g, moved, dtype),
            _ints(g, [_size(g, theta, 0), *lengths, len(lengths)]),
        )
    lines = [_points_between(g, length, align_corners) for length in known]
    if len(lines) == 2:
        points = [[x, y, 1.0] for y in lines[0] for x in lines[1]]
    else:
        points = [[x, y, z, 1.0] for z in lines[0] for y in lines[1] for x in lines[2]]
    moved = g.op("MatMul", _scalar(g, points, theta), g.op("Transpose", theta, perm_i=[0, 2, 1]))
    return g.op(
        "Reshape", _cast(g, moved, dtype), _ints(g, [_size(g, theta, 0), *known, len(lines)])
    )
