"""ONNX symbolic functions, right from opset 12 on."""

from __future__ import annotations

import functools
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

__all__ = ["_unsafe_masked_index"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=12, custom=True)


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _is_mask 6f214daa61f4dc78
def _is_mask(g: jit_utils.GraphContext, index: _C.Value) -> bool:
    """Whether an index says of each element whether it is meant, instead of where they are."""
    return _dtype(index) in (torch.bool, torch.uint8)


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


# symgen: _places_of b55dbc0844e87b38
def _places_of(g: jit_utils.GraphContext, indices: Sequence[_C.Value]) -> _C.Value:
    """The places that the indices name, broadcast against each other; along the last axis one number for each axis."""
    given = [index for index in indices if not symbolic_helper._is_none(index)]
    if len(given) == 1 and _is_mask(g, given[0]):
        return g.op("Transpose", g.op("NonZero", given[0]), perm_i=[1, 0])
    parts = []
    for index in given:
        if _is_mask(g, index):
            rows = g.op("NonZero", index)
            parts.extend(
                [
                    g.op(
                        "Gather",
                        rows,
                        g.op("Constant", value_t=torch.tensor(k, dtype=torch.int64)),
                        axis_i=0,
                    )
                    for k in range(_rank(index))
                ]
            )
        else:
            parts.append(_cast(g, index, torch.int64))
    rank = max([_rank(part) for part in parts])
    shapes = [[_static_size(part, axis) for axis in range(_rank(part))] for part in parts]
    if any((None in shape or shape != shapes[0] for shape in shapes)):
        total = parts[0]
        for part in parts[1:]:
            total = g.op("Add", total, part)
        shape = g.op("Shape", total)
        parts = [g.op("Expand", part, shape) for part in parts]
    return g.op(
        "Concat",
        *[symbolic_helper._unsqueeze_helper(g, part, [rank]) for part in parts],
        axis_i=rank,
    )


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


# symgen: _within 7cbce3126a68f976
def _within(g: jit_utils.GraphContext, x: _C.Value, indices: Sequence[_C.Value]) -> list[_C.Value]:
    """The indices moved to the nearest places that there are."""
    bounded = []
    for axis, index in enumerate(indices):
        if symbolic_helper._is_none(index):
            bounded.append(index)
        else:
            last = g.op(
                "Sub",
                _size(g, x, axis),
                g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
            )
            place = _cast(g, index, torch.int64)
            bounded.append(g.op("Max", g.op("Min", place, last), g.op("Neg", _size(g, x, axis))))
    return bounded


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


# symgen: _indexed_axes 7d8eb243e156356d
def _indexed_axes(g: jit_utils.GraphContext, indices: Sequence[_C.Value]) -> list[int]:
    """The axes that the indices stand for; a mask stands for as many as it has."""
    axes, axis = [], 0
    for index in indices:
        if symbolic_helper._is_none(index):
            axis = axis + 1
        elif _is_mask(g, index):
            if _rank(index) == 0:
                raise errors.SymbolicValueError(
                    "an index that is a single bool is not supported", index
                )
            axes.extend(range(axis, axis + _rank(index)))
            axis = axis + _rank(index)
        else:
            axes.append(axis)
            axis = axis + 1
    return axes


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


# symgen: aten::_unsafe_masked_index a5e9cf3fcc0a9967
@_onnx_symbolic("aten::_unsafe_masked_index")
@symbolic_helper.parse_args("v", "v", "v", "f")
def _unsafe_masked_index(
    g: jit_utils.GraphContext, input: _C.Value, mask: _C.Value, indices: _C.Value, fill: float
) -> _C.Value:
    """_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor

    The elements at the places that the indices name, a number where the mask does not
    hold.
    """
    indices = symbolic_helper._unpack_list(indices)
    places = _places_of(g, _within(g, input, indices))
    axes = _indexed_axes(g, indices)
    if axes != list(range(len(axes))):
        raise errors.SymbolicValueError(
            "_unsafe_masked_index: only the first axes can be indexed", input
        )
    found = g.op("GatherND", input, places)
    return _chosen(g, _cast(g, mask, torch.bool), found, _scalar(g, fill, found))
