"""ONNX symbolic functions, right from opset 11 on."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import _C, _prims_common
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import (
    _type_utils,
    jit_utils,
    registration,
    symbolic_helper,
)

__all__ = ["avg_pool1d"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=11, custom=True)


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


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _summed_exactly 8dfc716a1916a018
def _summed_exactly(g: jit_utils.GraphContext, x: _C.Value, axes: list[int]) -> _C.Value:
    """The sum over some axes, which stay with length 1.

    Of int64 it is a product with ones: the runtime's own sum loses digits beyond 2⁵³,
    and stops at the largest number where torch's runs over
    (microsoft/onnxruntime#28743).
    """
    if _dtype(x) != torch.int64:
        return symbolic_helper._reducesum_helper(g, x, axes_i=axes, keepdims_i=1)
    rank, total = _rank(x), x
    for axis in [place % rank for place in axes]:
        turned = [rank - 1 if k == axis else axis if k == rank - 1 else k for k in range(rank)]
        shape = g.op(
            "Concat", _size(g, x, axis), g.op("Constant", value_t=torch.tensor([1])), axis_i=0
        )
        ones = g.op("ConstantOfShape", shape, value_t=torch.tensor([1]))
        if axis == rank - 1:
            total = g.op("MatMul", total, ones)
        else:
            total = g.op(
                "Transpose",
                g.op("MatMul", g.op("Transpose", total, perm_i=turned), ones),
                perm_i=turned,
            )
    return total


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: _without aa4949e998b5ff7d
def _without(g: jit_utils.GraphContext, x: _C.Value, axes: list[int], keepdim: bool) -> _C.Value:
    """A result that kept the reduced axes, without them unless they are to be kept."""
    return x if keepdim or not axes else symbolic_helper._squeeze_helper(g, x, axes)


# symgen: _whole_sum 33f99d5d33852b45
def _whole_sum(g: jit_utils.GraphContext, x: _C.Value, axes: list[int], keepdim: bool) -> _C.Value:
    """The sum over some axes of whole numbers as int64, which runs over as torch's does."""
    if _dtype(x) in (torch.int32, torch.int64):
        return _without(g, _summed_exactly(g, _cast(g, x, torch.int64), axes), axes, keepdim)
    # Of 16 bits not even 2³⁷ numbers leave double precision.
    return (
        symbolic_helper._reducesum_helper(
            g, _cast(g, x, torch.int64), axes_i=axes, keepdims_i=int(keepdim)
        )
        if axes
        else _cast(g, x, torch.int64)
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


# symgen: _scalar 9451145ccc11ca13
def _scalar(g: jit_utils.GraphContext, number: Any, like: _C.Value) -> _C.Value:
    """A constant of the dtype of `like`, also where that is unknown at export."""
    known = _type_utils.JitScalarType.from_value(like, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        return _cast_like(g, g.op("Constant", value_t=torch.tensor(number)), like)
    return g.op("Constant", value_t=torch.tensor(number, dtype=known.dtype()))


# symgen: _taken_along 248e5cdad6c7d473
def _taken_along(g: jit_utils.GraphContext, x: _C.Value, axis: int, places: _C.Value) -> _C.Value:
    """The elements at those places of an axis, in whose stead the two axes of the places are; 0 beyond its ends."""
    # 1 for a place that has an element, else 0.
    inside = _cast(
        g,
        g.op(
            "And",
            g.op("Greater", places, _scalar(g, -1, places)),
            g.op("Less", places, _size(g, x, axis)),
        ),
        torch.int64,
    )
    others = [other for other in range(_rank(x) + 1) if other not in (axis, axis + 1)]
    return g.op(
        "Mul",
        g.op("Gather", x, g.op("Mul", places, inside), axis_i=axis),
        symbolic_helper._unsqueeze_helper(g, inside, others),
    )


# symgen: _windows_taken 69deab2595e7fd05
def _windows_taken(g: jit_utils.GraphContext, x: _C.Value, places: Sequence[_C.Value]) -> _C.Value:
    """The windows over the last axes: (batch, channels, places in a window …, windows …) of int64."""
    axes = len(places)
    windows = _cast(g, x, torch.int64)
    for axis in reversed(range(axes)):
        windows = _taken_along(g, windows, axis + 2, places[axis])
    inside = [2 + 2 * axis for axis in range(axes)]
    return g.op("Transpose", windows, perm_i=[0, 1, *inside, *[axis + 1 for axis in inside]])


# symgen: _counted_to 38b918ac41b468e1
def _counted_to(g: jit_utils.GraphContext, length: _C.Value) -> _C.Value:
    """0, 1 … length − 1 as a row; `length` is one int64 element."""
    return g.op("NonZero", g.op("ConstantOfShape", length, value_t=torch.tensor([1])))


# symgen: _starts_of_windows 0e7e718e587ad404
def _starts_of_windows(
    g: jit_utils.GraphContext,
    x: _C.Value,
    axis: int,
    reach: _C.Value,
    stride: int,
    front: int,
    behind: _C.Value,
) -> _C.Value:
    """A row of where each window along an axis starts, below 0 in the padding; its last place is `reach` behind."""
    room = g.op(
        "Sub",
        g.op(
            "Sub",
            g.op(
                "Add",
                g.op("Add", _size(g, x, axis), behind),
                g.op("Constant", value_t=torch.tensor(front, dtype=torch.int64)),
            ),
            reach,
        ),
        g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
    )
    return g.op(
        "Sub",
        g.op(
            "Mul",
            _counted_to(
                g,
                g.op(
                    "Div",
                    g.op(
                        "Add",
                        room,
                        g.op("Constant", value_t=torch.tensor(stride, dtype=torch.int64)),
                    ),
                    g.op("Constant", value_t=torch.tensor([stride], dtype=torch.int64)),
                ),
            ),
            g.op("Constant", value_t=torch.tensor(stride, dtype=torch.int64)),
        ),
        g.op("Constant", value_t=torch.tensor(front, dtype=torch.int64)),
    )


# symgen: _larger_of 4a3a680c3802dbe9
def _larger_of(g: jit_utils.GraphContext, a: _C.Value, b: _C.Value) -> _C.Value:
    """The larger of two tensors, nan passed on (Max takes integers from opset 12 on)."""
    if _dtype(a).is_floating_point:
        return g.op("Max", a, b)
    return g.op("Where", g.op("Greater", a, b), a, b)


# symgen: _places_within e20ee8b5a592b9b8
def _places_within(g: jit_utils.GraphContext, kernel: _C.Value, dilation: int) -> _C.Value:
    """How far the places in a window stand behind its start, as a column."""
    return g.op(
        "Mul",
        g.op("Transpose", _counted_to(g, kernel), perm_i=[1, 0]),
        g.op("Constant", value_t=torch.tensor(dilation, dtype=torch.int64)),
    )


# symgen: _smaller_of 61321cb84fb467ef
def _smaller_of(g: jit_utils.GraphContext, a: _C.Value, b: _C.Value) -> _C.Value:
    """The smaller of two tensors, nan passed on (Min takes integers from opset 12 on)."""
    if _dtype(a).is_floating_point:
        return g.op("Min", a, b)
    return g.op("Where", g.op("Less", a, b), a, b)


# symgen: _whole_averages 0aedd3a2910d080c
def _whole_averages(
    g: jit_utils.GraphContext,
    x: _C.Value,
    kernel: list[int],
    stride: list[int],
    padding: list[int],
    behind: _C.Value,
    counts_padding: bool,
    divisor: int,
) -> _C.Value:
    """Sums over windows of whole numbers, divided towards 0 by what each window holds or by the divisor.

    `behind` says for each axis how far the last windows may reach beyond the padding,
    where they hold nothing.
    """
    axes = len(kernel)
    places, held = [], g.op("Constant", value_t=torch.tensor([1]))
    for axis in range(axes):
        length, pad = _size(g, x, axis + 2), padding[axis]
        room = g.op(
            "Add",
            g.op(
                "Slice",
                behind,
                g.op("Constant", value_t=torch.tensor([axis], dtype=torch.int64)),
                g.op("Constant", value_t=torch.tensor([axis + 1], dtype=torch.int64)),
            ),
            _scalar(g, pad, behind),
        )
        starts = _starts_of_windows(
            g,
            x,
            axis + 2,
            g.op("Constant", value_t=torch.tensor([kernel[axis] - 1], dtype=torch.int64)),
            stride[axis],
            pad,
            room,
        )
        places.append(
            g.op(
                "Add",
                starts,
                _places_within(
                    g, g.op("Constant", value_t=torch.tensor([kernel[axis]], dtype=torch.int64)), 1
                ),
            )
        )
        first, end = (
            (
                starts,
                g.op("Add", length, g.op("Constant", value_t=torch.tensor(pad, dtype=torch.int64))),
            )
            if counts_padding
            else (_larger_of(g, starts, g.op("Constant", value_t=torch.tensor([0]))), length)
        )
        number = symbolic_helper._squeeze_helper(
            g,
            g.op(
                "Sub",
                _smaller_of(
                    g,
                    g.op(
                        "Add",
                        starts,
                        g.op("Constant", value_t=torch.tensor(kernel[axis], dtype=torch.int64)),
                    ),
                    end,
                ),
                first,
            ),
            [0],
        )
        later = list(range(1, axes - axis))
        held = g.op(
            "Mul", held, symbolic_helper._unsqueeze_helper(g, number, later) if later else number
        )
    sums = _whole_sum(g, _windows_taken(g, x, places), list(range(2, axes + 2)), False)
    return g.op(
        "Div",
        sums,
        g.op("Constant", value_t=torch.tensor([divisor], dtype=torch.int64)) if divisor else held,
    )


# symgen: _room_behind 19dbaef343a3be72
def _room_behind(
    g: jit_utils.GraphContext, x: _C.Value, kernel: list[int], stride: list[int], padding: list[int]
) -> _C.Value:
    """How many places behind the padding the last windows reach, for each of the last axes, as int64.

    The last window must start inside the tensor or its padding in front, so that there
    may be none of them.
    """
    rank = _rank(x)
    sizes = g.op(
        "Slice",
        g.op("Shape", x),
        g.op("Constant", value_t=torch.tensor([rank - len(kernel)], dtype=torch.int64)),
        g.op("Constant", value_t=torch.tensor([rank], dtype=torch.int64)),
    )
    strides = g.op("Constant", value_t=torch.tensor(stride, dtype=torch.int64))
    padded = g.op(
        "Add",
        sizes,
        g.op(
            "Constant", value_t=torch.tensor([2 * amount for amount in padding], dtype=torch.int64)
        ),
    )
    room = g.op("Sub", padded, g.op("Constant", value_t=torch.tensor(kernel, dtype=torch.int64)))
    # ⌈room / stride⌉ windows follow the first; the last is dropped where it starts in the padding behind.
    following = g.op(
        "Div",
        g.op(
            "Sub",
            g.op("Add", room, strides),
            g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
        ),
        strides,
    )
    starts_behind = g.op(
        "Not",
        g.op(
            "Less",
            g.op("Mul", following, strides),
            g.op("Add", sizes, g.op("Constant", value_t=torch.tensor(padding, dtype=torch.int64))),
        ),
    )
    following = g.op("Sub", following, _cast(g, starts_behind, torch.int64))
    missing = g.op("Sub", g.op("Mul", following, strides), room)
    return _larger_of(g, missing, g.op("Constant", value_t=torch.tensor([0])))


# symgen: _average_with_partial_windows 48414afd6961b788
def _average_with_partial_windows(
    g: jit_utils.GraphContext,
    x: _C.Value,
    kernel: list[int],
    stride: list[int],
    padding: list[int],
    counts_padding: bool,
    divisor: int,
) -> _C.Value:
    """Averages over windows of which the last may reach beyond the padding.

    What lies beyond is no part of a window, so that sums are divided by what each
    window holds, or by the divisor.
    """
    axes, rank = len(kernel), _rank(x)
    nothing = [0] * (rank - axes)
    behind = _room_behind(g, x, kernel, stride, padding)
    front = g.op(
        "Constant",
        value_t=torch.tensor([*nothing, *padding, *nothing, *padding], dtype=torch.int64),
    )
    beyond = g.op(
        "Concat",
        g.op("Constant", value_t=torch.tensor([0] * (2 * rank - axes), dtype=torch.int64)),
        behind,
        axis_i=0,
    )
    zero = _scalar(g, 0.0, x)
    padded = g.op("Pad", g.op("Pad", x, front, zero), beyond, zero)
    mean = g.op("AveragePool", padded, kernel_shape_i=kernel, strides_i=stride)
    if divisor:
        return g.op("Mul", mean, _scalar(g, math.prod(kernel) / divisor, mean))
    one = _scalar(g, 1.0, x)
    ones = g.op("Expand", one, g.op("Shape", x))
    counted = g.op("Pad", g.op("Pad", ones, front, one if counts_padding else zero), beyond, zero)
    return g.op("Div", mean, g.op("AveragePool", counted, kernel_shape_i=kernel, strides_i=stride))


# symgen: _average_with_known_room 3107b80c50175638
def _average_with_known_room(
    g: jit_utils.GraphContext,
    x: _C.Value,
    kernel: list[int],
    stride: list[int],
    padding: list[int],
    behind: list[int],
    counts_padding: bool,
    divisor: int,
) -> _C.Value:
    """Averages over windows, the last of which reach beyond the padding by `behind`, a number for each axis."""
    axes, ends = len(kernel), [pad + further for pad, further in zip(padding, behind, strict=True)]
    if divisor:
        sums = g.op(
            "AveragePool",
            x,
            kernel_shape_i=kernel,
            strides_i=stride,
            pads_i=[*padding, *ends],
            count_include_pad_i=1,
        )
        return g.op("Mul", sums, _scalar(g, math.prod(kernel) / divisor, sums))
    if counts_padding and padding != [0] * axes:
        nothing = [0] * (_rank(x) - axes)
        padded = g.op(
            "Pad",
            x,
            g.op(
                "Constant",
                value_t=torch.tensor([*nothing, *padding, *nothing, *padding], dtype=torch.int64),
            ),
            _scalar(g, 0.0, x),
        )
        return g.op(
            "AveragePool",
            padded,
            kernel_shape_i=kernel,
            strides_i=stride,
            pads_i=[0] * axes + behind,
        )
    return g.op("AveragePool", x, kernel_shape_i=kernel, strides_i=stride, pads_i=[*padding, *ends])


# symgen: _known_room_behind 4de9660d34ddc6f6
def _known_room_behind(
    g: jit_utils.GraphContext, x: _C.Value, kernel: list[int], stride: list[int], padding: list[int]
) -> list[int] | None:
    """The room behind as numbers, one for each axis; None where only the model knows how long one of them is."""
    axes, behind = len(kernel), []
    for axis in range(axes):
        size = _static_size(x, axis - axes)
        if size is None:
            return None
        room = size + 2 * padding[axis] - kernel[axis]
        following = (room + stride[axis] - 1) // stride[axis]
        if following * stride[axis] >= size + padding[axis]:
            following = following - 1
        missing = following * stride[axis] - room
        behind.append(missing if missing > 0 else 0)
    return behind


# symgen: _for_each_axis 942ffa2d58335012
def _for_each_axis(g: jit_utils.GraphContext, values: list[int], axes: int) -> list[int]:
    """One number for every axis, from one for all or from one for each."""
    return [values[0]] * axes if len(values) == 1 else list(values)


# symgen: _average_pool bade570bd0c33b07
def _average_pool(
    g: jit_utils.GraphContext,
    x: _C.Value,
    kernel_size: list[int],
    stride: list[int],
    padding: list[int],
    axes: int,
    ceil_mode: bool,
    counts_padding: bool,
    divisor: int,
) -> _C.Value:
    """Averages over windows along the last axes, of a tensor with or without a batch axis."""
    kernel = _for_each_axis(g, kernel_size, axes)
    steps = _for_each_axis(g, stride, axes) if stride else kernel
    pads = _for_each_axis(g, padding, axes)
    batched = symbolic_helper._unsqueeze_helper(g, x, [0]) if _rank(x) == axes + 1 else x
    behind = _known_room_behind(g, batched, kernel, steps, pads) if ceil_mode else [0] * axes
    if not _dtype(x).is_floating_point:
        room = (
            _room_behind(g, batched, kernel, steps, pads)
            if behind is None
            else g.op("Constant", value_t=torch.tensor(behind, dtype=torch.int64))
        )
        mean = _cast_like(
            g, _whole_averages(g, batched, kernel, steps, pads, room, counts_padding, divisor), x
        )
    elif behind is None:
        mean = _average_with_partial_windows(
            g, batched, kernel, steps, pads, counts_padding, divisor
        )
    elif behind != [0] * axes:
        mean = _average_with_known_room(
            g, batched, kernel, steps, pads, behind, counts_padding, divisor
        )
    else:
        counts = int(counts_padding or divisor != 0)
        mean = g.op(
            "AveragePool",
            batched,
            kernel_shape_i=kernel,
            strides_i=steps,
            pads_i=pads + pads,
            count_include_pad_i=counts,
        )
        if divisor:
            mean = g.op("Mul", mean, _scalar(g, math.prod(kernel) / divisor, mean))
    return symbolic_helper._squeeze_helper(g, mean, [0]) if _rank(x) == axes + 1 else mean


# symgen: _stand_in 87d9265a9ee6e3b4
def _stand_in(value: _C.Value) -> Any:
    """What counts for promotion: a Python number for a constant that was one, else a tensor of the dtype and rank."""
    dtype = _dtype(value)
    rank = symbolic_helper._get_tensor_rank(value)
    if rank == 0 and value.node().kind() == "onnx::Constant":
        # The exporter turns Python numbers into constants of the widest dtype.
        number = {torch.float64: 1.0, torch.int64: 1, torch.bool: True}.get(dtype)
        if number is not None:
            return number
    return torch.empty((1,) * (1 if rank is None else rank), dtype=dtype, device="meta")


# symgen: _common_dtype f9b4d831f9ab90b3
def _common_dtype(values: Sequence[Any], kind: str) -> torch.dtype:
    """The dtype to which eager PyTorch casts the arguments."""
    tensors = [
        tensor for value in values for tensor in (value if isinstance(value, list) else [value])
    ]
    if kind == "BY_DTYPE":
        return functools.reduce(torch.promote_types, [_dtype(tensor) for tensor in tensors])
    stand_ins = [_stand_in(tensor) for tensor in tensors if not symbolic_helper._is_none(tensor)]
    rule = kind if kind in ("INT_TO_FLOAT", "BOOL_TO_LONG") else "DEFAULT"
    kinds = _prims_common.ELEMENTWISE_TYPE_PROMOTION_KIND
    return _prims_common.elementwise_dtypes(*stand_ins, type_promotion_kind=kinds[rule])[1]


# symgen: _result_dtypes 4412215f334896e2
def _result_dtypes(
    values: Sequence[Any], kind: str, widen: bool, precise: bool = False
) -> tuple[torch.dtype, torch.dtype]:
    """The dtype to compute in and the dtype of the result, by PyTorch's own promotion."""
    if kind == "DOUBLE":
        return torch.float64, torch.float64
    common = _common_dtype(values, kind)
    if kind == "COMMON":
        return common, common
    result = (
        torch.bool
        if kind == "ALWAYS_BOOL"
        else _dtype(values[0])
        if kind == "LIKE_FIRST"
        else common
    )
    if precise and common.is_floating_point:
        return torch.float64, result
    # Few ONNX operators take bfloat16, and few integers of less than 32 bits.
    if common == torch.bfloat16 or (common == torch.float16 and widen):
        return torch.float32, result
    if common in (torch.bool, torch.uint8, torch.int8, torch.int16):
        return torch.int32, result
    return common, result


# symgen: _as_float 0538c9471ff7f181
def _as_float(g: jit_utils.GraphContext, value: _C.Value) -> _C.Value:
    """A tensor of whole numbers or bools in float32; any other as it is."""
    return value if _dtype(value).is_floating_point else _cast(g, value, torch.float32)


# symgen: _cast_all a39edfd3acb89e95
def _cast_all(g: jit_utils.GraphContext, value: Any, dtype: torch.dtype) -> Any:
    """Cast a tensor, or each tensor of a list; an absent one stays absent."""
    if isinstance(value, list):
        return [_cast(g, element, dtype) for element in value]
    return value if symbolic_helper._is_none(value) else _cast(g, value, dtype)


# symgen: _cast_back fa3185a9c5cc60f2
def _cast_back(
    g: jit_utils.GraphContext, output: Any, compute: torch.dtype, result: torch.dtype
) -> Any:
    """Cast what was computed to the dtype of the result; an output of another dtype (indices, a mask) stays."""
    if isinstance(output, list):
        return [_cast_back(g, element, compute, result) for element in output]
    if symbolic_helper._is_packed_list(output):
        elements = _cast_back(g, symbolic_helper._unpack_list(output), compute, result)
        return g.op("prim::ListConstruct", *elements)
    actual = _type_utils.JitScalarType.from_value(output, _type_utils.JitScalarType.UNDEFINED)
    if actual == _type_utils.JitScalarType.UNDEFINED or actual.dtype() == compute:
        return _cast(g, output, result)
    return output


# symgen: _keeping_double ea72d6f96587264a
def _keeping_double(g: jit_utils.GraphContext) -> jit_utils.GraphContext:
    """The context, but in which 0-d float64 stays what it is: the exporter takes it for a Python number of float32."""

    def dtypes_of(values: Sequence[Any]) -> set[str]:
        return {value.type().scalarType() for value in values if isinstance(value, _C.Value)} - {
            "Bool"
        }

    class Context(jit_utils.GraphContext):
        def op(self, opname: str, *raw_args: Any, outputs: int = 1, **kwargs: Any) -> Any:
            is_double = dtypes_of(raw_args) == {"Double"}
            if is_double and opname in (
                "Equal",
                "Greater",
                "Less",
                "GreaterOrEqual",
                "LessOrEqual",
            ):
                if all(symbolic_helper._get_tensor_rank(value) == 0 for value in raw_args):
                    first = symbolic_helper._unsqueeze_helper(self, raw_args[0], [0])
                    return symbolic_helper._squeeze_helper(
                        self, super().op(opname, first, raw_args[1]), [0]
                    )
            result = super().op(opname, *raw_args, outputs=outputs, **kwargs)
            if is_double and opname in (
                "Add",
                "Sub",
                "Mul",
                "Div",
                "Pow",
                "Mod",
                "Max",
                "Min",
                "Where",
                "Sum",
            ):
                result.setType(result.type().with_dtype(torch.float64))
            return result

    return Context(**{field.name: getattr(g, field.name) for field in dataclasses.fields(g)})


# symgen: _unpacked b814708eb7f41339
def _unpacked(value: Any) -> Any:
    """The tensors of a list; any other value as it is."""
    is_list = isinstance(value, _C.Value) and symbolic_helper._is_packed_list(value)
    return symbolic_helper._unpack_list(value) if is_list else value


# symgen: _promoted 8a0bc3373a986882
def _promoted(
    *names: str,
    kind: str = "DEFAULT",
    widen: bool = True,
    precise: bool = False,
    as_float: Sequence[str] = (),
    unrounded: Sequence[str] = (),
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Cast the named arguments to their common dtype, as eager PyTorch promotes them, and the results back.

    With `widen`, half precision is computed in float32, with `precise` all floating point in float64. Integers that
    ONNX operators do not take, and bool, are computed in int32. Whole numbers in `as_float` count as float32. Numbers
    and 0-d tensors in `unrounded` meet half precision as they are.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        parameters = list(inspect.signature(function).parameters)[1:]
        positions = [parameters.index(name) for name in names]

        @functools.wraps(function)
        def wrapper(g: jit_utils.GraphContext, *args: Any, **kwargs: Any) -> Any:
            present = [position for position in positions if position < len(args)]
            cast = [
                _unpacked(value) if position in positions else value
                for position, value in enumerate(args)
            ]
            for position in map(parameters.index, as_float):
                cast[position] = _as_float(g, cast[position])
            values = [cast[position] for position in present]
            compute, result = _result_dtypes(values, kind, widen, precise)
            common = compute if kind == "DOUBLE" else _common_dtype(values, kind)
            for position in present:
                is_kept = parameters[position] in unrounded and compute.is_floating_point
                if not (is_kept and symbolic_helper._get_tensor_rank(cast[position]) == 0):
                    cast[position] = _cast_all(g, cast[position], common)
                cast[position] = _cast_all(g, cast[position], compute)
            outputs = function(
                _keeping_double(g) if compute == torch.float64 else g, *cast, **kwargs
            )
            several = outputs if isinstance(outputs, tuple) else (outputs,)
            several = tuple(_cast_back(g, output, compute, result) for output in several)
            return several if isinstance(outputs, tuple) else several[0]

        return wrapper

    return decorate


# symgen: aten::avg_pool1d 14d9740a38b10a86
@_onnx_symbolic("aten::avg_pool1d")
@symbolic_helper.parse_args("v", "is", "is", "is", "b", "b")
@_promoted("input")
def avg_pool1d(
    g: jit_utils.GraphContext,
    input: _C.Value,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> _C.Value:
    """avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, bool count_include_pad=True) -> Tensor

    The average of each window
    """
    return _average_pool(g, input, kernel_size, stride, padding, 1, ceil_mode, count_include_pad, 0)
