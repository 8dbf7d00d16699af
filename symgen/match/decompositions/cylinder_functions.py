"""Bessel functions that oscillate (J, Y) or decay (K), and Airy's function.

Near 0 they are sums of powers, whose factors follow from factorials and Euler's constant (DLMF 10.8, 10.31, 9.4). Far
from it they are made of waves or of a decay, and of smooth factors: minimax fits made with mpmath.chebyfit at 40
digits; the error beside each set is its largest.
"""

import math

from symgen.match.decompositions.numerics import polynomial
from symgen.match.language import decomposition, helper

EULER = 0.5772156649015329
FAR = 5.0
"""Where the waves of Bessel functions take over."""
WAVES_OF_AIRY = -2.09
"""Below which Airy's function is a wave."""
DECAY_OF_AIRY = 4.0
"""Where it is a decay."""
ZETA = 16.0 / 3.0
"""⅔ · x to the power of 1.5, for x = 4."""

# What the cosine and, times 5 / x, the sine of a wave count for: quotients over (5 / x)² for x ≥ 5, of order 0 and 1.
# They are those of Cephes, by Moshier, as torch has them: without the leading 1 of the second denominator, so that
# torch's numbers are off by 9e-7 at most, and so are these.
_AHEAD_0 = [
    0.0007969367292973471,
    0.08283523921074408,
    1.239533716464143,
    5.447250030587687,
    8.74716500199817,
    5.303240382353949,
    1.0,
]
_UNDER_AHEAD_0 = [
    0.0009244088105588637,
    0.08562884743544745,
    1.2535274390105895,
    5.470977403304171,
    8.761908832370695,
    5.306052882353947,
    1.0,
]
_BEHIND_0 = [
    -0.011366383889846916,
    -1.2825271867050931,
    -19.553954425773597,
    -93.20601521237683,
    -177.68116798048806,
    -147.07750515495118,
    -51.41053267665993,
    -6.050143506007285,
]
_UNDER_BEHIND_0 = [
    64.3178256118178,
    856.4300259769806,
    3882.4018360540163,
    7240.467741956525,
    5930.727011873169,
    2062.0933166032783,
    242.0057402402914,
]
_AHEAD_1 = [
    0.0007621256162081731,
    0.07313970569409176,
    1.1271960812968493,
    5.112079511468076,
    8.424045901417724,
    5.214515986823615,
    1.0,
]
_UNDER_AHEAD_1 = [
    0.0005713231280725487,
    0.06884559087544954,
    1.105142326340617,
    5.073863861286015,
    8.399855543276042,
    5.209828486823619,
    1.0,
]
_BEHIND_1 = [
    0.05108625947501766,
    4.982138729512334,
    75.82382841325453,
    366.7796093601508,
    710.8563049989261,
    597.4896124006136,
    211.68875710057213,
    25.207020585802372,
]
_UNDER_BEHIND_1 = [
    74.23732770356752,
    1056.4488603826283,
    4986.410583376536,
    9562.318924047562,
    7997.041604473507,
    2826.1927851763908,
    336.0936078106983,
]
# exp(x) · √x · K₀(x) and K₁(x) over 4 / x − 1, for x ≥ 2: 4e-14, 4.4e-14.
_K0 = [
    2.4244660231997704e-09,
    -4.8523034449821174e-09,
    -3.6070947047923237e-10,
    -2.94967608149978e-10,
    2.108871913813232e-08,
    -4.8682786908040685e-08,
    1.007340380898304e-07,
    -2.6475635806889514e-07,
    7.434653894656485e-07,
    -2.192473878754425e-06,
    7.002134480635871e-06,
    -2.473499317623945e-05,
    9.956055545626226e-05,
    -0.0004797690720828925,
    0.0030328918101068755,
    -0.031071461824568533,
    1.2185953385133905,
]
_K1 = [
    -2.711460732301694e-09,
    5.45264866818432e-09,
    2.898917742299388e-10,
    6.03778713764059e-10,
    -2.4300290528344086e-08,
    5.665024144530289e-08,
    -1.195687672041141e-07,
    3.1835622752015173e-07,
    -9.074689474096802e-07,
    2.7314852941649104e-06,
    -8.961084076053209e-06,
    3.2843630118678796e-05,
    -0.00013959022847634522,
    0.0007357241719658635,
    -0.005566729879887754,
    0.10334973775350777,
    1.363151890371342,
]
# Over ζ(4) / ζ(x), for x ≥ 4: 2√π · x^¼ · exp(ζ) · Ai(x); 6.5e-16.
_AIRY_DECAY = [
    2.6937295818877185e-08,
    -2.1134092846063734e-07,
    7.931441470187954e-07,
    -1.9626046151665288e-06,
    3.817216745981398e-06,
    -6.7752724376340135e-06,
    1.2555533081506745e-05,
    -2.6880847940020872e-05,
    7.124882468936844e-05,
    -0.00025044224379549906,
    0.0013054741627237128,
    -0.013020833333110876,
    0.9999999999999993,
]
# What the sine, but for 1, and the cosine of Airy's wave count for: quotients over 1 / ζ² for x ≤ −2.09, of the same
# source, and as torch has them.
_AIRY_SINE = [
    -0.1316963234183318,
    -0.6264565444319123,
    -0.6931580360369335,
    -0.2797799815451191,
    -0.04919001326095003,
    -0.004062659235948854,
    -0.0001592764962392621,
    -2.776491081552329e-06,
    -1.6778769848911465e-08,
]
_UNDER_AIRY_SINE = [
    13.356042070655324,
    32.682503279522464,
    26.736704094149957,
    9.187074029072596,
    1.4752914677166642,
    0.11568717379518804,
    0.004402916416152112,
    7.547203482874142e-05,
    4.5185009297058035e-07,
]
_AIRY_COSINE = [
    0.01973399320916857,
    0.39110302961568827,
    1.0657989759959559,
    0.9391692298166502,
    0.35146565610554764,
    0.06338889196289255,
    0.005858041130483885,
    0.000282851600836737,
    6.98793669997261e-06,
    8.117892395543892e-08,
    3.415517847659236e-10,
]
_UNDER_AIRY_COSINE = [
    9.30892908077442,
    19.835292871831214,
    15.564662893286462,
    5.476860694229755,
    0.9542936116189619,
    0.08645808263523921,
    0.004126565238242226,
    0.00010125908511650914,
    1.1716673321441352e-06,
    4.9183457006293e-09,
]


