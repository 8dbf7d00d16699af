"""ONNX translations of PyTorch's operators for its dynamo exporter: convolution."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any

import torch
from onnxscript import ir
from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TTensor
from onnxscript.onnx_opset import opset18 as op

from .tracing import (
    _cast,
    _cast_like,
    _constant,
    _dtype,
    _ints,
    _known,
    _rank,
    _scalar,
    _size,
    _static_size,
    _traced,
)

__all__ = ["aten_conv2d", "aten_conv2d_padding", "aten_convolution"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: _taken_along af34339aa9ee8858
def _taken_along(x: ir.Value, axis: int, places: ir.Value) -> ir.Value:
    """The elements at those places of an axis, in whose stead the two axes of the places are; 0 beyond its ends."""
    # 1 for a place that has an element, else 0.
    inside = _cast(op.And(op.Greater(places, -1), op.Less(places, _size(x, axis))), torch.int64)
    others = [other for other in range(_rank(x) + 1) if other not in (axis, axis + 1)]
    return op.Mul(op.Gather(x, op.Mul(places, inside), axis=axis), op.Unsqueeze(inside, others))


# symgen: _windows_taken cab8cfd0844c8549
def _windows_taken(x: ir.Value, places: Sequence[ir.Value]) -> ir.Value:
    """The windows over the last axes: (batch, channels, places in a window …, windows …) of int64."""
    axes = len(places)
    windows = _cast(x, torch.int64)
    for axis in reversed(range(axes)):
        windows = _taken_along(windows, axis + 2, places[axis])
    inside = [2 + 2 * axis for axis in range(axes)]
    return op.Transpose(windows, perm=[0, 1, *inside, *[axis + 1 for axis in inside]])


# symgen: _product_of 3d0c43c7977d6da2
def _product_of(lengths: Sequence[ir.Value]) -> ir.Value:
    """The product of lengths, as one int64 element."""
    product = _constant([1], torch.int64)
    for length in lengths:
        product = op.Mul(product, length)
    return product


# symgen: _weighted_windows 95d503530a143bf1
def _weighted_windows(
    x: ir.Value, weight: ir.Value, bias: ir.Value, places: Sequence[ir.Value], groups: int
) -> ir.Value:
    """Σ over each window of elements times weights, (out, in a group, places in a window …), and the bias of each."""
    axes = len(places)
    windows = _windows_taken(x, places)
    width = _product_of([_size(weight, axis) for axis in range(1, axes + 2)])
    lengths = [_size(windows, axes + 2 + axis) for axis in range(axes)]
    batch, parts, out = (
        _constant([-1], torch.int64),
        _constant([groups], torch.int64),
        _size(weight, 0),
    )
    columns = op.Reshape(windows, op.Concat(batch, parts, width, _product_of(lengths), axis=0))
    rows = op.Reshape(
        _cast(weight, torch.int64), op.Concat(parts, op.Div(out, parts), width, axis=0)
    )
    y = op.Reshape(op.MatMul(rows, columns), op.Concat(batch, out, *lengths, axis=0))
    return (
        y
        if bias is None
        else op.Add(y, op.Unsqueeze(_cast(bias, torch.int64), list(range(1, axes + 1))))
    )


# symgen: _counted_to ceb333c2cdb4bc43
def _counted_to(length: ir.Value) -> ir.Value:
    """0, 1 … length − 1 as a row; `length` is one int64 element."""
    return op.NonZero(op.ConstantOfShape(length, value=ir.tensor(torch.tensor([1]))))


# symgen: _places_within 0bef9f5d0d3eb7e1
def _places_within(kernel: ir.Value, dilation: int) -> ir.Value:
    """How far the places in a window stand behind its start, as a column."""
    return op.Mul(op.Transpose(_counted_to(kernel), perm=[1, 0]), dilation)


# symgen: _places_spread 8184a24b2606f046
def _places_spread(
    x: ir.Value, axis: int, kernel: ir.Value, stride: int, padding: int, dilation: int, further: int
) -> ir.Value:
    """Which elements meet a weight at each new place of an axis along which they are spread; −1 where none does."""
    length = op.Add(
        op.Add(op.Mul(op.Sub(_size(x, axis), 1), stride), op.Mul(op.Sub(kernel, 1), dilation)),
        1 + further - 2 * padding,
    )
    numbers = op.Sub(op.Add(_counted_to(length), padding), _places_within(kernel, dilation))
    places = op.Div(numbers, _constant([stride], torch.int64))
    is_between = _cast(op.Sub(numbers, op.Mul(places, stride)), torch.bool)
    return op.Where(is_between, _constant([-1], torch.int64), places)


# symgen: _with_groups_in_front 190de8adb1436b92
def _with_groups_in_front(weight: ir.Value, groups: int) -> ir.Value:
    """The weights of a convolution that spreads, (in, out in a group, …), as (out, in a group, …)."""
    rank = _rank(weight)
    further = [_size(weight, axis) for axis in range(1, rank)]
    parts = _constant([groups], torch.int64)
    rows = op.Div(_size(weight, 0), parts)
    turned = op.Transpose(
        op.Reshape(weight, op.Concat(parts, rows, *further, axis=0)),
        perm=[0, 2, 1, *range(3, rank + 1)],
    )
    return op.Reshape(turned, op.Concat(op.Mul(further[0], groups), rows, *further[1:], axis=0))


# symgen: _whole_spread 776c93f5fc3eb464
def _whole_spread(
    x: ir.Value,
    weight: ir.Value,
    bias: ir.Value,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    further: list[int],
    groups: int,
) -> ir.Value:
    """Whole numbers with a batch axis, spread by weights (in, out in a group, …), as int64."""
    places = []
    for axis in range(len(stride)):
        kernel = _size(weight, axis + 2)
        places.append(
            _places_spread(
                x, axis + 2, kernel, stride[axis], padding[axis], dilation[axis], further[axis]
            )
        )
    return _weighted_windows(x, _with_groups_in_front(weight, groups), bias, places, groups)


# symgen: _as_single f3a8649d0624995c
def _as_single(x: ir.Value) -> ir.Value:
    """Whole numbers and half precision as float32."""
    return _cast(x, torch.float64 if _dtype(x) == torch.float64 else torch.float32)


# symgen: _in_one_dtype c940a355ceac5615
def _in_one_dtype(x: ir.Value, weight: ir.Value, bias: ir.Value) -> list[ir.Value]:
    """The inputs of a convolution in the dtype of the first: two of them, or three with a bias."""
    inputs = [x, _cast_like(weight, x)]
    return inputs if bias is None else [*inputs, _cast_like(bias, x)]


# symgen: _with_zeros_behind ccb55496611c59fb
def _with_zeros_behind(weight: ir.Value, axes: list[int]) -> ir.Value:
    """The weights with one of 0 more at the end of each of these axes."""
    for axis in axes:
        sizes = [1 if other == axis else _size(weight, other) for other in range(_rank(weight))]
        weight = op.Concat(weight, op.Expand(_scalar(0, weight), _ints(sizes)), axis=axis)
    return weight


# symgen: _deconvolved ea8507614f3b8a19
def _deconvolved(
    input: ir.Value,
    weight: ir.Value,
    bias: ir.Value,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    further: list[int],
    groups: int,
) -> ir.Value:
    """A tensor with or without a batch axis, spread by weights (in, out in a group, …); `further` is output_padding."""
    has_batch = _rank(input) == _rank(weight)
    x = input if has_batch else op.Unsqueeze(input, [0])
    if not _dtype(input).is_floating_point:
        y = _whole_spread(x, weight, bias, stride, padding, dilation, further, groups)
        return _cast_like(y if has_batch else op.Squeeze(y, [0]), input)
    # ONNX Runtime adds less at the end than a stride, where torch may add nearly a dilation: there one more weight, of
    # 0, makes the result longer, and of that some is cut off.
    longer = [axis for axis, step in enumerate(stride) if further[axis] >= step]
    added = [0 if axis in longer else more for axis, more in enumerate(further)]
    cut = [
        pad + dilation[axis] - further[axis] if axis in longer else pad
        for axis, pad in enumerate(padding)
    ]
    w = _with_zeros_behind(weight, [axis + 2 for axis in longer])
    inputs = _in_one_dtype(_as_single(x), w, bias)
    y = op.ConvTranspose(
        *inputs,
        pads=[*padding, *cut],
        strides=stride,
        dilations=dilation,
        output_padding=added,
        group=groups,
    )
    return _cast_like(y if has_batch else op.Squeeze(y, [0]), input)


# symgen: _starts_of_windows 80b4ff2b804628ad
def _starts_of_windows(
    x: ir.Value, axis: int, reach: ir.Value, stride: int, front: int, behind: ir.Value
) -> ir.Value:
    """A row of where each window along an axis starts, below 0 in the padding; its last place is `reach` behind."""
    room = op.Sub(op.Sub(op.Add(op.Add(_size(x, axis), behind), front), reach), 1)
    return op.Sub(
        op.Mul(_counted_to(op.Div(op.Add(room, stride), _constant([stride], torch.int64))), stride),
        front,
    )


# symgen: _whole_convolved 15ef9cd93d4f6312
def _whole_convolved(
    x: ir.Value,
    weight: ir.Value,
    bias: ir.Value,
    stride: list[int],
    pads: list[int],
    dilation: list[int],
    groups: int,
) -> ir.Value:
    """The convolution of whole numbers with a batch axis, as int64; pads are those in front, then those behind."""
    axes, places = len(stride), []
    for axis in range(axes):
        kernel, behind = _size(weight, axis + 2), _constant([pads[axis + axes]], torch.int64)
        reach = op.Mul(op.Sub(kernel, 1), dilation[axis])
        starts = _starts_of_windows(x, axis + 2, reach, stride[axis], pads[axis], behind)
        places.append(op.Add(starts, _places_within(kernel, dilation[axis])))
    return _weighted_windows(x, weight, bias, places, groups)


# symgen: _convolved e73bf6ae27f56665
def _convolved(
    input: ir.Value,
    weight: ir.Value,
    bias: ir.Value,
    stride: list[int],
    pads: list[int],
    dilation: list[int],
    groups: int,
) -> ir.Value:
    """The convolution of a tensor with or without a batch axis."""
    has_batch = _rank(input) == _rank(weight)
    x = input if has_batch else op.Unsqueeze(input, [0])
    if not _dtype(input).is_floating_point:
        y = _whole_convolved(x, weight, bias, stride, pads, dilation, groups)
        return _cast_like(y if has_batch else op.Squeeze(y, [0]), input)
    inputs = _in_one_dtype(_as_single(x), weight, bias)
    y = op.Conv(*inputs, pads=pads, strides=stride, dilations=dilation, group=groups)
    return _cast_like(y if has_batch else op.Squeeze(y, [0]), input)


# symgen: _number_of_groups e43ab895fb1c1b2b
def _number_of_groups(value: ir.Value) -> int:
    """How many groups of channels there are."""
    groups = _known(value)
    if groups is None:
        raise NotImplementedError("conv: groups has to be known at export")
    return groups


# symgen: _on_each_axis 053a6676ddadba47
def _on_each_axis(value: ir.Value, axes: int) -> list[int]:
    """One number for every axis, from one for all or from one for each."""
    numbers = _known(value)
    if numbers is None:
        raise NotImplementedError("conv: stride, padding and dilation have to be known at export")
    listed = [numbers] if isinstance(numbers, int) else numbers
    return listed * axes if len(listed) == 1 else listed


# symgen: _convolution_of dab30360c65aa63c
def _convolution_of(input: ir.Value, args: Sequence[ir.Value]) -> ir.Value:
    """The input convolved or, where `transposed`, spread; `args` are the operator's from `weight` to `groups`."""
    weight, bias = args[0], args[1]
    axes = _rank(weight) - 2
    strides, padding = _on_each_axis(args[2], axes), _on_each_axis(args[3], axes)
    dilations, groups = _on_each_axis(args[4], axes), _number_of_groups(args[7])
    if not _known(args[5]):
        return _convolved(input, weight, bias, strides, 2 * padding, dilations, groups)
    further = _on_each_axis(args[6], axes)
    return _deconvolved(input, weight, bias, strides, padding, dilations, further, groups)


