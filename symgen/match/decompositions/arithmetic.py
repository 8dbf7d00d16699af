"""Arithmetic with torch's rules for whole numbers, signs and rounding."""

import math

from symgen.match.decompositions.complex_parts import as_complex, complex_product, complex_quotient
from symgen.match.decompositions.integers import floor_divided
from symgen.match.decompositions.numerics import full_log1p_of, has_negative_sign, truncate
from symgen.match.language import decomposition, helper


@decomposition("aten::rsqrt")
def rsqrt(op, self):
    """1 / √x"""
    return op.Reciprocal(op.Sqrt(self))


@decomposition("aten::square")
def square(op, self):
    """x²"""
    return self * self


@decomposition("aten::log2")
def log2(op, self):
    """log(x) / log(2)"""
    return op.Log(self) / math.log(2)


@decomposition("aten::log10")
def log10(op, self):
    """log(x) / log(10)"""
    return op.Log(self) / math.log(10)


@decomposition("aten::log1p", precise=True)
def log1p(op, self):
    """log(1 + x); in float64, which leaves half an ulp of float32"""
    return full_log1p_of(op, self)


@decomposition("aten::atan2")
def atan2(op, self, other):
    """The angle of the point (x, y) = (other, self), from −π to π; the signs of zeros count"""
    y, x = op.Abs(self), op.Abs(other)
    # Of two zeros 0, of two infinities 1.
    ratio = op.Where(op.Equal(y, x), op.Sign(y), y / x)
    angle = op.Atan(ratio)
    angle = op.Where(has_negative_sign(op, other), math.pi - angle, angle)
    return op.Where(has_negative_sign(op, self), -angle, angle)


@helper
def whole_power(op, base, exponent):
    """baseⁿ for whole numbers by repeated squaring, exact up to the wrap-around; a negative power rounded to zero."""
    one, zero = op.constant(1, like=base), op.constant(0, like=base)

    def is_unfinished(op, rest, square, product):
        return op.ReduceSum(op.cast(rest > 0, "int32"), keepdims=0) > 0

    def take_bit(op, rest, square, product):
        is_odd = op.cast(op.Mod(rest, 2), "bool")
        return rest / 2, square * square, op.Where(is_odd, product * square, product)

    # All in the shape of the result from the start, which the loop must not change.
    zeros = base * zero + exponent * zero
    size = op.Abs(exponent) + zeros
    _, _, power = op.repeat(is_unfinished, take_bit, size, base + zeros, one + zeros)
    is_unit = op.Equal(op.Abs(base), one)
    return op.Where((exponent < 0) & op.Not(is_unit), zero, power)


@decomposition("aten::pow")
def pow(op, self, exponent):
    """x ^ y; whole numbers stay whole"""
    if op.dtype(self).is_floating_point:
        return op.Pow(self, exponent)
    known = op.number(exponent)
    if known == 2:
        return self * self
    return whole_power(op, self, exponent)


@helper
def floor_quotient(op, a, b):
    """The quotient of floating-point numbers rounded down, from the remainder as torch computes it."""
    remainder = op.Mod(a, b, fmod=1)
    has_other_sign = op.Not(op.Equal(remainder, 0.0)) & op.Xor(remainder < 0, b < 0)
    quotient = (a - remainder) / b
    quotient = op.Where(has_other_sign, quotient - 1.0, quotient)
    rounded = op.Floor(quotient)
    rounded = op.Where(quotient - rounded > 0.5, rounded + 1.0, rounded)
    rounded = op.Where(op.Equal(quotient, 0.0), op.constant(0.0, like=a) * (a / b), rounded)
    return op.Where(op.Equal(b, 0.0), a / b, rounded)


@decomposition("aten::div", "aten::divide", promote=("self", "other"), unrounded=["other"])
def div(op, self, other, rounding_mode):
    """x / y, also rounded down or towards zero"""
    if op.is_complex(other):
        return op.carried(complex_quotient(op, as_complex(op, self, op.is_complex(self)), other))
    if op.is_complex(self):
        return op.carried(self / op.Unsqueeze(other, [op.rank(other)]))
    is_floating = op.dtype(self).is_floating_point
    if rounding_mode is None:
        return self / other if is_floating else op.cast(self, "float32") / op.cast(other, "float32")
    if rounding_mode == "floor":
        return floor_quotient(op, self, other) if is_floating else floor_divided(op, self, other)
    return truncate(op, self / other) if is_floating else self / other


@decomposition("aten::true_divide", promote=("self", "other"), kind="INT_TO_FLOAT", unrounded=["other"])
def true_divide(op, self, other):
    """x / y"""
    return self / other