@helper
def powers_of(op, z, order: int, sign: float, weights: str):
    """Σ (sign · z)ᵏ / (k! (k + order)!), each term once or, by `weights`, times its harmonic number or numbers.

    Those are ψ(k + 1) + γ for order 0 (`harmonic`), and ψ(k + 1) + ψ(k + 2) for order 1 (`both`).
    """
    factors, term, harmonic = [], 1.0, 0.0
    for k in range(26):
        weight = 1.0
        if weights == "harmonic":
            weight = harmonic
        elif weights == "both":
            weight = 2.0 * (harmonic - EULER) + 1.0 / (k + 1)
        factors = [term * weight, *factors]
        term = term * sign / ((k + 1) * (k + 1 + order))
        harmonic = harmonic + 1.0 / (k + 1)
    return polynomial(op, z, factors)


@helper
def wave(op, x, order: int, is_second: bool):
    """J of order 0 or 1, or Y where `is_second`, for x ≥ 5: in the precision of x, which turns far out are lost to."""
    ratio = FAR / x
    square = ratio * ratio
    ahead = polynomial(op, square, _AHEAD_1 if order else _AHEAD_0)
    ahead = ahead / polynomial(op, square, _UNDER_AHEAD_1 if order else _UNDER_AHEAD_0)
    behind = polynomial(op, square, _BEHIND_1 if order else _BEHIND_0)
    behind = ratio * behind / polynomial(op, square, _UNDER_BEHIND_1 if order else _UNDER_BEHIND_0)
    turn = x - math.pi * (0.25 + 0.5 * order)
    cosine, sine = op.Cos(turn), op.Sin(turn)
    turned = ahead * sine + behind * cosine if is_second else ahead * cosine - behind * sine
    return turned * math.sqrt(2.0 / math.pi) / op.Sqrt(x)


@helper
def bessel_j(op, x, order: int):
    """J of order 0 or 1, by the magnitude of x."""
    size = op.Abs(x)
    half = op.cast(size, "float64") * 0.5
    near = powers_of(op, half * half, order, -1.0, "")
    near = op.cast(near * half if order else near, like=x)
    found = op.Where(size > FAR, wave(op, size, order, False), near)
    return op.Sign(x) * found if order else found


@helper
def bessel_y(op, x, order: int):
    """Y of order 0 or 1: −inf for 0, and nan below it."""
    half = op.cast(x, "float64") * 0.5
    z = half * half
    if order:
        near = op.Log(half) * half * powers_of(op, z, 1, -1.0, "") - 0.5 / half
        near = 2.0 / math.pi * near - half / math.pi * powers_of(op, z, 1, -1.0, "both")
        near = op.Where(op.Equal(half, 0.0), op.constant(-math.inf, like=near), near)
    else:
        near = (op.Log(half) + EULER) * powers_of(op, z, 0, -1.0, "") - powers_of(op, z, 0, -1.0, "harmonic")
        near = 2.0 / math.pi * near
    found = op.Where(x > FAR, wave(op, x, order, True), op.cast(near, like=x))
    return op.Where(x < 0.0, op.constant(math.nan, like=x), found)


@decomposition("aten::special_bessel_j0", promote=("self",), kind="INT_TO_FLOAT")
def special_bessel_j0(op, self):
    """The Bessel function of the first kind, of order 0"""
    return bessel_j(op, self, 0)


@decomposition("aten::special_bessel_j1", promote=("self",), kind="INT_TO_FLOAT")
def special_bessel_j1(op, self):
    """The Bessel function of the first kind, of order 1"""
    return bessel_j(op, self, 1)


