"""ONNX translations of PyTorch's operators for its dynamo exporter: normalization."""

from __future__ import annotations

import collections
from collections.abc import Sequence

import torch
from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TFloat, TTensor
from onnxscript.onnx_opset import opset18 as op, opset23

from .tracing import _dtype, _promoted, _rank

__all__ = ["aten_rms_norm", "aten_rms_norm_opset23"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: aten_rms_norm 7676a58db1f5024d
@torch_op("aten::rms_norm", registry=REGISTRIES[18], trace_only=True)
@_promoted("input", "weight", kind="LIKE_FIRST")
def aten_rms_norm(
    input: TFloat,
    normalized_shape: Sequence[int],
    weight: TTensor | None = None,
    eps: float | None = None,
) -> TFloat:
    """rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor

    x / sqrt(mean of x² + eps) over the last axes; eps is that of the dtype where it is
    not given
    """
    rank = _rank(input)
    axes = list(range(rank - len(normalized_shape), rank))
    squares = op.ReduceMean(op.Mul(input, input), axes, keepdims=1)
    smallest = torch.finfo(_dtype(input)).eps if eps is None else eps
    normalized = op.Div(input, op.Sqrt(op.Add(squares, smallest)))
    return normalized if weight is None else op.Mul(normalized, weight)


# symgen: aten_rms_norm_opset23 e768952091593bcf
@torch_op("aten::rms_norm", registry=REGISTRIES[23], trace_only=True)
@_promoted("input", "weight", kind="LIKE_FIRST")
def aten_rms_norm_opset23(
    input: TFloat,
    normalized_shape: Sequence[int],
    weight: TTensor | None = None,
    eps: float | None = None,
) -> TFloat:
    """rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor

    x / sqrt(mean of x² + eps) over the last axes; eps is that of the dtype where it is
    not given
    """
    rank = _rank(input)
    if weight is not None and eps is not None and (_dtype(input) == torch.float32):
        return opset23.RMSNormalization(
            input, weight, axis=rank - len(normalized_shape), epsilon=eps
        )
    axes = list(range(rank - len(normalized_shape), rank))
    squares = op.ReduceMean(op.Mul(input, input), axes, keepdims=1)
    smallest = torch.finfo(_dtype(input)).eps if eps is None else eps
    normalized = op.Div(input, op.Sqrt(op.Add(squares, smallest)))
    return normalized if weight is None else op.Mul(normalized, weight)
