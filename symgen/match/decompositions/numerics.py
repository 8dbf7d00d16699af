"""Numerics that several entries share, each with its source and its accuracy."""

import math
from collections.abc import Sequence

from symgen.match.language import helper, torch


@helper
def expm1_of(op, x):
    """exp(x) − 1 without cancellation near 0.

    Uses exp(x) − 1 = tanh(x / 2) · (exp(x) + 1), exact as an identity and free of cancellation: as accurate as the
    runtime's Tanh, 5 ulps in float32 (23 for the tiniest numbers) and 1 in float64.
    """
    return op.Tanh(0.5 * x) * (op.Exp(x) + 1.0)


@helper
def log1p_of(op, x):
    """log(1 + x) without cancellation near 0, for x up to the square root of the largest number.

    Kahan's correction: with u = 1 + x rounded, log(u) · x / (u − 1) makes good what the rounding lost. As accurate as
    the runtime's Log, 3 ulps in float32 and 1 in float64.
    """
    u = 1.0 + x
    rounded = u - 1.0
    is_lost = op.Equal(rounded, 0.0)
    corrected = op.Log(u) * (x / rounded)
    return op.Where(is_lost, x, corrected)


@helper
def bounded(op, x, low: float, high: float):
    """x, but at least `low` and at most `high`, which wins; all nan where one of them is.

    The dynamo exporter makes one Clip of Max and Min, in which a limit of nan counts for none.
    """
    if low != low or high != high:
        return x * math.nan
    return op.Min(op.Max(x, op.constant(low, like=x)), op.constant(high, like=x))


@helper
def softplus_of(op, x):
    """log(1 + exp(x)) without overflow, as accurate as log1p."""
    if op.dtype(x) != torch.float64:
        return op.Softplus(x)
    # ONNX Runtime has no Softplus for float64.
    return op.Max(x, 0.0) + log1p_of(op, op.Exp(-op.Abs(x)))


@helper
def has_negative_sign(op, x):
    """Whether x is below zero or is −0.0, which 1 / x tells from 0.0. The sign of a nan cannot be seen."""
    if not op.dtype(x).is_floating_point:
        return x < 0
    return (x < 0) | (op.Reciprocal(x) < 0)


@helper
def truncate(op, x):
    """The whole part, rounded towards zero."""
    return op.Sign(x) * op.Floor(op.Abs(x))


@helper
def polynomial(op, x, coefficients: Sequence[float]):
    """Horner's rule; the coefficient of the highest power comes first."""
    value = x * coefficients[0] + coefficients[1]
    for coefficient in coefficients[2:]:
        value = value * x + coefficient
    return value


@helper
def of_precision(op, x, single: Sequence[float], double: Sequence[float]) -> Sequence[float]:
    """The coefficients that the precision of x needs."""
    return double if op.dtype(x) == torch.float64 else single


@helper
def exp_of_square(op, x, factor: float):
    """exp(factor · x²), without the error that rounding x² brings.

    With h = x rounded to sixteenths, x² = h² + (x − h)(x + h), where h² is exact.
    """
    # exp(±0.5 · 40²) is 0 or infinite already, and an infinite h would make nan.
    magnitude = op.Min(op.Abs(x), 40.0)
    rounded = op.Floor(magnitude * 16.0) * 0.0625
    rest = (magnitude - rounded) * (magnitude + rounded)
    return op.Exp(factor * rounded * rounded) * op.Exp(factor * rest)


@helper
def zeros_for(op, a, b):
    """Zeros in the common shape of two tensors."""
    return op.cast((a < b) & (a > b), like=a)


@helper
def full_log1p_of(op, x):
    """log(1 + x) without cancellation near 0, for every x."""
    return op.Where(op.Equal(x, math.inf), x, log1p_of(op, x))
