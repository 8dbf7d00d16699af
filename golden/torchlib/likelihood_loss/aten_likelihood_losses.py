"""ONNX translations of PyTorch's operators for its dynamo exporter: likelihood losses."""

from __future__ import annotations

import collections
import math

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
    _rank,
    _scalar,
    _size,
    _static_numel,
    _static_size,
    _traced,
)

__all__ = ["aten_cross_entropy_loss"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: _class_weights 8ce9e51e4768ae7a
def _class_weights(
    scores: ir.Value, target: ir.Value, weight: ir.Value, ignore_index: int
) -> tuple[ir.Value, ...]:
    """The weight of each target's class, 1 without weights and 0 where the target is ignored; and a class for each."""
    is_ignored = op.Equal(target, ignore_index)
    places = op.Where(is_ignored, _constant(0, torch.int64), target)
    if weight is None:
        return (_cast_like(op.Not(is_ignored), scores), places)
    return (
        op.Where(is_ignored, _scalar(0, scores), op.Gather(_cast_like(weight, scores), places)),
        places,
    )


# symgen: _likelihood_loss b9cc7a45a33902b1
def _likelihood_loss(
    scores: ir.Value, target: ir.Value, weight: ir.Value, reduction: int, ignore_index: int
) -> tuple[ir.Value, ...]:
    """(−scores[target] · weight[target], by the reduction; the sum of these weights), with the classes along axis 1.

    What is reduced keeps its axes: the exporter takes 0-d float64 tensors for Python
    numbers.
    """
    weights, places = _class_weights(scores, target, weight, ignore_index)
    picked = op.Squeeze(op.GatherElements(scores, op.Unsqueeze(places, [1]), axis=1), [1])
    # What is ignored gives no nan either.
    loss = op.Where(
        op.Equal(target, ignore_index), _scalar(0, scores), op.Mul(op.Neg(picked), weights)
    )
    total = op.ReduceSum(weights, keepdims=1)
    if reduction == 0:
        return (loss, total)
    added = op.ReduceSum(loss, keepdims=1)
    return (op.Div(added, total) if reduction == 1 else added, total)


# symgen: _log_softmax_along_axis f42ec971a5893ac8
def _log_softmax_along_axis(x: ir.Value, axis: int) -> ir.Value:
    """x − log Σ exp(x); the runtime's LogSoftmax of float64 passes over infinity."""
    if _dtype(x) != torch.float64:
        return op.LogSoftmax(x, axis=axis)
    shifted = op.Sub(x, op.ReduceMax(x, [axis], keepdims=1))
    return op.Sub(shifted, op.Log(op.ReduceSum(op.Exp(shifted), [axis], keepdims=1)))


# symgen: _log_softmax_of 55c9ff220b84ca36
def _log_softmax_of(x: ir.Value, dim: int) -> ir.Value:
    """x − log Σ exp(x); of a number 0"""
    if _rank(x) == 0:
        return op.Squeeze(_log_softmax_along_axis(op.Unsqueeze(x, [0]), 0), [0])
    return _log_softmax_along_axis(x, dim)


# symgen: _reduced a5c44fd68686d00f
def _reduced(loss: ir.Value, reduction: int) -> ir.Value:
    """The loss of each element (0), their mean (1) or their sum (2)."""
    if reduction == 0:
        return loss
    if reduction == 2:
        return op.ReduceSum(loss, keepdims=0)
    if _static_numel(loss):
        return op.ReduceMean(loss, keepdims=0)
    # The mean of no elements is nan, but ReduceMean's may be 0. The axes stay for the choice, because the exporter
    # takes 0-d float64 tensors for Python numbers.
    mean = op.ReduceMean(loss, keepdims=1)
    mean = op.Where(op.Equal(op.Size(loss), 0), _scalar(math.nan, mean), mean)
    return op.Reshape(mean, [])


# symgen: _loss_of_chances daea228f93bd2a4c
def _loss_of_chances(scores: ir.Value, chances: ir.Value, reduction: int) -> ir.Value:
    """−Σ p · score over the classes along axis 1, by the reduction"""
    return _reduced(op.Neg(op.ReduceSum(op.Mul(scores, chances), [1], keepdims=0)), reduction)


# symgen: _as_single f3a8649d0624995c
def _as_single(x: ir.Value) -> ir.Value:
    """Whole numbers and half precision as float32."""
    return _cast(x, torch.float64 if _dtype(x) == torch.float64 else torch.float32)


# symgen: _even_loss 3faa07bdbe0d98f4
def _even_loss(
    scores: ir.Value, target: ir.Value, total: ir.Value, reduction: int, ignore_index: int
) -> ir.Value:
    """−Σ score over the classes along axis 1, by the reduction, of all targets that are not ignored"""
    is_ignored = op.Equal(target, ignore_index)
    loss = op.Where(is_ignored, _scalar(0, scores), op.Neg(op.ReduceSum(scores, [1], keepdims=0)))
    if reduction == 0:
        return loss
    added = op.ReduceSum(loss, keepdims=1)
    return op.Div(added, total) if reduction == 1 else added


# symgen: _in_shape c90c0a89be423aa8
def _in_shape(loss: ir.Value, is_alone: bool, reduction: int) -> ir.Value:
    """The loss without the axes that it does not have."""
    if reduction != 0:
        return op.Reshape(loss, _constant([], torch.int64))
    return op.Squeeze(loss, [0]) if is_alone else loss


# symgen: _is_captured_otherwise 48ffb8ae2d33cc82
def _is_captured_otherwise(self: ir.Value, reduction: int) -> bool:
    """Whether torch.export gives the loss another shape: its own nll_loss has a flag in the place of `reduction`.

    By that it adds up where nothing is to be reduced; and what is empty it leaves
    empty.
    """
    is_empty = _static_size(self, 0) == 0
    return _rank(self) == 2 and is_empty != (reduction == 0)


# symgen: _with_batch dccdd870ed1dee0f
def _with_batch(x: ir.Value, is_alone: bool) -> ir.Value:
    """The tensor with a batch axis in front where it has none."""
    return op.Unsqueeze(x, [0]) if is_alone else x


# symgen: aten_cross_entropy_loss e68b3c5518ff2471
@torch_op("aten::cross_entropy_loss", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_cross_entropy_loss(
    self: TTensor,
    target: TTensor,
    weight: TTensor | None = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> TTensor:
    """cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100, float label_smoothing=0.0) -> Tensor

    −Σ p · log softmax(self) · weight over the classes, for targets that are classes or
    have a p for each
    """
    is_alone = _rank(self) == 1
    scores, targets = _with_batch(_as_single(self), is_alone), _with_batch(target, is_alone)
    scores = _log_softmax_of(scores, 1)
    weighted = scores
    if weight is not None:
        others = list(range(1, _rank(scores) - 1))
        by_class = _cast_like(weight, scores)
        weighted = op.Mul(scores, op.Unsqueeze(by_class, others) if others else by_class)
    share = op.Div(label_smoothing, _cast_like(_size(scores, 1), scores))
    if _dtype(target).is_floating_point:
        chances = op.Add(op.Mul(1.0 - label_smoothing, _cast_like(targets, scores)), share)
        loss = _loss_of_chances(weighted, chances, reduction)
    else:
        # With smoothing each target's loss is added to what torch.export takes for a number.
        if not (label_smoothing and reduction == 0) and _is_captured_otherwise(self, reduction):
            raise NotImplementedError(
                "cross_entropy_loss: reduction='none', or no targets, gives another shape in torch.export"
            )
        targets = _cast(targets, torch.int64)
        loss, total = _likelihood_loss(scores, targets, weight, reduction, ignore_index)
        if label_smoothing:
            even = _even_loss(weighted, targets, total, reduction, ignore_index)
            loss = op.Add(op.Mul(1.0 - label_smoothing, loss), op.Mul(share, even))
    return _cast_like(_in_shape(loss, is_alone, reduction), self)
