"""Losses, reduced or not."""

import math

from symgen.match.decompositions.numerics import log1p_of
from symgen.match.language import decomposition, helper


@helper
def reduced(op, loss, reduction: int):
    """The loss of each element (0), their mean (1) or their sum (2)."""
    if reduction == 0:
        return loss
    if reduction == 2:
        return op.ReduceSum(loss, keepdims=0)
    if op.static_numel(loss):
        return op.ReduceMean(loss, keepdims=0)
    # The mean of no elements is nan, but ReduceMean's may be 0. The axes stay for the choice, because the exporter
    # takes 0-d float64 tensors for Python numbers.
    mean = op.ReduceMean(loss, keepdims=1)
    mean = op.Where(op.Equal(op.Size(loss), 0), op.constant(math.nan, like=mean), mean)
    return op.Reshape(mean, [])


@decomposition("aten::l1_loss", promote=("self", "target"))
def l1_loss(op, self, target, reduction):
    """|x − y|"""
    return reduced(op, op.Abs(self - target), reduction)


@decomposition("aten::mse_loss", promote=("self", "target"))
def mse_loss(op, self, target, reduction):
    """(x − y)²"""
    distance = self - target
    return reduced(op, distance * distance, reduction)


@decomposition("aten::huber_loss", promote=("self", "target"), kind="LIKE_FIRST")
def huber_loss(op, self, target, reduction, delta):
    """0.5 · d² where d ≤ delta, else delta · (d − 0.5 · delta), with d = |x − y|"""
    distance = op.Abs(self - target)
    quadratic = 0.5 * distance * distance
    linear = delta * (distance - 0.5 * delta)
    loss = op.Where(distance > delta, linear, quadratic)
    return reduced(op, loss, reduction)


@decomposition("aten::smooth_l1_loss", promote=("self", "target"))
def smooth_l1_loss(op, self, target, reduction, beta):
    """0.5 · d² / beta where d < beta, else d − 0.5 · beta, with d = |x − y|"""
    distance = op.Abs(self - target)
    if beta == 0:
        return reduced(op, distance, reduction)
    quadratic = (0.5 / beta) * distance * distance
    loss = op.Where(distance < beta, quadratic, distance - 0.5 * beta)
    return reduced(op, loss, reduction)


@decomposition("aten::soft_margin_loss", promote=("self", "target"), kind="LIKE_FIRST")
def soft_margin_loss(op, self, target, reduction):
    """log(1 + exp(−x · y))"""
    loss = op.Log(1.0 + op.Exp(-self * target))
    return reduced(op, loss, reduction)


@decomposition("aten::binary_cross_entropy", promote=("self", "target", "weight"), kind="LIKE_FIRST")
def binary_cross_entropy(op, self, target, weight, reduction):
    """−(y · log(x) + (1 − y) · log(1 − x)) · weight, each logarithm at least −100"""
    log_of_hit = op.Max(op.Log(self), -100.0)
    log_of_miss = op.Max(log1p_of(op, -self), -100.0)
    loss = (target - 1.0) * log_of_miss - target * log_of_hit
    if weight is not None:
        loss = loss * weight
    return reduced(op, loss, reduction)


@decomposition("aten::poisson_nll_loss", promote=("input", "target"), kind="INT_TO_FLOAT", as_float=("input",))
def poisson_nll_loss(op, input, target, log_input, full, eps, reduction):
    """exp(x) − y · x, or x − y · log(x + eps); `full` adds Stirling's approximation of log(y!) where y > 1"""
    loss = op.Exp(input) - target * input if log_input else input - target * op.Log(input + eps)
    if full:
        stirling = target * op.Log(target) - target + 0.5 * op.Log(2 * math.pi * target)
        loss = loss + op.Where(target > 1, stirling, op.constant(0.0, like=stirling))
    return reduced(op, loss, reduction)
