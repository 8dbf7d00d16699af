"""Softmax and its logarithm along an axis, of any rank and with a dtype."""

import math

from symgen.match.language import decomposition, helper, torch


@helper
def softmax_of(op, x, dim: int):
    """exp(x) / Σ exp(x); of a number 1"""
    if op.rank(x) == 0:
        return op.Squeeze(op.Softmax(op.Unsqueeze(x, axes=[0]), axis=0), axes=[0])
    return op.Softmax(x, axis=dim)


@helper
def log_softmax_of(op, x, dim: int):
    """x − log Σ exp(x); of a number 0"""
    if op.rank(x) == 0:
        return op.Squeeze(log_softmax_along_axis(op, op.Unsqueeze(x, axes=[0]), 0), axes=[0])
    return log_softmax_along_axis(op, x, dim)


@helper
def log_softmax_along_axis(op, x, axis: int):
    """x − log Σ exp(x); the runtime's LogSoftmax of float64 passes over infinity."""
    if op.dtype(x) != torch.float64:
        return op.LogSoftmax(x, axis=axis)
    shifted = x - op.ReduceMax(x, axes=[axis], keepdims=1)
    return shifted - op.Log(op.ReduceSum(op.Exp(shifted), axes=[axis], keepdims=1))


@helper
def computable(op, x, dtype: torch.dtype | None):
    """The tensor in the dtype asked for, or in float32 where that is of half precision."""
    wanted = op.dtype(x) if dtype is None else dtype
    return op.cast(x, wanted if wanted == torch.float64 else torch.float32)


@decomposition("aten::softmax", "aten::special_softmax")
def softmax(op, self, dim, dtype):
    """exp(x) / Σ exp(x) along an axis"""
    value = softmax_of(op, computable(op, self, dtype), dim)
    return op.cast(value, op.dtype(self) if dtype is None else dtype)


@decomposition("aten::log_softmax", "aten::special_log_softmax")
def log_softmax(op, self, dim, dtype):
    """x − log Σ exp(x) along an axis"""
    value = log_softmax_of(op, computable(op, self, dtype), dim)
    return op.cast(value, op.dtype(self) if dtype is None else dtype)


@decomposition("aten::_softmax", promote=("self",), ignore={"half_to_float": "only CUDA has it"})
def _softmax(op, self, dim):
    """exp(x) / Σ exp(x) along an axis"""
    return softmax_of(op, self, dim)


@decomposition("aten::_log_softmax", promote=("self",), ignore={"half_to_float": "only CUDA has it"})
def _log_softmax(op, self, dim):
    """x − log Σ exp(x) along an axis"""
    return log_softmax_of(op, self, dim)


@decomposition("aten::_safe_softmax")
def _safe_softmax(op, self, dim, dtype):
    """exp(x) / Σ exp(x) along an axis, and 0 where all are −∞"""
    x = computable(op, self, dtype)
    largest = x if op.rank(x) == 0 else op.ReduceMax(x, axes=[dim], keepdims=1)
    value = softmax_of(op, x, dim)
    value = op.Where(op.Equal(largest, -math.inf), op.constant(0.0, like=x), value)
    return op.cast(value, op.dtype(self) if dtype is None else dtype)


@decomposition("aten::_masked_softmax", promote=("self",))
def _masked_softmax(op, self, mask, dim, mask_type):
    """exp(x) / Σ exp(x) along an axis over what the mask leaves; it hides what is true in it"""
    if op.rank(mask) == 2 and op.rank(self) == 4:
        # Of type 1 it hides positions of each sample, else pairs of positions.
        mask = op.Unsqueeze(mask, [1, 2] if mask_type == 1 else [0, 1])
    hidden = op.constant(-math.inf, like=self)
    return softmax_of(op, op.Where(mask, hidden, self), -1 if dim is None else dim)
