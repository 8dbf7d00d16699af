"""Orthogonal polynomials, of a degree that each element has for itself.

They follow torch's own algorithm (aten/src/ATen/native/Math.h): the recurrence of three terms in the precision of the
arguments, which ends where it meets a nan, and for Chebyshev's within −1 to 1 and of higher degree the cosines and
sines that they are (DLMF 18.5, 18.9). Degrees are cut to whole numbers; below 0, and where int64 has no such number,
the result is 0, as that is what conversions on x86 make of them.
"""

import math

from symgen.match.decompositions.incomplete_gamma import any_of
from symgen.match.decompositions.numerics import zeros_for
from symgen.match.language import decomposition, helper, torch

DEGREES = 9223372036854775808.0
"""The first that int64 has no number for."""
BEHIND_PI = 1.2246467991473532e-16
"""What π has beyond its double."""
LEAST_ANGLE = 1.0536712127723509e-08
"""The first of which the cosine is below 1 in double precision."""
PI_1 = 3.1415926534682512
"""The first 33 bits of π, of which a multiple is exact."""
PI_2 = 1.2154201012607932e-10
"""The 33 after them."""
PI_3 = 4.044532497591901e-21
"""And the rest."""
EXACT_TURNS = 524288.0
"""How many half turns are subtracted without an error."""


@helper
def fused_difference(op, a, b, c):
    """a · b − c, rounded once where it can be, as the compiler of torch makes it on machines that multiply and add."""
    if op.dtype(a) == torch.float64:
        return a * b - c
    # The product of two float32 numbers is exact in float64.
    return op.cast(op.cast(a, "float64") * op.cast(b, "float64") - op.cast(c, "float64"), like=a)


@helper
def term_after(op, kind: str, x, k, before, last):
    """The polynomial of the degree k + 1, from those of the degrees k − 1 and k."""
    if kind == "chebyshev":
        return fused_difference(op, x + x, last, before)
    degree = op.cast(k, like=x)
    if kind == "hermite_h":
        return fused_difference(op, x + x, last, op.cast(k + k, like=x) * before)
    if kind == "hermite_he":
        return fused_difference(op, x, last, degree * before)
    if kind == "laguerre":
        factor = op.cast(k + k, like=x) + (1.0 - x)
    else:
        factor = op.cast(k + k + 1, like=x) * x
    return fused_difference(op, factor, last, degree * before) / op.cast(k + 1, like=x)


@helper
def by_recurrence(op, kind: str, x, first, degree, is_counted):
    """The polynomial of each degree, given that of degree 1; anything where it is not `is_counted`."""

    def is_unfinished(op, k, left, before, last):
        return any_of(op, left > 0)

    def next_degree(op, k, left, before, last):
        found = op.Where(left > 0, term_after(op, kind, x, k, before, last), last)
        # A nan stays one, and degrees without end are not to be counted up to.
        rest = op.Where(op.IsNaN(found), op.constant(0, like=left), left - 1)
        return k + 1, rest, last, found

    one = op.constant(1.0, like=x)
    steps = op.Where(is_counted, degree - 1, op.constant(0, like=degree))
    start = op.constant([1], "int64")
    _, _, _, found = op.repeat(is_unfinished, next_degree, start, steps, op.Expand(one, op.Shape(x)), first)
    return op.Where(op.Equal(degree, 0), one, found)


@helper
def of_whole_degree(op, degree, value):
    """The value, but 0 for degrees below 0, and without the last axis."""
    value = op.Where(degree < 0, op.constant(0.0, like=value), value)
    return op.Squeeze(value, axes=[op.rank(value) - 1])


@helper
def common_places(op, x, n):
    """(x, n as int64) in their common shape, which the loop must not change, and a last axis.

    The axis is there because the exporter takes 0-d float64 tensors for Python numbers.
    """
    zeros = zeros_for(op, x, n)
    shape = op.Shape(op.Unsqueeze(zeros, axes=[op.rank(zeros)]))
    wide = op.Expand(op.Unsqueeze(x, axes=[op.rank(x)]), shape)
    degree = op.Where(op.Abs(n) < DEGREES, n, op.constant(-1.0, like=n))
    return wide, op.cast(op.Expand(op.Unsqueeze(degree, axes=[op.rank(n)]), shape), "int64")


@helper
def angle_of(op, x):
    """acos(x) in float64, for which ONNX Runtime has no kernel.

    The half of that of |x| has the sine √((1 − |x|) / 2) and the cosine √((1 + |x|) / 2); what an angle in float32
    misses of it has the sine that the addition theorem gives; small ones are x + x³ / 6 of their sine. For x below 0
    it is what is left of π.
    """
    wide = op.cast(x, "float64")
    size = op.Abs(wide)
    sine, cosine = op.Sqrt((1.0 - size) * 0.5), op.Sqrt((1.0 + size) * 0.5)
    near = op.cast(op.Atan(op.cast(sine / cosine, "float32")), "float64")
    half = near + (sine * op.Cos(near) - cosine * op.Sin(near))
    angle = 2.0 * op.Where(sine < 1e-4, sine + sine * sine * sine / 6.0, half)
    return op.Where(wide < 0.0, math.pi - (angle - BEHIND_PI), angle)


