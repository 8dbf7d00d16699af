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

from .tracing import _cast, _cast_like, _dtype, _known, _rank, _static_size, _traced

__all__ = ["aten_conv2d", "aten_conv2d_padding", "aten_convolution"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: _as_single f3a8649d0624995c
def _as_single(x: ir.Value) -> ir.Value:
    """Whole numbers and half precision as float32."""
    return _cast(x, torch.float64 if _dtype(x) == torch.float64 else torch.float32)


# symgen: _convolvable 295f4c162c1e8bbf
def _convolvable(input: ir.Value) -> ir.Value:
    """The input in a dtype that the runtime convolves; raises for whole numbers."""
    if not _dtype(input).is_floating_point:
        raise NotImplementedError(
            "conv: ONNX convolves floating point only, input has whole numbers"
        )
    return _as_single(input)


# symgen: _convolved 74aad41d5a360d8b
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
    x = _convolvable(input if has_batch else op.Unsqueeze(input, [0]))
    w = _cast_like(weight, x)
    if bias is None:
        y = op.Conv(x, w, pads=pads, strides=stride, dilations=dilation, group=groups)
    else:
        y = op.Conv(
            x, w, _cast_like(bias, x), pads=pads, strides=stride, dilations=dilation, group=groups
        )
    return _cast_like(y if has_batch else op.Squeeze(y, [0]), input)


# symgen: _on_each_axis 72bc950e82af0fa3
def _on_each_axis(value: ir.Value, axes: int) -> list[int]:
    """One number for every axis, from one for all or from one for each."""
    numbers = _known(value)
    if numbers is None:
        raise NotImplementedError(
            "conv: stride, padding, dilation and groups have to be known at export"
        )
    listed = [numbers] if isinstance(numbers, int) else numbers
    return listed * axes if len(listed) == 1 else listed


# symgen: _pads_for_same 824bd08bc8a21ab2
def _pads_for_same(weight: ir.Value, dilation: list[int]) -> list[int]:
    """Pads that keep the size at stride 1: dilation · (kernel − 1) along each axis, the odd one behind."""
    totals = []
    for axis in range(_rank(weight) - 2):
        kernel = _static_size(weight, axis + 2)
        if kernel is None:
            raise NotImplementedError(
                "padding by name: the size of the kernel is not known at export"
            )
        totals.append(dilation[axis if len(dilation) > 1 else 0] * (kernel - 1))
    return [total // 2 for total in totals] + [total - total // 2 for total in totals]


# symgen: _aten_conv2d abb532901c49dcf6
def _aten_conv2d(input: TTensor, *args: Any) -> Any:
    """The input, convolved with weights (out, in, kernel) along its last axes; padding is also given by name."""
    weight, bias = args[0], args[1]
    axes = _rank(weight) - 2
    strides, dilations = _on_each_axis(args[2], axes), _on_each_axis(args[4], axes)
    if _known(args[3]) == "same":
        pads = _pads_for_same(weight, dilations)
    elif _known(args[3]) == "valid":
        pads = [0] * (2 * axes)
    else:
        pads = 2 * _on_each_axis(args[3], axes)
    return _convolved(input, weight, bias, strides, pads, dilations, _known(args[5]))


# symgen: _aten_convolution 32d82bbf07f064e4
def _aten_convolution(input: TTensor, *args: Any) -> Any:
    """The input, convolved with weights (out, in, kernel), or spread by weights (in, out, kernel)"""
    weight, bias = args[0], args[1]
    axes = _rank(weight) - 2
    strides, pads = _on_each_axis(args[2], axes), 2 * _on_each_axis(args[3], axes)
    dilations, groups = _on_each_axis(args[4], axes), _known(args[7])
    if not _known(args[5]):
        return _convolved(input, weight, bias, strides, pads, dilations, groups)
    x = _convolvable(input)
    w = _cast_like(weight, x)
    further = _on_each_axis(args[6], axes)
    y = op.ConvTranspose(
        x, w, pads=pads, strides=strides, dilations=dilations, output_padding=further, group=groups
    )
    if bias is not None:
        y = op.Add(y, op.Unsqueeze(_cast_like(bias, x), list(range(1, axes + 1))))
    return _cast_like(y, input)


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
