"""Hurwitz's zeta function, the derivatives of log Γ, and the incomplete gamma function."""

import math

from symgen.match.decompositions.error_functions import erfcx_of
from symgen.match.decompositions.gamma_functions import digamma_of, log_gamma_of
from symgen.match.decompositions.numerics import log1p_of, polynomial, zeros_for
from symgen.match.language import decomposition, helper

# B(2j) / (2j)! for j = 1, 2, …
_EULER_MACLAURIN = [
    0.08333333333333333,
    -0.001388888888888889,
    3.306878306878307e-05,
    -8.267195767195768e-07,
    2.08767569878681e-08,
    -5.284190138687493e-10,
    1.3382536530684679e-11,
    -3.3896802963225827e-13,
    8.586062056277845e-15,
    -2.174868698558062e-16,
    5.5090028283602295e-18,
    -1.3954464685812525e-19,
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
        further = op.Where(goes_on, base + 1.0, base)
        return further, op.Where(goes_on, total + power, total), op.Where(goes_on, power, term)

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


# Temme's uniform expansion for large a in powers of η, highest first: C₀ and C₁ of DLMF 8.12.
_TEMME_0 = [
    1.0261809784240308e-08, 6.7078535434014986e-09, -1.7665952736826079e-07, 8.296711340953086e-07,
    -1.8540622107151600e-06, -2.1854485106799922e-06, 3.9192631785224378e-05, -1.7875514403292181e-04,
    3.5273368606701940e-04, 1.1574074074074074e-03, -1.4814814814814815e-02, 8.3333333333333333e-02,
    -3.3333333333333333e-01,
]  # fmt: skip
_TEMME_1 = [
    -1.8098550334489978e-05, -4.0187757201646091e-07, 2.0576131687242798e-04, -9.9022633744855967e-04,
    2.6455026455026455e-03, -3.4722222222222222e-03, -1.8518518518518519e-03,
]  # fmt: skip


@helper
def any_of(op, condition):
    """Whether any element holds."""
    return op.ReduceSum(op.cast(condition, "int32"), keepdims=0) > 0


@helper
def lower_gamma_series(op, a, x):
    """Σ xⁿ / (a (a + 1) … (a + n)) over n ≥ 0, until the terms no longer count; for x < a + 1."""

    def is_unfinished(op, denominator, term, total):
        return any_of(op, term > 1e-16 * total)

    def add_term(op, denominator, term, total):
        following = denominator + 1.0
        next_term = term * (x / following)
        return following, next_term, total + next_term

    first = op.Reciprocal(a)
    _, _, total = op.repeat(is_unfinished, add_term, a, first, first)
    return total


@helper
def upper_gamma_fraction(op, a, x):
    """The continued fraction of Γ(a, x) · eˣ / xᵃ by Lentz's method; for x > a + 1."""

    def is_unfinished(op, turn, b, c, d, value, factor):
        return any_of(op, op.Abs(factor - 1.0) > 1e-15)

    def add_level(op, turn, b, c, d, value, factor):
        number = turn + 1.0
        numerator = number * (a - number)
        denominator = b + 2.0
        ratio = op.Reciprocal(numerator * d + denominator)
        new_c = denominator + numerator / c
        change = new_c * ratio
        return number, denominator, new_c, ratio, value * change, change

    start = x + 1.0 - a
    zeros = a - a
    d = op.Reciprocal(start)
    _, _, _, _, value, _ = op.repeat(is_unfinished, add_level, zeros, start, zeros + 1e300, d, d, zeros + 2.0)
    return value


@helper
def temme_upper_gamma(op, a, x):
    """Q(a, x) for large a: ½ erfc(η √(a / 2)) + exp(−a η² / 2) / √(2πa) · (C₀(η) + C₁(η) / a)."""
    excess = (x - a) / a
    half_square = excess - log1p_of(op, excess)
    eta = op.Sign(excess) * op.Sqrt(2.0 * half_square)
    # Far from a the exponential is 0, and the polynomials are not to overflow.
    near = op.Min(op.Max(eta, -1.0), 1.0)
    series = polynomial(op, near, _TEMME_0) + polynomial(op, near, _TEMME_1) / a
    decay = op.Exp(-a * half_square)
    tail = 0.5 * decay * erfcx_of(op, op.Sqrt(a * half_square))
    rest = decay * series / op.Sqrt(2.0 * math.pi * a)
    return op.Where(eta < 0.0, 1.0 - tail, tail) + rest


@helper
def incomplete_gamma_of(op, shape, bound, is_upper: bool):
    """P(a, x), or Q(a, x) = 1 − P(a, x), in double precision."""
    # A last axis, because the exporter takes 0-d float64 tensors for Python numbers.
    zeros = zeros_for(op, shape, bound)
    rank = op.rank(zeros)
    a = op.cast(op.Unsqueeze(shape + zeros, axes=[rank]), "float64")
    x = op.cast(op.Unsqueeze(bound + zeros, axes=[rank]), "float64")
    one, two = op.constant([1.0], like=a), op.constant([3.0], like=a)
    is_regular = (a > 0.0) & (x > 0.0) & (a <= 1e4) & (x < math.inf)
    is_low = x < a + 1.0
    takes_series = is_regular & is_low
    takes_fraction = is_regular & op.Not(is_low)
    known_a, known_x = op.Where(is_regular, a, one), op.Where(is_regular, x, one)
    scale = op.Exp(known_a * op.Log(known_x) - known_x - log_gamma_of(op, known_a))
    lower = scale * lower_gamma_series(op, op.Where(takes_series, a, one), op.Where(takes_series, x, one))
    upper = scale * upper_gamma_fraction(op, op.Where(takes_fraction, a, one), op.Where(takes_fraction, x, two))
    far = temme_upper_gamma(op, a, x)
    if is_upper:
        value = op.Where(is_regular, op.Where(is_low, 1.0 - lower, upper), far)
    else:
        value = op.Where(is_regular, op.Where(is_low, lower, 1.0 - upper), 1.0 - far)
    at_zero, at_infinity = op.constant([float(is_upper)], like=a), op.constant([float(not is_upper)], like=a)
    nan = op.constant([math.nan], like=a)
    value = op.Where(op.Equal(x, math.inf), at_infinity, value)
    value = op.Where(op.Equal(a, math.inf), op.Where(op.Equal(x, math.inf), nan, at_zero), value)
    value = op.Where(op.Equal(x, 0.0), at_zero, value)
    value = op.Where(op.Equal(a, 0.0), op.Where(x > 0.0, at_infinity, nan), value)
    value = op.Where((a < 0.0) | (x < 0.0), nan, value)
    return op.cast(op.Squeeze(value, axes=[rank]), like=shape)


@decomposition("aten::igamma")
def igamma(op, self, other):
    """The regularised lower incomplete gamma function P(a, x)"""
    return incomplete_gamma_of(op, self, other, False)


@decomposition("aten::igammac")
def igammac(op, self, other):
    """The regularised upper incomplete gamma function Q(a, x)"""
    return incomplete_gamma_of(op, self, other, True)
