"""Bessel functions.

The coefficients are minimax fits made with mpmath.chebyfit at 50 digits; the error beside each set is its largest.
"""

from symgen.match.decompositions.numerics import of_precision, polynomial
from symgen.match.language import decomposition, helper, torch

# I₀(x) over (x / b)² for |x| ≤ b: b = 4, 1.9e-11; b = 8 for double precision, 4e-19.
_I0_NEAR_SINGLE = [
    5.02768632e-05,
    0.000625674135,
    0.00792109649,
    0.0710992959,
    0.444448558,
    1.77777697,
    4.00000008,
    4.0,
    1.0,
]
_I0_NEAR_DOUBLE = [
    6.724647438974731e-08,
    5.696205015915318e-07,
    9.734680328042324e-06,
    0.00011573685326059418,
    0.0012272410954292416,
    0.01104061463351663,
    0.08349779207592864,
    0.5218596128086054,
    2.641914877116492,
    10.567659350732956,
    32.36345679180165,
    72.81777777756758,
    113.77777777779512,
    113.7777777777769,
    64.00000000000003,
    16.0,
    1.0,
]
# exp(−x) · √x · I₀(x) over 2b / x − 1 for x ≥ b: 4e-9, and 1e-16 for double precision.
_I0_FAR_SINGLE = [
    -2.14735687e-06,
    4.8307329e-06,
    1.10866805e-05,
    -1.76373398e-05,
    -3.64711157e-05,
    8.33671502e-06,
    7.89765693e-05,
    0.000185861414,
    0.000735273465,
    0.00734939162,
    0.405686342,
]
_I0_FAR_DOUBLE = [
    -1.7166164938175488e-10,
    -8.853076246050108e-11,
    1.0915893161016653e-09,
    6.702584046528111e-10,
    -3.1868021662287506e-09,
    -2.5824509003351837e-09,
    5.492774410203639e-09,
    6.905503273684613e-09,
    -4.522137715543013e-09,
    -1.3113874879941897e-08,
    -7.004556901394248e-09,
    7.468652718445711e-09,
    2.1593921284189837e-08,
    3.9341151967621574e-08,
    8.871772134958215e-08,
    2.973583433473054e-07,
    1.4838477678808023e-06,
    1.1143033860495017e-05,
    0.00013621607438931758,
    0.0033605519836669103,
    0.4021765094450081,
]
# I₁(x) / x over (x / b)² for |x| ≤ b: 9e-13, and 1e-20 for double precision.
_I1_NEAR_SINGLE = [
    2.7329695e-06,
    3.93584068e-05,
    0.000565353032,
    0.00592534395,
    0.044444647,
    0.222222183,
    0.666666671,
    1.0,
    0.5,
]
_I1_NEAR_DOUBLE = [
    1.928008800276396e-09,
    1.8210797272923477e-08,
    3.229551688329521e-07,
    4.136909487874102e-06,
    4.719637752887761e-05,
    0.00046003116317227947,
    0.0037953498681741467,
    0.02609298311780895,
    0.14677304767644878,
    0.660478709749419,
    2.3116754850544488,
    6.068148148142433,
    11.377777777778249,
    14.222222222222198,
    10.666666666666668,
    4.0,
    0.5,
]
# exp(−x) · √x · I₁(x) over 2b / x − 1 for x ≥ b: 4.5e-9, and 1.1e-16 for double precision.
_I1_FAR_SINGLE = [
    1.99962959e-06,
    -5.43523469e-06,
    -1.07585792e-05,
    2.05050631e-05,
    3.82840362e-05,
    -1.31468886e-05,
    -9.40809824e-05,
    -0.000235800526,
    -0.00112573026,
    -0.0204864254,
    0.379412267,
]
_I1_FAR_DOUBLE = [
    1.79708076202127e-10,
    8.556534373260018e-11,
    -1.1459875492084381e-09,
    -6.563550610824565e-10,
    3.364402906942886e-09,
    2.575022015245385e-09,
    -5.872315764049016e-09,
    -7.045449593614895e-09,
    5.056045544132708e-09,
    1.3761872558441389e-08,
    7.0017870784877524e-09,
    -8.34829836133379e-09,
    -2.3421321386723802e-08,
    -4.314332246730572e-08,
    -1.0000822498071297e-07,
    -3.483841753091222e-07,
    -1.8349103429663388e-06,
    -1.5038547264883471e-05,
    -0.0002192357638311702,
    -0.009749577193234856,
    0.38939845902587233,
]


@helper
def limit_of(op, x) -> float:
    """Where the far expansions take over."""
    return 8.0 if op.dtype(x) == torch.float64 else 4.0


@helper
def i0_parts(op, x):
    """I₀(x) for small |x|, exp(−|x|) · I₀(x) for large ones, and which is to be taken."""
    limit = limit_of(op, x)
    magnitude = op.Abs(x)
    ratio = magnitude / limit
    near = polynomial(op, ratio * ratio, of_precision(op, x, _I0_NEAR_SINGLE, _I0_NEAR_DOUBLE))
    series = polynomial(op, 2.0 / ratio - 1.0, of_precision(op, x, _I0_FAR_SINGLE, _I0_FAR_DOUBLE))
    return near, series / op.Sqrt(magnitude), magnitude < limit


@decomposition("aten::i0", "aten::special_modified_bessel_i0", promote=("self",), kind="INT_TO_FLOAT")
def i0(op, self):
    """The modified Bessel function of order 0"""
    near, scaled, is_near = i0_parts(op, self)
    return op.Where(is_near, near, op.Exp(op.Abs(self)) * scaled)


@decomposition("aten::special_i0e")
def special_i0e(op, self):
    """exp(−|x|) · I₀(x)"""
    near, scaled, is_near = i0_parts(op, self)
    return op.Where(is_near, near * op.Exp(-op.Abs(self)), scaled)


@helper
def i1_parts(op, x):
    """I₁(x) for small |x|, exp(−|x|) · I₁(x) for large ones, and which is to be taken."""
    limit = limit_of(op, x)
    magnitude = op.Abs(x)
    ratio = magnitude / limit
    near = x * polynomial(op, ratio * ratio, of_precision(op, x, _I1_NEAR_SINGLE, _I1_NEAR_DOUBLE))
    series = polynomial(op, 2.0 / ratio - 1.0, of_precision(op, x, _I1_FAR_SINGLE, _I1_FAR_DOUBLE))
    return near, op.Sign(x) * series / op.Sqrt(magnitude), magnitude < limit


@decomposition("aten::special_i1", "aten::special_modified_bessel_i1", promote=("self",), kind="INT_TO_FLOAT")
def special_i1(op, self):
    """The modified Bessel function of order 1"""
    near, scaled, is_near = i1_parts(op, self)
    return op.Where(is_near, near, op.Exp(op.Abs(self)) * scaled)


@decomposition("aten::special_i1e")
def special_i1e(op, self):
    """exp(−|x|) · I₁(x)"""
    near, scaled, is_near = i1_parts(op, self)
    return op.Where(is_near, near * op.Exp(-op.Abs(self)), scaled)