@helper
def beyond_turns(op, angle, turns, is_odd):
    """(−1)ᵏ · sin(x − turns · π), −1 to a further power where `is_odd`, as π is subtracted in parts.

    ONNX Runtime's own sine is off by as much next to its zeros as elsewhere, where torch's quotients of two such
    numbers are good to the last place.
    """
    rest = angle - turns * PI_1 - turns * PI_2 - turns * PI_3
    half = op.Floor(turns) * 0.5
    is_even = op.Equal(op.Floor(half), half)
    found = op.Sin(rest)
    return op.Where(op.Not(is_even) if is_odd else is_even, found, -found)


@helper
def sine_of(op, angle):
    """sin(x) for x ≥ 0, rounded once."""
    if op.dtype(angle) != torch.float64:
        return op.cast(op.Sin(op.cast(angle, "float64")), like=angle)
    turns = op.Floor(angle / math.pi + 0.5)
    return op.Where(turns < EXACT_TURNS, beyond_turns(op, angle, turns, False), op.Sin(angle))


@helper
def cosine_of(op, angle):
    """cos(x) for x ≥ 0, rounded once."""
    if op.dtype(angle) != torch.float64:
        return op.cast(op.Cos(op.cast(angle, "float64")), like=angle)
    turns = op.Floor(angle / math.pi) + 0.5
    return op.Where(turns < EXACT_TURNS, beyond_turns(op, angle, turns, True), op.Cos(angle))


@helper
def chebyshev_wave(op, kind: str, x, degree, ahead, behind):
    """Chebyshev's polynomials within −1 to 1, as cosines and sines of multiples of acos(x).

    Next to the ends, where the divisor is lost, `ahead` stands for W and `behind` for V.
    """
    angle = op.cast(angle_of(op, x), like=x)
    half = angle / 2.0
    if kind == "t":
        return cosine_of(op, op.cast(degree, like=x) * angle)
    if kind == "u":
        return sine_of(op, op.cast(degree + 1, like=x) * angle) / sine_of(op, angle)
    turn = (op.cast(degree, like=x) + 0.5) * angle
    if kind == "v":
        is_lost = op.Equal(op.cast(op.Sin(op.cast(half, "float64")), like=half), 1.0)
        return op.Where(is_lost, behind, cosine_of(op, turn) / cosine_of(op, half))
    if op.dtype(x) == torch.float64:
        is_lost = half < LEAST_ANGLE
    else:
        is_lost = op.Equal(cosine_of(op, half), 1.0)
    return op.Where(is_lost, ahead, sine_of(op, turn) / sine_of(op, half))


@helper
def chebyshev_polynomial(op, x, n, kind: str, is_shifted: bool, limit: int):
    """T, U, V or W of x, or of 2x − 1 where it is shifted: beyond the degree `limit` by its wave within −1 to 1.

    At 1 and −1 it is 1 or the degree's measure, with the sign of a power of −1; shifted ones that round to there
    come to the same by the recurrence.
    """
    place, degree = common_places(op, x, n)
    if is_shifted:
        place = place + place - 1.0
    one = op.constant(1.0, like=place)
    sign = op.Where(op.Equal(degree - degree / 2 * 2, 0), one, -one)
    if kind == "t":
        above, below = one, sign
    elif kind == "u":
        above = op.cast(degree + 1, like=place)
        below = sign * above
    elif kind == "v":
        above, below = one, sign * op.cast(degree + degree + 1, like=place)
    else:
        above, below = op.cast(degree + degree + 1, like=place), sign
    first = place
    if kind != "t":
        first = place + place
    if kind == "v":
        first = first - 1.0
    elif kind == "w":
        first = first + 1.0
    size = op.Abs(place)
    is_end = op.Equal(size, 1.0)
    is_wave = (degree > limit) & (size < 1.0)
    value = by_recurrence(op, "chebyshev", place, first, degree, op.Not(is_end | is_wave))
    # Next to 1, the shifted W is what torch has there: the value at −1.
    wave = chebyshev_wave(op, kind, place, degree, below if is_shifted else above, below)
    value = op.Where(is_wave, wave, value)
    value = op.Where(is_end, op.Where(place > 0.0, above, below), value)
    return of_whole_degree(op, degree, value)


