"""The gamma function's relatives.

The coefficients are minimax fits made with mpmath.chebyfit at 50 digits; the error beside each set is its largest.
"""

import math

from symgen.match.decompositions.numerics import of_precision, polynomial
from symgen.match.language import decomposition, helper

# log Γ(x) / ((x − 1)(x − 2)) over x − 2 in [−1, 1]: 1.5e-8, and 1.2e-15 for double precision.
_LGAMMA_SINGLE = [
    -3.63155219e-05,
    7.78713189e-05,
    -5.90323996e-05,
    0.000131388344,
    -0.000419005835,
    0.000943640607,
    -0.00210490778,
    0.00499179268,
    -0.012384473,
    0.0329655972,
    -0.100317298,
    0.422784327,
]
_LGAMMA_DOUBLE = [
    -1.0720306768374289e-08,
    2.2205818811586364e-08,
    1.826501857734655e-08,
    -3.757408128677482e-08,
    -9.149733061118459e-08,
    1.904119884592213e-07,
    -1.4236105253537717e-07,
    3.018395891270956e-07,
    -8.855951686326325e-07,
    1.8755509317635744e-06,
    -3.833116287646882e-06,
    8.192828765584198e-06,
    -1.7665709404383975e-05,
    3.817722380545098e-05,
    -8.309440541585384e-05,
    0.00018255114930835727,
    -0.0004057074731484343,
    0.0009153770785665488,
    -0.002108130829872506,
    0.004998641156259031,
    -0.012384192193457294,
    0.03296500062133358,
    -0.10031730167435363,
    0.4227843350984665,
]
# x · (log Γ(x) − Stirling's formula) over (3 / x)² for x ≥ 3: 6.4e-10, and 1.9e-16 for double precision.
_STIRLING_SINGLE = [
    -6.23358461e-07,
    9.68788164e-06,
    -0.000308620692,
    0.0833333327,
]
_STIRLING_DOUBLE = [
    -1.5660641292594291e-10,
    1.0801937560754651e-09,
    -3.853512628366128e-09,
    1.0774584730641497e-08,
    -3.198558357337811e-08,
    1.2817712744491857e-07,
    -8.164959195402457e-07,
    9.79815664804327e-06,
    -0.0003086419752700556,
    0.08333333333333313,
]
# The asymptotic series of digamma in 1 / x², Abramowitz and Stegun 6.3.18: B(2k) / 2k for k = 7, 6, … 1.
_DIGAMMA = [1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12]


@helper
def log_gamma_of(op, x):
    """log Γ(x) for x > 0, accurate at its zeros 1 and 2 as well."""
    # From x + 1 below 1. The factors (x − 1)(x − 2) are exact this way.
    is_small = x < 1.0
    y = op.Where(is_small, x + 1.0, x)
    first = op.Where(is_small, x, x - 1.0)
    second = op.Where(is_small, x - 1.0, x - 2.0)
    near = first * second * polynomial(op, y - 2.0, of_precision(op, x, _LGAMMA_SINGLE, _LGAMMA_DOUBLE))
    logarithm = op.Log(x)
    near = op.Where(is_small, near - logarithm, near)
    inverse = 3.0 / x
    rest = polynomial(op, inverse * inverse, of_precision(op, x, _STIRLING_SINGLE, _STIRLING_DOUBLE)) / x
    far = (x - 0.5) * (logarithm - 1.0) + (rest + (0.5 * math.log(2 * math.pi) - 0.5))
    return op.Where(x < 3.0, near, far)


@helper
def log_abs_gamma_of(op, x):
    """log |Γ(x)|, below zero by Γ(x) · Γ(−x) = −π / (x · sin πx)."""
    magnitude = op.Abs(x)
    positive = log_gamma_of(op, magnitude)
    distance = magnitude - op.Floor(magnitude + 0.5)
    sine = op.Abs(op.Sin(math.pi * distance))
    infinity = op.constant(math.inf, like=x)
    reflected = op.Where(op.Equal(sine, 0.0), infinity, op.Log(math.pi / sine) - op.Log(magnitude) - positive)
    value = op.Where(x < 0, reflected, positive)
    return op.Where(op.IsInf(x), infinity, value)


@decomposition("aten::lgamma", precise=True)
def lgamma(op, self):
    """log |Γ(x)|; in float64, which leaves half an ulp of float32 beside its zeros, too"""
    return log_abs_gamma_of(op, self)


@decomposition("aten::mvlgamma", kind="INT_TO_FLOAT", promote=("self",))
def mvlgamma(op, self, p):
    """log of the multivariate gamma function: p(p − 1)/4 · log π + Σ log Γ(x − j/2) for j < p"""
    offsets = op.constant([-0.5 * j for j in range(p)], like=self)
    terms = log_abs_gamma_of(op, op.Unsqueeze(self, axes=[op.rank(self)]) + offsets)
    return op.ReduceSum(terms, axes=[-1], keepdims=0) + 0.25 * p * (p - 1) * math.log(math.pi)


@helper
def digamma_of(op, x):
    """ψ(x): ψ(x + 8) less the sum of 1 / (x + k) for k < 8, below zero by ψ(x) = ψ(1 − x) − π / tan πx."""
    is_negative = x < 0
    y = op.Where(is_negative, 1.0 - x, x)
    steps = op.constant([float(k) for k in range(8)], like=x)
    terms = op.Reciprocal(op.Unsqueeze(y, axes=[op.rank(x)]) + steps)
    far = y + 8.0
    inverse = op.Reciprocal(far)
    square = inverse * inverse
    series = op.Log(far) - 0.5 * inverse - square * polynomial(op, square, _DIGAMMA)
    value = series - op.ReduceSum(terms, axes=[-1], keepdims=0)
    angle = math.pi * (x - op.Floor(x + 0.5))
    # Whole numbers below zero are poles without a sign, 0 and −0 poles with one.
    cotangent = op.Where(op.Equal(angle, 0.0), op.constant(math.nan, like=x), op.Cos(angle) / op.Sin(angle))
    value = op.Where(is_negative, value - math.pi * cotangent, value)
    return op.Where(op.Equal(x, 0.0), -op.Reciprocal(x), value)


@decomposition("aten::digamma", precise=True)
def digamma(op, self):
    """The derivative of log Γ(x), nan at whole numbers below zero; in float64, which leaves half an ulp of float32"""
    return digamma_of(op, self)
