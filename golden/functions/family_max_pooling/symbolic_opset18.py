"""ONNX symbolic functions, right from opset 18 on."""

from __future__ import annotations

import functools
import math
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

__all__ = ["max_pool1d", "max_pool2d_with_indices"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=18, custom=True)


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


# symgen: _lowest_of d322176a838acac6
def _lowest_of(g: jit_utils.GraphContext, dtype: torch.dtype) -> float:
    """The number below all others of a dtype."""
    return -math.inf if dtype.is_floating_point else torch.iinfo(dtype).min


# symgen: _merit_in_window 97ba7115334b4b34
def _merit_in_window(
    g: jit_utils.GraphContext, windows: _C.Value, inside: _C.Value, is_behind: _C.Value, total: int
) -> _C.Value:
    """A rank for each place in a window, in the last axis: the highest for the element that counts as the largest.

    Of a window that holds no element it is the first place which isn't in the padding
    in front of an axis.
    """
    first = g.op(
        "Constant",
        value_t=torch.tensor([float(total - place) for place in range(total)], dtype=torch.float32),
    )
    least = g.op(
        "Where",
        is_behind,
        g.op(
            "Div", first, g.op("Constant", value_t=torch.tensor(total + 1.0, dtype=torch.float32))
        ),
        g.op("Constant", value_t=torch.tensor(0.0, dtype=torch.float32)),
    )
    lowest = _scalar(g, _lowest_of(g, _dtype(windows)), windows)
    if not _dtype(windows).is_floating_point:
        largest = g.op(
            "ReduceMax",
            g.op("Where", inside, windows, lowest),
            g.op("Constant", value_t=torch.tensor([3])),
            keepdims_i=1,
        )
        return g.op("Where", g.op("And", inside, g.op("Equal", windows, largest)), first, least)
    is_nan = g.op("IsNaN", windows)
    known = g.op("Where", g.op("And", inside, g.op("Not", is_nan)), windows, lowest)
    is_largest = g.op(
        "And",
        inside,
        g.op(
            "Equal",
            known,
            g.op("ReduceMax", known, g.op("Constant", value_t=torch.tensor([3])), keepdims_i=1),
        ),
    )
    # Of equal elements the first counts, of several nan the last.
    last = g.op(
        "Constant",
        value_t=torch.tensor(
            [float(total + place + 1) for place in range(total)], dtype=torch.float32
        ),
    )
    return g.op("Where", g.op("And", inside, is_nan), last, g.op("Where", is_largest, first, least))


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


# symgen: _window_places b8c823ebf7020e2f
def _window_places(
    g: jit_utils.GraphContext,
    x: _C.Value,
    axis: int,
    kernel: int,
    stride: int,
    padding: int,
    dilation: int,
    behind: _C.Value,
) -> tuple[_C.Value, ...]:
    """(Where the elements of each window stand along an axis, in the shape [windows, kernel]; the count of windows)."""
    reach = dilation * (kernel - 1) + 1
    count = g.op(
        "Add",
        g.op(
            "Div",
            g.op(
                "Add",
                g.op("Add", _size(g, x, axis), behind),
                g.op("Constant", value_t=torch.tensor(2 * padding - reach, dtype=torch.int64)),
            ),
            g.op("Constant", value_t=torch.tensor(stride, dtype=torch.int64)),
        ),
        g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
    )
    starts = g.op(
        "Sub",
        g.op(
            "Mul",
            g.op(
                "Range",
                g.op("Constant", value_t=torch.tensor(0, dtype=torch.int64)),
                symbolic_helper._squeeze_helper(g, count, [0]),
                g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
            ),
            g.op("Constant", value_t=torch.tensor(stride, dtype=torch.int64)),
        ),
        g.op("Constant", value_t=torch.tensor(padding, dtype=torch.int64)),
    )
    return (
        g.op(
            "Add",
            symbolic_helper._unsqueeze_helper(g, starts, [1]),
            g.op(
                "Constant",
                value_t=torch.tensor(
                    [place * dilation for place in range(kernel)], dtype=torch.int64
                ),
            ),
        ),
        count,
    )


# symgen: _with_shape 2417d253dfe2ae88
def _with_shape(g: jit_utils.GraphContext, x: _C.Value, shape: _C.Value, rank: int) -> _C.Value:
    """The tensor in a shape of that rank, which is counted out; a 0 in it is a length."""
    return g.op("Reshape", x, shape, allowzero_i=1)