@helper
def hermite_polynomial(op, x, n, kind: str):
    """H or He, which torch has as nan beyond a degree of 128, or 512 in double precision."""
    place, degree = common_places(op, x, n)
    limit = 512 if op.dtype(x) == torch.float64 else 128
    first = place + place if kind == "hermite_h" else place
    is_beyond = degree > limit
    value = by_recurrence(op, kind, place, first, degree, op.Not(is_beyond))
    value = op.Where(is_beyond, op.constant(math.nan, like=value), value)
    return of_whole_degree(op, degree, value)


@decomposition("aten::special_chebyshev_polynomial_t", promote=("x", "n"), kind="INT_TO_FLOAT")
def special_chebyshev_polynomial_t(op, x, n):
    """Chebyshev's polynomial of the first kind of x"""
    return chebyshev_polynomial(op, x, n, "t", False, 6)


@decomposition("aten::special_chebyshev_polynomial_u", promote=("x", "n"), kind="INT_TO_FLOAT")
def special_chebyshev_polynomial_u(op, x, n):
    """Chebyshev's polynomial of the second kind of x"""
    return chebyshev_polynomial(op, x, n, "u", False, 8)


@decomposition("aten::special_chebyshev_polynomial_v", promote=("x", "n"), kind="INT_TO_FLOAT")
def special_chebyshev_polynomial_v(op, x, n):
    """Chebyshev's polynomial of the third kind of x"""
    return chebyshev_polynomial(op, x, n, "v", False, 8)


@decomposition("aten::special_chebyshev_polynomial_w", promote=("x", "n"), kind="INT_TO_FLOAT")
def special_chebyshev_polynomial_w(op, x, n):
    """Chebyshev's polynomial of the fourth kind of x"""
    return chebyshev_polynomial(op, x, n, "w", False, 8)


@decomposition("aten::special_shifted_chebyshev_polynomial_t", promote=("x", "n"), kind="INT_TO_FLOAT")
def special_shifted_chebyshev_polynomial_t(op, x, n):
    """Chebyshev's polynomial of the first kind of 2x − 1"""
    return chebyshev_polynomial(op, x, n, "t", True, 6)


@decomposition("aten::special_shifted_chebyshev_polynomial_u", promote=("x", "n"), kind="INT_TO_FLOAT")
def special_shifted_chebyshev_polynomial_u(op, x, n):
    """Chebyshev's polynomial of the second kind of 2x − 1"""
    return chebyshev_polynomial(op, x, n, "u", True, 6)


@decomposition("aten::special_shifted_chebyshev_polynomial_v", promote=("x", "n"), kind="INT_TO_FLOAT")
def special_shifted_chebyshev_polynomial_v(op, x, n):
    """Chebyshev's polynomial of the third kind of 2x − 1"""
    return chebyshev_polynomial(op, x, n, "v", True, 6)


@decomposition("aten::special_shifted_chebyshev_polynomial_w", promote=("x", "n"), kind="INT_TO_FLOAT")
def special_shifted_chebyshev_polynomial_w(op, x, n):
    """Chebyshev's polynomial of the fourth kind of 2x − 1"""
    return chebyshev_polynomial(op, x, n, "w", True, 4)


@decomposition("aten::special_hermite_polynomial_h", promote=("x", "n"), kind="INT_TO_FLOAT")
def special_hermite_polynomial_h(op, x, n):
    """Hermite's polynomial of the physicists"""
    return hermite_polynomial(op, x, n, "hermite_h")


@decomposition("aten::special_hermite_polynomial_he", promote=("x", "n"), kind="INT_TO_FLOAT")
def special_hermite_polynomial_he(op, x, n):
    """Hermite's polynomial of the probabilists"""
    return hermite_polynomial(op, x, n, "hermite_he")


@decomposition("aten::special_laguerre_polynomial_l", promote=("x", "n"), kind="INT_TO_FLOAT")
def special_laguerre_polynomial_l(op, x, n):
    """Laguerre's polynomial"""
    place, degree = common_places(op, x, n)
    is_zero = op.Equal(place, 0.0)
    value = by_recurrence(op, "laguerre", place, 1.0 - place, degree, op.Not(is_zero))
    # At 0 the first is 1, and nothing was counted.
    return of_whole_degree(op, degree, value)


@decomposition("aten::special_legendre_polynomial_p", promote=("x", "n"), kind="INT_TO_FLOAT")
def special_legendre_polynomial_p(op, x, n):
    """Legendre's polynomial"""
    place, degree = common_places(op, x, n)
    one = op.constant(1.0, like=place)
    is_end = op.Equal(op.Abs(place), 1.0)
    value = by_recurrence(op, "legendre", place, place, degree, op.Not(is_end))
    is_even = op.Equal(degree - degree / 2 * 2, 0)
    value = op.Where(is_end, op.Where((place > 0.0) | is_even, one, -one), value)
    return of_whole_degree(op, degree, value)
