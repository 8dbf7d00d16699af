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

from .tracing import _cast, _cast_like, _common_dtype, _dtype, _known, _promoted, _rank, _traced

__all__ = ["aten_layer_norm", "aten_native_layer_norm"]

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


# symgen: _as_single f3a8649d0624995c
def _as_single(x: ir.Value) -> ir.Value:
    """Whole numbers and half precision as float32."""
    return _cast(x, torch.float64 if _dtype(x) == torch.float64 else torch.float32)


# symgen: _scaled_by_place 994a2fc45d455b3a
def _scaled_by_place(x: ir.Value, weight: ir.Value, bias: ir.Value) -> ir.Value:
    """x · weight + bias, which have the last axes of x; either may be absent."""
    if weight is not None:
        x = op.Mul(x, weight)
    if bias is not None:
        x = op.Add(x, bias)
    return x


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