# symgen: _aten_convolution 31a4a2efea94d9cb
def _aten_convolution(input: TTensor, *args: Any) -> Any:
    """The input, convolved with weights (out, in, kernel), or spread by weights (in, out, kernel)"""
    return _convolution_of(input, args)


# symgen: _padded_for_same 5e4bfe04498c55ee
def _padded_for_same(input: ir.Value, weight: ir.Value, dilation: list[int]) -> ir.Value:
    """The input with pads around it that keep the size at stride 1, where only the model knows that of the kernel."""
    x = _as_single(input) if _dtype(input).is_floating_point else _cast(input, torch.int64)
    axes = _rank(weight) - 2
    kernel = op.Slice(op.Shape(weight), [2], [axes + 2])
    total = op.Mul(op.Sub(kernel, 1), _constant(dilation, torch.int64))
    front, nothing = op.Div(total, 2), _constant([0] * (_rank(input) - axes), torch.int64)
    return op.Pad(x, op.Concat(nothing, front, nothing, op.Sub(total, front), axis=0))


# symgen: _pads_for_same 2c8ed8659c0ba44b
def _pads_for_same(weight: ir.Value, dilation: list[int]) -> list[int]:
    """Pads that keep the size at stride 1: dilation · (kernel − 1) along each axis, the odd one behind."""
    totals = []
    for axis in range(_rank(weight) - 2):
        totals.append(dilation[axis] * (_static_size(weight, axis + 2) - 1))
    return [total // 2 for total in totals] + [total - total // 2 for total in totals]


# symgen: _convolved_to_same 4d3e1858cc81f7b1
def _convolved_to_same(
    input: ir.Value,
    weight: ir.Value,
    bias: ir.Value,
    stride: list[int],
    dilation: list[int],
    groups: int,
) -> ir.Value:
    """The convolution with padding that keeps the size at stride 1."""
    axes = _rank(weight) - 2
    if None in [_static_size(weight, axis + 2) for axis in range(axes)]:
        x = _padded_for_same(input, weight, dilation)
        return _cast_like(
            _convolved(x, weight, bias, stride, [0] * (2 * axes), dilation, groups), input
        )
    return _convolved(
        input, weight, bias, stride, _pads_for_same(weight, dilation), dilation, groups
    )


# symgen: _aten_conv2d ca930fb619affac0
def _aten_conv2d(input: TTensor, *args: Any) -> Any:
    """The input, convolved with weights (out, in, kernel) along its last axes; padding is also given by name."""
    weight, bias = args[0], args[1]
    axes = _rank(weight) - 2
    strides, dilations = _on_each_axis(args[2], axes), _on_each_axis(args[4], axes)
    padding, groups = _known(args[3]), _number_of_groups(args[5])
    if padding == "same":
        return _convolved_to_same(input, weight, bias, strides, dilations, groups)
    pads = [0] * (2 * axes) if padding == "valid" else 2 * _on_each_axis(args[3], axes)
    return _convolved(input, weight, bias, strides, pads, dilations, groups)


# symgen: aten_conv2d 01bef67a916a5ee1
@torch_op("aten::conv2d", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_conv2d(
    input: TTensor,
    weight: TTensor,
    bias: TTensor | None = None,
    stride: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0),
    dilation: Sequence[int] = (1, 1),
    groups: int = 1,
) -> TTensor:
    """conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] dilation=1, SymInt groups=1) -> Tensor"""
    return _aten_conv2d(input, weight, bias, stride, padding, dilation, groups)


# symgen: aten_conv2d_padding cc00b5fb33bd03eb
@torch_op("aten::conv2d.padding", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_conv2d_padding(
    input: TTensor,
    weight: TTensor,
    bias: TTensor | None = None,
    stride: Sequence[int] = (1, 1),
    padding: str = "valid",
    dilation: Sequence[int] = (1, 1),
    groups: int = 1,
) -> TTensor:
    """conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, str padding="valid", SymInt[2] dilation=1, SymInt groups=1) -> Tensor"""
    return _aten_conv2d(input, weight, bias, stride, padding, dilation, groups)


# symgen: aten_convolution e291f1c0dd14d442
@torch_op("aten::convolution", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_convolution(
    input: TTensor,
    weight: TTensor,
    bias: TTensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> TTensor:
    """convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor"""
    return _aten_convolution(
        input, weight, bias, stride, padding, dilation, transposed, output_padding, groups
    )
