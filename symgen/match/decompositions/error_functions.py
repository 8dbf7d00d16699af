"""The error function's complement, its inverses, and the normal distribution.

The coefficients are minimax fits made with mpmath.chebyfit at 50 digits; the error beside each set is its largest.
"""

import math

from symgen.match.decompositions.numerics import exp_of_square, log1p_of, of_precision, polynomial
from symgen.match.language import decomposition, helper, torch

# (1 + 2x) · erfcx(x) over t = 1 − 6 / (x + 3) in [−1, 1]: 7e-9, and 1.1e-16 for double precision.
_ERFCX_SINGLE = [
    8.00745497e-05,
    -9.25376913e-05,
    -0.00073408205,
    0.00187506025,
    0.00250677867,
    -0.0237635597,
    0.0683131967,
    -0.119275281,
    0.129644721,
    -0.0475621561,
    -0.1356211,
    1.25300806,
]
_ERFCX_DOUBLE = [
    9.948820947537195e-10,
    -3.169592039553522e-09,
    -1.3361953304404018e-08,
    2.7779061599708634e-08,
    1.0195717375790894e-07,
    -1.2038713923616526e-07,
    -6.167709493550964e-07,
    3.3649033965298255e-07,
    3.472520280065519e-06,
    -7.186149396303622e-07,
    -2.0100627664406107e-05,
    4.944031214882928e-06,
    0.00012509937435915822,
    -0.00010515828085467254,
    -0.0007798322772742547,
    0.0018886900908332905,
    0.002529391816799663,
    -0.023770514890662273,
    0.06830802734392144,
    -0.11927366341681594,
    0.12964515870276264,
    -0.04756229435341897,
    -0.1356211061245812,
    1.2530080582697296,
]
# erfinv(x) / x over w / 2.5 − 1 for w = −log(1 − x²) up to 5: 1.3e-8, and 5e-16 for double precision.
_ERFINV_CENTRE_SINGLE = [
    -3.40725936e-05,
    3.56078601e-05,
    0.0002857247,
    -0.000845699528,
    -0.00048558786,
    0.0085292729,
    -0.0195738499,
    -0.0261087055,
    0.616600698,
    1.50140936,
]
_ERFINV_CENTRE_DOUBLE = [
    -7.826256625744411e-10,
    -3.186528832057687e-10,
    1.0629317891462367e-08,
    -9.860748489019615e-09,
    -7.041453899223962e-08,
    2.0302024902563842e-07,
    1.354894396438253e-07,
    -1.8562508671011837e-06,
    2.8518047144875377e-06,
    8.653742815487151e-06,
    -4.143211229340045e-05,
    2.0472149057734397e-05,
    0.0002921906914633234,
    -0.000834135602819846,
    -0.0004878983988271991,
    0.008525400947770217,
    -0.019573561059531557,
    -0.02610823577730197,
    0.6166006918604174,
    1.5014093511107915,
]
# erfinv(x) / (x · √w) over 1 / √w, scaled to [−1, 1], for w from 5 to 746: 4.2e-8.
_ERFINV_TAIL = [
    -0.000383845066,
    -0.00016229508,
    0.00166172911,
    0.00076517956,
    -0.00274046351,
    -0.0020033559,
    0.00193816256,
    0.00241321352,
    0.00149710259,
    -0.00138496517,
    0.00508897677,
    0.00281033223,
    -0.0409328868,
    0.961553631,
]


@helper
def erfcx_of(op, x):
    """exp(x²) · erfc(x) for x ≥ 0, infinity included."""
    t = 1.0 - 6.0 / (x + 3.0)
    return polynomial(op, t, of_precision(op, x, _ERFCX_SINGLE, _ERFCX_DOUBLE)) / (1.0 + 2.0 * x)


@decomposition("aten::erfc", "aten::special_erfc", promote=("self",), kind="INT_TO_FLOAT", precise=True)
def erfc(op, self):
    """1 − erf(x), without cancellation where that is small; in float64, which leaves half an ulp of float32"""
    tail = exp_of_square(op, self, -1.0) * erfcx_of(op, op.Abs(self))
    return op.Where(self < 0, 2.0 - tail, tail)


@decomposition("aten::special_erfcx")
def special_erfcx(op, self):
    """exp(x²) · erfc(x)"""
    scaled = erfcx_of(op, op.Abs(self))
    reflected = 2.0 * exp_of_square(op, self, 1.0) - scaled
    return op.Where(self < 0, reflected, scaled)


@decomposition("aten::special_ndtr")
def special_ndtr(op, self):
    """The normal distribution's area up to x"""
    half = 0.5 * erfcx_of(op, op.Abs(self) * math.sqrt(0.5))
    tail = exp_of_square(op, self, -0.5) * half
    return op.Where(self < 0, tail, 1.0 - tail)


@decomposition("aten::special_log_ndtr")
def special_log_ndtr(op, self):
    """The logarithm of the normal distribution's area up to x"""
    half = 0.5 * erfcx_of(op, op.Abs(self) * math.sqrt(0.5))
    tail = exp_of_square(op, self, -0.5) * half
    lower = op.Log(half) - 0.5 * self * self
    return op.Where(self < 0, lower, log1p_of(op, -tail))


@helper
def erfinv_of(op, x, rest, w):
    """erfinv(x) from x, rest = 1 − |x| and w = −log(1 − x²), which the caller knows better than x tells.

    After M. Giles, Approximating the erfinv function (2010): a polynomial in w, beyond 5 one in √w.
    """
    centre = x * polynomial(op, 0.4 * w - 1.0, of_precision(op, x, _ERFINV_CENTRE_SINGLE, _ERFINV_CENTRE_DOUBLE))
    root = op.Sqrt(w)
    u = 4.870908809857813 / root - 1.1783366422089336
    tail = x * (root * polynomial(op, u, _ERFINV_TAIL))
    if op.dtype(x) == torch.float64:
        tail = refined_erfinv(op, tail, rest)
    return op.Where(w < 5.0, centre, tail)


@helper
def refined_erfinv(op, y, rest):
    """One step of Halley's method towards erfc(|y|) = rest, from about 1e-7 to double precision."""
    magnitude = op.Abs(y)
    ratio = erfcx_of(op, magnitude) - op.Exp(magnitude * magnitude + op.Log(rest))
    error = 0.5 * math.sqrt(math.pi) * ratio
    step = op.Sign(y) * error / (1.0 - magnitude * error)
    return op.Where(rest > 0, y + step, y)


@decomposition("aten::erfinv", precise=True)
def erfinv(op, self):
    """The x of which erf(x) is given; in float64, which leaves half an ulp of float32"""
    rest = 1.0 - op.Abs(self)
    w = -op.Log(rest * (1.0 + op.Abs(self)))
    return erfinv_of(op, self, rest, w)


@decomposition("aten::special_ndtri", precise=True)
def special_ndtri(op, self):
    """The x up to which the normal distribution has the given area"""
    complement = 1.0 - self
    w = -op.Log(4.0 * self * complement)
    rest = 2.0 * op.Min(self, complement)
    return math.sqrt(2) * erfinv_of(op, 2.0 * self - 1.0, rest, w)