# symgen: _largest_elements 32dd9d77e29d7527
def _largest_elements(
    g: jit_utils.GraphContext,
    x: _C.Value,
    kernel: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    behind: _C.Value,
    lowest: float,
) -> tuple[_C.Value, ...]:
    """(The largest element of each window, its place in the line, plane or volume of the last axes).

    `behind` is how many places behind the padding the last windows reach.
    """
    axes = len(kernel)
    places, counts = g.op("Constant", value_t=torch.tensor([0])), []
    inside, is_behind = (
        g.op("Constant", value_t=torch.tensor(True, dtype=torch.bool)),
        g.op("Constant", value_t=torch.tensor(True, dtype=torch.bool)),
    )
    for k in range(axes):
        more = g.op(
            "Slice",
            behind,
            g.op("Constant", value_t=torch.tensor([k], dtype=torch.int64)),
            g.op("Constant", value_t=torch.tensor([k + 1], dtype=torch.int64)),
        )
        along, count = _window_places(
            g, x, k + 2, kernel[k], stride[k], padding[k], dilation[k], more
        )
        counts.append(count)
        along = symbolic_helper._unsqueeze_helper(
            g, along, [axis for axis in range(2 * axes) if axis not in (k, axes + k)]
        )
        length = _size(g, x, k + 2)
        is_behind = g.op("And", is_behind, g.op("Not", g.op("Less", along, _scalar(g, 0, along))))
        inside = g.op("And", inside, g.op("Less", along, length))
        places = g.op("Add", g.op("Mul", places, length), along)
    total = math.prod(kernel)
    places, inside, is_behind = [
        g.op(
            "Reshape", each, g.op("Constant", value_t=torch.tensor([-1, total], dtype=torch.int64))
        )
        for each in (places, g.op("And", inside, is_behind), is_behind)
    ]
    batch, plane = (
        g.op(
            "Slice",
            g.op("Shape", x),
            g.op("Constant", value_t=torch.tensor([0])),
            g.op("Constant", value_t=torch.tensor([2])),
        ),
        g.op(
            "Slice",
            g.op("Shape", x),
            g.op("Constant", value_t=torch.tensor([2])),
            g.op("Constant", value_t=torch.tensor([2 + axes], dtype=torch.int64)),
        ),
    )
    flat = _with_shape(
        g,
        x,
        g.op(
            "Concat",
            batch,
            g.op("ReduceProd", plane, g.op("Constant", value_t=torch.tensor([0])), keepdims_i=1),
            axis_i=0,
        ),
        3,
    )
    windows = g.op(
        "Gather",
        flat,
        g.op("Where", inside, places, g.op("Constant", value_t=torch.tensor(0))),
        axis_i=2,
    )
    place = g.op(
        "ArgMax", _merit_in_window(g, windows, inside, is_behind, total), axis_i=3, keepdims_i=1
    )
    elements = g.op("Where", inside, windows, _scalar(g, lowest, x))
    shape = g.op("Concat", batch, *counts, axis_i=0)
    values, standing = [
        _with_shape(
            g,
            symbolic_helper._squeeze_helper(g, g.op("GatherElements", each, place, axis_i=3), [3]),
            shape,
            2 + axes,
        )
        for each in (elements, g.op("Expand", places, g.op("Shape", windows)))
    ]
    return (values, standing)


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: _comparable fced91474a030c48
def _comparable(g: jit_utils.GraphContext, x: _C.Value) -> _C.Value:
    """The tensor in a dtype that every operator compares."""
    return (
        _cast(g, x, torch.int32)
        if _dtype(x) in (torch.bool, torch.uint8, torch.int8, torch.int16)
        else x
    )


# symgen: _largest_numbers d35269d523f81b5b
def _largest_numbers(
    g: jit_utils.GraphContext,
    x: _C.Value,
    kernel: list[int],
    stride: list[int],
    pads: list[int],
    dilation: list[int],
) -> _C.Value:
    """The largest number of each window, of a floating point tensor."""
    # ONNX Runtime passes over a nan, and takes a window without a finite number for one of the lowest.
    is_nan = g.op("IsNaN", x)
    lowest, one = _scalar(g, -math.inf, x), _scalar(g, 1.0, x)
    rank = g.op(
        "Add",
        g.op("Mul", _cast_like(g, is_nan, x), _scalar(g, 2.0, x)),
        _cast_like(g, g.op("Greater", x, lowest), x),
    )
    numbers = g.op("Where", is_nan, lowest, x)
    largest, highest = [
        g.op(
            "MaxPool",
            each,
            kernel_shape_i=kernel,
            strides_i=stride,
            pads_i=pads,
            dilations_i=dilation,
        )
        for each in (numbers, rank)
    ]
    found = g.op("Where", g.op("Less", highest, one), lowest, largest)
    return g.op("Where", g.op("Greater", highest, one), _scalar(g, math.nan, x), found)


