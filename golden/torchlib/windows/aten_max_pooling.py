"""ONNX translations of PyTorch's operators for its dynamo exporter: max pooling."""

from __future__ import annotations

import collections
import math
from collections.abc import Sequence

import torch
from onnxscript import ir
from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TTensor
from onnxscript.onnx_opset import opset18 as op

from .tracing import _cast, _cast_like, _constant, _dtype, _listed, _rank, _scalar, _size, _traced

__all__ = ["aten_max_pool2d"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: _lowest_of c5f76fc34c69ad79
def _lowest_of(dtype: torch.dtype) -> float:
    """The number below all others of a dtype."""
    return -math.inf if dtype.is_floating_point else torch.iinfo(dtype).min


# symgen: _merit_in_window abc5ca6343da60f3
def _merit_in_window(
    windows: ir.Value, inside: ir.Value, is_behind: ir.Value, total: int
) -> ir.Value:
    """A rank for each place in a window, in the last axis: the highest for the element that counts as the largest.

    Of a window that holds no element it is the first place which isn't in the padding
    in front of an axis.
    """
    first = _constant([float(total - place) for place in range(total)], torch.float32)
    least = op.Where(is_behind, op.Div(first, total + 1.0), _constant(0.0, torch.float32))
    lowest = _scalar(_lowest_of(_dtype(windows)), windows)
    if not _dtype(windows).is_floating_point:
        largest = op.ReduceMax(op.Where(inside, windows, lowest), [3], keepdims=1)
        return op.Where(op.And(inside, op.Equal(windows, largest)), first, least)
    is_nan = op.IsNaN(windows)
    known = op.Where(op.And(inside, op.Not(is_nan)), windows, lowest)
    is_largest = op.And(inside, op.Equal(known, op.ReduceMax(known, [3], keepdims=1)))
    # Of equal elements the first counts, of several nan the last.
    last = _constant([float(total + place + 1) for place in range(total)], torch.float32)
    return op.Where(op.And(inside, is_nan), last, op.Where(is_largest, first, least))


# symgen: _window_places 6c295de33a6c7fbc
def _window_places(
    x: ir.Value, axis: int, kernel: int, stride: int, padding: int, dilation: int, behind: ir.Value
) -> tuple[ir.Value, ...]:
    """(Where the elements of each window stand along an axis, in the shape [windows, kernel]; the count of windows)."""
    reach = dilation * (kernel - 1) + 1
    count = op.Add(op.Div(op.Add(op.Add(_size(x, axis), behind), 2 * padding - reach), stride), 1)
    starts = op.Sub(op.Mul(op.Range(0, op.Squeeze(count, [0]), 1), stride), padding)
    return (
        op.Add(
            op.Unsqueeze(starts, [1]),
            _constant([place * dilation for place in range(kernel)], torch.int64),
        ),
        count,
    )


# symgen: _with_shape 2593ee09b35f5130
def _with_shape(x: ir.Value, shape: ir.Value, rank: int) -> ir.Value:
    """The tensor in a shape of that rank, which is counted out; a 0 in it is a length."""
    return op.Reshape(x, shape, allowzero=1)


# symgen: _largest_elements db7576bf287b1550
def _largest_elements(
    x: ir.Value,
    kernel: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    behind: ir.Value,
    lowest: float,
) -> tuple[ir.Value, ...]:
    """(The largest element of each window, its place in the line, plane or volume of the last axes).

    `behind` is how many places behind the padding the last windows reach.
    """
    axes = len(kernel)
    places, counts = _constant([0], torch.int64), []
    inside, is_behind = _constant(True, torch.bool), _constant(True, torch.bool)
    for k in range(axes):
        more = op.Slice(behind, [k], [k + 1])
        along, count = _window_places(x, k + 2, kernel[k], stride[k], padding[k], dilation[k], more)
        counts.append(count)
        along = op.Unsqueeze(along, [axis for axis in range(2 * axes) if axis not in (k, axes + k)])
        length = _size(x, k + 2)
        is_behind = op.And(is_behind, op.Not(op.Less(along, 0)))
        inside = op.And(inside, op.Less(along, length))
        places = op.Add(op.Mul(places, length), along)
    total = math.prod(kernel)
    places, inside, is_behind = [
        op.Reshape(each, [-1, total]) for each in (places, op.And(inside, is_behind), is_behind)
    ]
    batch, plane = op.Slice(op.Shape(x), [0], [2]), op.Slice(op.Shape(x), [2], [2 + axes])
    flat = _with_shape(x, op.Concat(batch, op.ReduceProd(plane, [0], keepdims=1), axis=0), 3)
    windows = op.Gather(flat, op.Where(inside, places, _constant(0, torch.int64)), axis=2)
    place = op.ArgMax(_merit_in_window(windows, inside, is_behind, total), axis=3, keepdims=1)
    elements = op.Where(inside, windows, _scalar(lowest, x))
    shape = op.Concat(batch, *counts, axis=0)
    values, standing = [
        _with_shape(op.Squeeze(op.GatherElements(each, place, axis=3), [3]), shape, 2 + axes)
        for each in (elements, op.Expand(places, op.Shape(windows)))
    ]
    return (values, standing)


# symgen: _comparable 2a09006afc745277
def _comparable(x: ir.Value) -> ir.Value:
    """The tensor in a dtype that every operator compares."""
    return (
        _cast(x, torch.int32)
        if _dtype(x) in (torch.bool, torch.uint8, torch.int8, torch.int16)
        else x
    )


# symgen: _for_each_axis 3520a04425563a63
def _for_each_axis(values: list[int], axes: int) -> list[int]:
    """One number for every axis, from one for all or from one for each."""
    return [values[0]] * axes if len(values) == 1 else list(values)


# symgen: _largest_numbers 8f87ad9038ce9fb8
def _largest_numbers(
    x: ir.Value, kernel: list[int], stride: list[int], pads: list[int], dilation: list[int]
) -> ir.Value:
    """The largest number of each window, of a floating point tensor."""
    # ONNX Runtime passes over a nan, and takes a window without a finite number for one of the lowest.
    is_nan = op.IsNaN(x)
    lowest, one = _scalar(-math.inf, x), _scalar(1.0, x)
    rank = op.Add(op.Mul(_cast_like(is_nan, x), 2.0), _cast_like(op.Greater(x, lowest), x))
    numbers = op.Where(is_nan, lowest, x)
    largest, highest = [
        _listed(
            op.MaxPool(each, kernel_shape=kernel, strides=stride, pads=pads, dilations=dilation)
        )[0]
        for each in (numbers, rank)
    ]
    found = op.Where(op.Less(highest, one), lowest, largest)
    return op.Where(op.Greater(highest, one), _scalar(math.nan, x), found)


# symgen: _room_behind 82b0103fa6008f27
def _room_behind(x: ir.Value, kernel: list[int], stride: list[int], padding: list[int]) -> ir.Value:
    """How many places behind the padding the last windows reach, for each of the last axes, as int64.

    The last window must start inside the tensor or its padding in front, so that there
    may be none of them.
    """
    rank = _rank(x)
    sizes = op.Slice(op.Shape(x), [rank - len(kernel)], [rank])
    strides = _constant(stride, torch.int64)
    padded = op.Add(sizes, _constant([2 * amount for amount in padding], torch.int64))
    room = op.Sub(padded, _constant(kernel, torch.int64))
    # ⌈room / stride⌉ windows follow the first; the last is dropped where it starts in the padding behind.
    following = op.Div(op.Sub(op.Add(room, strides), 1), strides)
    starts_behind = op.Not(
        op.Less(op.Mul(following, strides), op.Add(sizes, _constant(padding, torch.int64)))
    )
    following = op.Sub(following, _cast(starts_behind, torch.int64))
    missing = op.Sub(op.Mul(following, strides), room)
    return op.Max(missing, _constant([0], torch.int64))


# symgen: _max_pool cbe6a3395619530d
def _max_pool(
    x: ir.Value,
    kernel_size: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    ceil_mode: bool,
    axes: int,
    with_indices: bool,
) -> ir.Value:
    """The largest element of each window along the last axes, and its place if asked for; with or without a batch."""
    kernel = _for_each_axis(kernel_size, axes)
    steps = _for_each_axis(stride, axes) if stride else kernel
    pads, apart = _for_each_axis(padding, axes), _for_each_axis(dilation, axes)
    is_batched = _rank(x) == axes + 2
    batched = x if is_batched else op.Unsqueeze(x, [0])
    is_half = _dtype(x) in (torch.float16, torch.bfloat16)
    batched = _cast(batched, torch.float32) if is_half else _comparable(batched)
    reach = [step * (length - 1) + 1 for step, length in zip(apart, kernel, strict=True)]
    behind = (
        _room_behind(batched, reach, steps, pads)
        if ceil_mode
        else _constant([0] * axes, torch.int64)
    )
    if with_indices or not _dtype(x).is_floating_point:
        results = _largest_elements(
            batched, kernel, steps, pads, apart, behind, _lowest_of(_dtype(x))
        )
    elif ceil_mode:
        beyond = op.Concat(
            _constant([0, 0, *pads, 0, 0], torch.int64),
            op.Add(behind, _constant(pads, torch.int64)),
            axis=0,
        )
        padded = op.Pad(batched, beyond, _scalar(-math.inf, batched))
        results = [_largest_numbers(padded, kernel, steps, [0] * (2 * axes), apart)]
    else:
        results = [_largest_numbers(batched, kernel, steps, pads + pads, apart)]
    if not is_batched:
        results = [op.Squeeze(each, [0]) for each in results]
    values = _cast_like(results[0], x)
    return (values, results[1]) if with_indices else values


# symgen: aten_max_pool2d 4dcb5ae75e35b05c
@torch_op("aten::max_pool2d", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_max_pool2d(
    self: TTensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0, 0),
    dilation: Sequence[int] = (1, 1),
    ceil_mode: bool = False,
) -> TTensor:
    """max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor

    The largest element of each window
    """
    return _max_pool(self, kernel_size, stride, padding, dilation, ceil_mode, 2, False)