@decomposition("aten::floor_divide", unrounded=["other"])
def floor_divide(op, self, other):
    """x / y rounded down"""
    if op.dtype(self).is_floating_point:
        return floor_quotient(op, self, other)
    return floor_divided(op, self, other)


@decomposition("aten::remainder")
def remainder(op, self, other):
    """x − y · floor(x / y), with the sign of y"""
    if not op.dtype(self).is_floating_point:
        return op.Mod(self, other)
    rest = op.Mod(self, other, fmod=1)
    has_other_sign = op.Not(op.Equal(rest, 0.0)) & op.Xor(rest < 0, other < 0)
    return op.Where(has_other_sign, rest + other, rest)


@decomposition("aten::fmod")
def fmod(op, self, other):
    """x − y · trunc(x / y), with the sign of x"""
    return op.Mod(self, other, fmod=1)


@decomposition("aten::round")
def round(op, self, decimals):
    """The nearest whole number, or multiple of 10^−decimals; halves go to the even one"""
    if not op.dtype(self).is_floating_point:
        return op.Identity(self)
    if not decimals:
        return op.Round(self)
    scale = 10.0 ** abs(decimals)
    if decimals > 0:
        return op.Round(self * scale) / scale
    return op.Round(self / scale) * scale


@decomposition("aten::maximum")
def maximum(op, self, other):
    """The larger one, or nan"""
    return op.Max(self, other)


@decomposition("aten::minimum")
def minimum(op, self, other):
    """The smaller one, or nan"""
    return op.Min(self, other)


@decomposition("aten::clamp", "aten::clip")
def clamp(op, self, min, max):
    """At least `min` and at most `max`, which wins"""
    bounded = self if min is None else op.Max(self, min)
    return bounded if max is None else op.Min(bounded, max)


@decomposition("aten::clamp_min", promote=("self", "min"))
def clamp_min(op, self, min):
    """At least `min`"""
    return op.Max(self, min)


@decomposition("aten::clamp_max", promote=("self", "max"))
def clamp_max(op, self, max):
    """At most `max`"""
    return op.Min(self, max)


@decomposition("aten::floor")
def floor(op, self):
    """Rounds down."""
    return op.Floor(self) if op.dtype(self).is_floating_point else op.Identity(self)


@decomposition("aten::ceil")
def ceil(op, self):
    """Rounds up."""
    return op.Ceil(self) if op.dtype(self).is_floating_point else op.Identity(self)


@decomposition("aten::add", promote=("self", "other"))
def add(op, self, other, alpha):
    """x + alpha · y"""
    if not op.is_complex(self) and not op.is_complex(other):
        return self + scaled(op, other, alpha)
    first, second = as_complex(op, self, op.is_complex(self)), as_addend(op, other, op.is_complex(other))
    return op.carried(first + scaled(op, second, alpha))


@decomposition("aten::sub", "aten::subtract", promote=("self", "other"))
def sub(op, self, other, alpha):
    """x − alpha · y"""
    if not op.is_complex(self) and not op.is_complex(other):
        return self - scaled(op, other, alpha)
    first, second = as_complex(op, self, op.is_complex(self)), as_addend(op, other, op.is_complex(other))
    return op.carried(first - scaled(op, second, alpha))


@helper
def as_addend(op, x, is_complex: bool):
    """What is added, as a complex tensor; torch multiplies it by a complex 1, and 0 · inf is nan."""
    number = op.known(x)
    if isinstance(number, (int, float)) and not math.isfinite(number):
        return op.constant([number, math.nan], like=x)
    return as_complex(op, x, is_complex)


@helper
def scaled(op, x, factor: float | None):
    """factor · x"""
    return x if factor is None or factor == 1 else x * factor


@decomposition("aten::mul", "aten::multiply", promote=("self", "other"), unrounded=["other"])
def mul(op, self, other):
    """x · y"""
    if op.is_complex(self) and op.is_complex(other):
        return op.carried(complex_product(op, self, other))
    # A real factor goes with both parts.
    if op.is_complex(self):
        return op.carried(self * op.Unsqueeze(other, [op.rank(other)]))
    if op.is_complex(other):
        return op.carried(op.Unsqueeze(self, [op.rank(self)]) * other)
    return self * other


@decomposition("aten::addcmul")
def addcmul(op, self, tensor1, tensor2, value):
    """x + value · a · b"""
    return self + scaled(op, tensor1, value) * tensor2


@decomposition("aten::lerp", promote=("self", "end"))
def lerp(op, self, end, weight):
    """x + w · (y − x), and from w = ½ on y − (1 − w) · (y − x), which is exact at both ends"""
    weight = op.cast(weight, like=self)
    distance = end - self
    from_start = self + weight * distance
    from_end = end - (1.0 - weight) * distance
    return op.Where(op.Abs(weight) < 0.5, from_start, from_end)
