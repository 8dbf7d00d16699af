"""ONNX translations of PyTorch's operators for its dynamo exporter: normalization."""

from __future__ import annotations

import collections
from collections.abc import Sequence

import torch
from onnxscript import INT64, ir
from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TFloat, TTensor
from onnxscript.onnx_opset import opset18 as op, opset23

from .tracing import _dtype, _known, _promoted, _rank

__all__ = ["aten_rms_norm", "aten_rms_norm_opset23"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: _axes_of_layers bcc01552848f185b
def _axes_of_layers(x: ir.Value, normalized_shape: ir.Value) -> list[int]:
    """The last axes, as many as there are lengths of them; only the model may know how long they are."""
    known, rank = _known(normalized_shape), _rank(x)
    count = len(list(normalized_shape)) if known is None else len(known)
    return list(range(rank - count, rank))


# symgen: aten_rms_norm 3678e54773af9b6b
@torch_op("aten::rms_norm", registry=REGISTRIES[18], trace_only=True)
@_promoted("input", "weight", kind="LIKE_FIRST")
def aten_rms_norm(
    input: TFloat,
    normalized_shape: Sequence[INT64],
    weight: TTensor | None = None,
    eps: float | None = None,
) -> TFloat:
    """rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor

    x / sqrt(mean of x² + eps) over the last axes; eps is that of the dtype where it is
    not given
    """
    axes = _axes_of_layers(input, normalized_shape)
    squares = op.ReduceMean(op.Mul(input, input), axes, keepdims=1)
    smallest = torch.finfo(_dtype(input)).eps if eps is None else eps
    normalized = op.Div(input, op.Sqrt(op.Add(squares, smallest)))
    return normalized if weight is None else op.Mul(normalized, weight)


# symgen: aten_rms_norm_opset23 c173e3160cfc28ab
@torch_op("aten::rms_norm", registry=REGISTRIES[23], trace_only=True)
@_promoted("input", "weight", kind="LIKE_FIRST")
def aten_rms_norm_opset23(
    input: TFloat,
    normalized_shape: Sequence[INT64],
    weight: TTensor | None = None,
    eps: float | None = None,
) -> TFloat:
    """rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor

    x / sqrt(mean of x² + eps) over the last axes; eps is that of the dtype where it is
    not given
    """
    axes = _axes_of_layers(input, normalized_shape)
    if weight is not None and eps is not None and (_dtype(input) == torch.float32):
        return opset23.RMSNormalization(input, weight, axis=axes[0], epsilon=eps)
    squares = op.ReduceMean(op.Mul(input, input), axes, keepdims=1)
    smallest = torch.finfo(_dtype(input)).eps if eps is None else eps
    normalized = op.Div(input, op.Sqrt(op.Add(squares, smallest)))
    return normalized if weight is None else op.Mul(normalized, weight)
