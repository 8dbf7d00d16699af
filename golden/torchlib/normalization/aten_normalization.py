"""ONNX translations of PyTorch's operators for its dynamo exporter: normalization."""

from __future__ import annotations

import collections
import math
from collections.abc import Sequence

import torch
from onnxscript import INT64, ir
from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TFloat, TTensor
from onnxscript.onnx_opset import opset18 as op

from .tracing import (
    _cast,
    _cast_like,
    _common_dtype,
    _constant,
    _dtype,
    _known,
    _promoted,
    _rank,
    _scalar,
    _size,
    _traced,
)

__all__ = ["aten__native_batch_norm_legit_functional", "aten_layer_norm", "aten_native_layer_norm"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: _axes_of_layers bcc01552848f185b
def _axes_of_layers(x: ir.Value, normalized_shape: ir.Value) -> list[int]:
    """The last axes, as many as there are lengths of them; only the model may know how long they are."""
    known, rank = _known(normalized_shape), _rank(x)
    count = len(list(normalized_shape)) if known is None else len(known)
    return list(range(rank - count, rank))


# symgen: _standardized a3592e46d5a0642b
def _standardized(x: ir.Value, axes: list[int], eps: float) -> tuple[ir.Value, ...]:
    """((x − mean) / sqrt(variance + eps), mean, 1 / sqrt(variance + eps)) over some axes, which stay with length 1."""
    mean = op.ReduceMean(x, axes, keepdims=1)
    centered = op.Sub(x, mean)
    variance = op.ReduceMean(op.Mul(centered, centered), axes, keepdims=1)
    inverse = op.Reciprocal(op.Sqrt(op.Add(variance, eps)))
    return (op.Mul(centered, inverse), mean, inverse)


# symgen: _standardized_layers 52bf3316a433ce07
def _standardized_layers(x: ir.Value, normalized_shape: ir.Value, eps: float) -> ir.Value:
    """(The tensor standardized over its last axes, the means, the reciprocal deviations)."""
    return _standardized(x, _axes_of_layers(x, normalized_shape), eps)


# symgen: _scaled_by_channel fc57af5c1dd7357b
def _scaled_by_channel(x: ir.Value, weight: ir.Value, bias: ir.Value) -> ir.Value:
    """x · weight + bias, one of each for every channel; either may be absent."""
    others = list(range(1, _rank(x) - 1))
    if weight is not None:
        x = op.Mul(x, op.Unsqueeze(weight, others) if others else weight)
    if bias is not None:
        x = op.Add(x, op.Unsqueeze(bias, others) if others else bias)
    return x


# symgen: _normalized_at_once ba0c3815638fb071
def _normalized_at_once(
    x: ir.Value, weight: ir.Value, bias: ir.Value, mean: ir.Value, inverse: ir.Value
) -> ir.Value:
    """(x − mean) · inverse · weight + bias, each given by channel; weight and bias may be absent.

    Torch makes one factor of weight and deviation, and one term of bias and mean: of
    infinite ones, another nan.
    """
    mean, inverse = _cast_like(mean, x), _cast_like(inverse, x)
    factor = inverse if weight is None else op.Mul(inverse, _cast_like(weight, x))
    term = (
        op.Neg(op.Mul(mean, factor))
        if bias is None
        else op.Sub(_cast_like(bias, x), op.Mul(mean, factor))
    )
    return _scaled_by_channel(x, factor, term)


# symgen: _axes_of_batch d0cead2f7aeec5e4
def _axes_of_batch(x: ir.Value) -> list[int]:
    """All axes but that of the channels."""
    return [axis for axis in range(_rank(x)) if axis != 1]


# symgen: _statistics_of_batch 096ab0e21e1a1007
def _statistics_of_batch(x: ir.Value) -> tuple[ir.Value, ...]:
    """(The means, the variances) by channel."""
    axes = _axes_of_batch(x)
    mean = op.ReduceMean(x, axes, keepdims=1)
    centered = op.Sub(x, mean)
    return (op.Squeeze(mean, axes), op.ReduceMean(op.Mul(centered, centered), axes, keepdims=0))


# symgen: _as_single f3a8649d0624995c
def _as_single(x: ir.Value) -> ir.Value:
    """Whole numbers and half precision as float32."""
    return _cast(x, torch.float64 if _dtype(x) == torch.float64 else torch.float32)


# symgen: _count_over e673d2bcd3027b45
def _count_over(x: ir.Value, axes: list[int]) -> ir.Value:
    """How many elements there are along some axes, as a tensor of shape [1] in the dtype of another one."""
    known = _known([_size(x, axis) for axis in axes])
    if known is not None:
        return _scalar([math.prod(known)], x)
    if len(axes) == 1:
        return _cast_like(_size(x, axes[0]), x)
    return _cast_like(
        op.ReduceProd(op.Gather(op.Shape(x), _constant(axes, torch.int64)), keepdims=1), x
    )


# symgen: _inverse_deviation 7339eba86b310672
def _inverse_deviation(variance: ir.Value, eps: float) -> ir.Value:
    """1 / sqrt(variance + eps)."""
    return op.Reciprocal(op.Sqrt(op.Add(variance, eps)))


# symgen: _scaled_by_place 994a2fc45d455b3a
def _scaled_by_place(x: ir.Value, weight: ir.Value, bias: ir.Value) -> ir.Value:
    """x · weight + bias, which have the last axes of x; either may be absent."""
    if weight is not None:
        x = op.Mul(x, weight)
    if bias is not None:
        x = op.Add(x, bias)
    return x


# symgen: aten__native_batch_norm_legit_functional 361125704fb8a496
@torch_op("aten::_native_batch_norm_legit_functional", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten__native_batch_norm_legit_functional(
    input: TTensor,
    weight: TTensor | None,
    bias: TTensor | None,
    running_mean: TTensor,
    running_var: TTensor,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[TTensor, TTensor, TTensor, TTensor, TTensor]:
    """_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)

    The normalized batch, the statistics that it was normalized by, unless they were
    given, and the running ones
    """
    x = _as_single(input)
    given_mean, given_variance = _cast_like(running_mean, x), _cast_like(running_var, x)
    # The statistics have the dtype of the weights, which may be wider than that of the input.
    dtype = _common_dtype(
        [
            *[
                value
                for value in (input, weight, bias, running_mean, running_var)
                if value is not None
            ]
        ],
        "DEFAULT",
    )
    if not training:
        normalized = _normalized_at_once(
            x, weight, bias, given_mean, _inverse_deviation(given_variance, eps)
        )
        nothing = _constant([], dtype)
        return (
            _cast_like(normalized, input),
            nothing,
            nothing,
            op.Identity(running_mean),
            op.Identity(running_var),
        )
    mean, variance = _statistics_of_batch(x)
    # Torch keeps the statistics in their dtype before it normalizes by them.
    saved_mean, saved_inverse = _cast(mean, dtype), _cast(_inverse_deviation(variance, eps), dtype)
    normalized = _normalized_at_once(x, weight, bias, saved_mean, saved_inverse)
    # The variance that is kept on is the one of which that of the batch is an estimate.
    count = _count_over(x, _axes_of_batch(x))
    next_mean = op.Add(op.Mul(given_mean, 1.0 - momentum), op.Mul(mean, momentum))
    next_variance = op.Add(
        op.Mul(given_variance, 1.0 - momentum),
        op.Mul(op.Mul(variance, op.Div(count, op.Sub(count, 1.0))), momentum),
    )
    return (
        _cast_like(normalized, input),
        saved_mean,
        saved_inverse,
        _cast_like(next_mean, running_mean),
        _cast_like(next_variance, running_var),
    )


# symgen: aten_layer_norm db56a216534bbf96
@torch_op("aten::layer_norm", registry=REGISTRIES[18], trace_only=True)
@_promoted("input", "weight", "bias", kind="LIKE_FIRST")
def aten_layer_norm(
    input: TFloat,
    normalized_shape: Sequence[INT64],
    weight: TTensor | None = None,
    bias: TTensor | None = None,
    eps: float = 1e-05,
    cudnn_enable: bool = True,
) -> TFloat:
    """layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor

    The input normalized over its last axes
    """
    normalized, _, _ = _standardized_layers(input, normalized_shape, eps)
    return _scaled_by_place(normalized, weight, bias)


# symgen: aten_native_layer_norm 0fda8db02c5230b3
@torch_op("aten::native_layer_norm", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_native_layer_norm(
    input: TTensor,
    normalized_shape: Sequence[INT64],
    weight: TTensor | None,
    bias: TTensor | None,
    eps: float,
) -> tuple[TTensor, TTensor, TTensor]:
    """native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)

    The input normalized over its last axes, the means, and the reciprocal deviations
    """
    # The statistics have the dtype of the weights, which may be wider than that of the input.
    dtype = _common_dtype([*[x for x in (input, weight, bias) if x is not None]], "DEFAULT")
    normalized, mean, inverse = _standardized_layers(_as_single(input), normalized_shape, eps)
    known = _known(normalized_shape)
    if known is not None and 0 in known:
        # The runtime has 0 for the mean of nothing, and torch nan for its variance.
        inverse = op.Mul(inverse, math.nan)
    weight = None if weight is None else _cast_like(weight, normalized)
    bias = None if bias is None else _cast_like(bias, normalized)
    scaled = _scaled_by_place(normalized, weight, bias)
    return (_cast_like(scaled, input), _cast(mean, dtype), _cast(inverse, dtype))