@decomposition("aten::special_bessel_y0", promote=("self",), kind="INT_TO_FLOAT")
def special_bessel_y0(op, self):
    """The Bessel function of the second kind, of order 0"""
    return bessel_y(op, self, 0)


@decomposition("aten::special_bessel_y1", promote=("self",), kind="INT_TO_FLOAT")
def special_bessel_y1(op, self):
    """The Bessel function of the second kind, of order 1"""
    return bessel_y(op, self, 1)


@decomposition("aten::special_spherical_bessel_j0", promote=("x",), kind="INT_TO_FLOAT", precise=True)
def special_spherical_bessel_j0(op, x):
    """sin(x) / x"""
    found = op.Where(op.Equal(x, 0.0), op.constant(1.0, like=x), op.Sin(x) / x)
    return op.Where(op.IsInf(x), op.constant(0.0, like=x), found)


@helper
def bessel_k(op, x, order: int, is_scaled: bool):
    """K of order 0 or 1, times exp(x) where `is_scaled`: inf for 0, and nan below it."""
    half = x * 0.5
    z = half * half
    if order:
        near = 1.0 / x + op.Log(half) * half * powers_of(op, z, 1, 1.0, "")
        near = near - half * 0.5 * powers_of(op, z, 1, 1.0, "both")
    else:
        near = powers_of(op, z, 0, 1.0, "harmonic") - (op.Log(half) + EULER) * powers_of(op, z, 0, 1.0, "")
    far = polynomial(op, 4.0 / x - 1.0, _K1 if order else _K0) / op.Sqrt(x)
    if is_scaled:
        near = near * op.Exp(x)
    else:
        far = op.Exp(-x) * far
    found = op.Where(op.Equal(x, 0.0), op.constant(math.inf, like=x), op.Where(x > 2.0, far, near))
    return op.Where(x < 0.0, op.constant(math.nan, like=x), found)


@decomposition("aten::special_modified_bessel_k0", promote=("self",), kind="INT_TO_FLOAT", precise=True)
def special_modified_bessel_k0(op, self):
    """The modified Bessel function of the second kind, of order 0"""
    return bessel_k(op, self, 0, False)


@decomposition("aten::special_modified_bessel_k1", promote=("self",), kind="INT_TO_FLOAT", precise=True)
def special_modified_bessel_k1(op, self):
    """The modified Bessel function of the second kind, of order 1"""
    return bessel_k(op, self, 1, False)


@decomposition("aten::special_scaled_modified_bessel_k0", promote=("x",), kind="INT_TO_FLOAT", precise=True)
def special_scaled_modified_bessel_k0(op, x):
    """exp(x) · K₀(x)"""
    return bessel_k(op, x, 0, True)


@decomposition("aten::special_scaled_modified_bessel_k1", promote=("x",), kind="INT_TO_FLOAT", precise=True)
def special_scaled_modified_bessel_k1(op, x):
    """exp(x) · K₁(x)"""
    return bessel_k(op, x, 1, True)


@helper
def cubes_of(op, x, first: float):
    """1 + Σ x³ᵏ / ((first · (first + 1)) · ((first + 3) · (first + 4)) …), of which Ai near 0 is made."""
    factors, term = [], 1.0
    for k in range(26):
        factors = [term, *factors]
        term = term / ((first + 3 * k) * (first + 3 * k + 1.0))
    return polynomial(op, x * x * x, factors)


@helper
def airy_wave(op, x):
    """Ai for x < −2.09, in the precision of x, which turns far out are lost to."""
    root = op.Sqrt(-x)
    zeta = -2.0 * x * root / 3.0
    inverse = 1.0 / zeta
    square, turn = inverse * inverse, zeta + math.pi / 4.0
    sine = polynomial(op, square, _AIRY_SINE) / polynomial(op, square, _UNDER_AIRY_SINE)
    cosine = polynomial(op, square, _AIRY_COSINE) / polynomial(op, square, _UNDER_AIRY_COSINE)
    turned = op.Sin(turn) * (1.0 + square * sine) - op.Cos(turn) * (inverse * cosine)
    return 1.0 / math.sqrt(math.pi) / op.Sqrt(root) * turned


@decomposition("aten::special_airy_ai", promote=("x",), kind="INT_TO_FLOAT")
def special_airy_ai(op, x):
    """Airy's function Ai, which torch has as nan for infinities"""
    wide = op.cast(x, "float64")
    near = 0.355028053887817239 * cubes_of(op, wide, 2.0) - 0.258819403792806798 * wide * cubes_of(op, wide, 3.0)
    root = op.Sqrt(op.Sqrt(op.Abs(wide)))
    zeta = op.Abs(wide) * root * root * (2.0 / 3.0)
    decay = op.Exp(-zeta) * polynomial(op, ZETA / zeta, _AIRY_DECAY) / (2.0 * math.sqrt(math.pi) * root)
    near = op.cast(op.Where(wide > DECAY_OF_AIRY, decay, near), like=x)
    found = op.Where(x < WAVES_OF_AIRY, airy_wave(op, x), near)
    return op.Where(op.IsInf(x), op.constant(math.nan, like=x), found)