# symgen: _room_behind 387b0b255c3acdd3
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
    return g.op("Max", missing, g.op("Constant", value_t=torch.tensor([0])))


# symgen: _for_each_axis 942ffa2d58335012
def _for_each_axis(g: jit_utils.GraphContext, values: list[int], axes: int) -> list[int]:
    """One number for every axis, from one for all or from one for each."""
    return [values[0]] * axes if len(values) == 1 else list(values)


# symgen: _max_pool 59b42842e3076027
def _max_pool(
    g: jit_utils.GraphContext,
    x: _C.Value,
    kernel_size: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    ceil_mode: bool,
    axes: int,
    with_indices: bool,
) -> _C.Value:
    """The largest element of each window along the last axes, and its place if asked for; with or without a batch."""
    kernel = _for_each_axis(g, kernel_size, axes)
    steps = _for_each_axis(g, stride, axes) if stride else kernel
    pads, apart = _for_each_axis(g, padding, axes), _for_each_axis(g, dilation, axes)
    is_batched = _rank(x) == axes + 2
    batched = x if is_batched else symbolic_helper._unsqueeze_helper(g, x, [0])
    is_half = _dtype(x) in (torch.float16, torch.bfloat16)
    batched = _cast(g, batched, torch.float32) if is_half else _comparable(g, batched)
    reach = [step * (length - 1) + 1 for step, length in zip(apart, kernel, strict=True)]
    behind = (
        _room_behind(g, batched, reach, steps, pads)
        if ceil_mode
        else g.op("Constant", value_t=torch.tensor([0] * axes, dtype=torch.int64))
    )
    if with_indices or not _dtype(x).is_floating_point:
        results = _largest_elements(
            g, batched, kernel, steps, pads, apart, behind, _lowest_of(g, _dtype(x))
        )
    elif ceil_mode:
        beyond = g.op(
            "Concat",
            g.op("Constant", value_t=torch.tensor([0, 0, *pads, 0, 0], dtype=torch.int64)),
            g.op("Add", behind, g.op("Constant", value_t=torch.tensor(pads, dtype=torch.int64))),
            axis_i=0,
        )
        padded = g.op("Pad", batched, beyond, _scalar(g, -math.inf, batched))
        results = [_largest_numbers(g, padded, kernel, steps, [0] * (2 * axes), apart)]
    else:
        results = [_largest_numbers(g, batched, kernel, steps, pads + pads, apart)]
    if not is_batched:
        results = [symbolic_helper._squeeze_helper(g, each, [0]) for each in results]
    values = _cast_like(g, results[0], x)
    return (values, results[1]) if with_indices else values


# symgen: aten::max_pool1d 6ed9bee26cf8d763
@_onnx_symbolic("aten::max_pool1d")
@symbolic_helper.parse_args("v", "is", "is", "is", "is", "b")
def max_pool1d(
    g: jit_utils.GraphContext,
    input: _C.Value,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = 0,
    dilation: Sequence[int] = 1,
    ceil_mode: bool = False,
) -> _C.Value:
    """max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> Tensor

    The largest element of each window
    """
    return _max_pool(g, input, kernel_size, stride, padding, dilation, ceil_mode, 1, False)


# symgen: aten::max_pool2d_with_indices 5328d1111534a715
@_onnx_symbolic("aten::max_pool2d_with_indices")
@symbolic_helper.parse_args("v", "is", "is", "is", "is", "b")
def max_pool2d_with_indices(
    g: jit_utils.GraphContext,
    input: _C.Value,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = 0,
    dilation: Sequence[int] = 1,
    ceil_mode: bool = False,
) -> tuple[_C.Value, ...]:
    """max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)

    The largest element of each window, and its place in the plane of the last axes
    """
    return _max_pool(g, input, kernel_size, stride, padding, dilation, ceil_mode, 2, True)
