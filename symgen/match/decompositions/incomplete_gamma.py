"""Hurwitz's zeta function, the derivatives of log Γ, and the incomplete gamma function."""

import math

from symgen.match.decompositions.error_functions import erfcx_of
from symgen.match.decompositions.gamma_functions import digamma_of, log_gamma_of
from symgen.match.decompositions.numerics import chosen, log1p_of, polynomial, zeros_for
from symgen.match.language import decomposition, helper, torch

# B(2j) / (2j)! for j = 1, 2, …
_EULER_MACLAURIN = [
    0.08333333333333333, -0.001388888888888889, 3.306878306878307e-05, -8.267195767195768e-07, 2.08767569878681e-08,
    -5.284190138687493e-10, 1.3382536530684679e-11, -3.3896802963225827e-13, 8.586062056277845e-15,
    -2.174868698558062e-16, 5.5090028283602295e-18, -1.3954464685812525e-19,
]


@helper
def hurwitz_zeta_of(op, exponent, start):
    """Σ 1 / (q + k)ˣ over k ≥ 0, for x > 1, in double precision as torch computes it.

    The terms of which the base is negative one by one, nine more at once, and the rest by Euler and Maclaurin's
    formula, as in the Cephes library. A sum that a term no longer changes ends there; whole numbers up to 0 are poles.
    """
    # A last axis for the nine terms. All in the shape of the result from the start, which the loop must not change.
    same = zeros_for(op, exponent, start)
    zeros = op.cast(op.Unsqueeze(same, axes=[op.rank(same)]), "float64")
    x = op.cast(op.Unsqueeze(exponent, axes=[op.rank(exponent)]), "float64") + zeros
    q = op.cast(op.Unsqueeze(start, axes=[op.rank(start)]), "float64") + zeros

    def is_ahead(op, base, total, term):
        is_negative = (base < 0.0) & op.Not(op.Equal(base, op.Floor(base)))
        return is_negative & op.Not(op.Abs(term) < 1.1e-16 * op.Abs(total))

    def is_unfinished(op, base, total, term):
        return op.ReduceSum(op.cast(is_ahead(op, base, total, term), "int32"), keepdims=0) > 0

    def add_term(op, base, total, term):
        power = op.Pow(base, -x)
        goes_on = is_ahead(op, base, total, term)
        return op.Where(goes_on, base + 1.0, base), op.Where(goes_on, total + power, total), op.Where(goes_on, power, term)

    base, total, _ = op.repeat(is_unfinished, add_term, q, zeros, zeros + 1.0)
    terms = op.Pow(base + op.constant([float(k) for k in range(9)], "float64"), -x)
    of_ten = total + op.ReduceSum(terms, axes=[-1], keepdims=1)
    far = base + 9.0
    last = op.Pow(far, -x)
    rest = last * far / (x - 1.0) + 0.5 * last + euler_maclaurin(op, x, far, last)
    value = op.Where(last < 1.1e-16 * of_ten, of_ten, of_ten + rest)
    value = op.Where(base < 0.0, total, value)
    return op.cast(op.Squeeze(value, axes=[op.rank(same)]), like=exponent)


@helper
def euler_maclaurin(op, x, far, last):
    """Σ B(2j) / (2j)! · x (x + 1) … (x + 2j − 2) · last / far^(2j − 1) over j from 1 to 12."""
    square = op.Reciprocal(far * far)
    product, power = x, last / far
    series = _EULER_MACLAURIN[0] * (product * power)
    for j in range(1, 12):
        product = product * (x + (2.0 * j - 1.0)) * (x + 2.0 * j)
        power = power * square
        series = series + _EULER_MACLAURIN[j] * (product * power)
    return series


@decomposition("aten::special_zeta")
def special_zeta(op, self, other):
    """Hurwitz's zeta function, Σ 1 / (q + k)ˣ over k ≥ 0"""
    value = hurwitz_zeta_of(op, self, other)
    is_undefined = (self < 1.0) | ((other <= 0.0) & op.Not(op.Equal(self, op.Floor(self))))
    value = op.Where(is_undefined, op.constant(math.nan, like=value), value)
    is_pole = op.Not(self < 1.0) & (other <= 0.0) & op.Equal(other, op.Floor(other))
    return op.Where(op.Equal(self, 1.0) | is_pole, op.constant(math.inf, like=value), value)


@decomposition("aten::polygamma", kind="INT_TO_FLOAT", promote=("self",))
def polygamma(op, n, self):
    """The derivative of order n + 1 of log Γ(x): ψ, trigamma, and beyond them ± n! · ζ(n + 1, x)"""
    if n == 0:
        return digamma_of(op, self)
    if n == 1:
        return trigamma_of(op, self)
    order = op.constant(n + 1.0, like=self)
    value = (math.factorial(n) * (-1.0) ** (n + 1)) * hurwitz_zeta_of(op, order, self)
    is_pole = (self <= 0.0) & op.Equal(self, op.Floor(self))
    return op.Where(is_pole, op.constant((-1.0) ** (n + 1) * math.inf, like=value), value)


@helper
def trigamma_of(op, x):
    """ψ′(x): the asymptotic series at x + 6, below 0.5 by ψ′(x) = (π / sin πx)² − ψ′(1 − x)."""
    is_reflected = x < 0.5
    y = op.Where(is_reflected, 1.0 - x, x)
    steps = op.constant([float(k) for k in range(6)], like=x)
    terms = op.Reciprocal(op.Unsqueeze(y, axes=[op.rank(x)]) + steps)
    inverse = op.Reciprocal(y + 6.0)
    series = polynomial(op, inverse * inverse, [1 / 42, -1 / 30, 1 / 6, 1.0])
    value = op.ReduceSumSquare(terms, axes=[-1], keepdims=0) + inverse * (series + 0.5 * inverse)
    ratio = math.pi / op.Sin(math.pi * x)
    return op.Where(is_reflected, ratio * ratio - value, value)
