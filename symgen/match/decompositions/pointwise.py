"""Element-wise arithmetic of one, two or three tensors."""

import math

from symgen.match.decompositions.numerics import expm1_of, full_log1p_of, has_negative_sign, softplus_of, truncate
from symgen.match.language import decomposition, torch


@decomposition("aten::hypot")
def hypot(op, self, other):
    """larger · sqrt(1 + (smaller / larger)²), which neither overflows nor underflows where the result does not"""
    a, b = op.Abs(self), op.Abs(other)
    a_is_larger = a > b
    larger = op.Where(a_is_larger, a, b)
    smaller = op.Where(a_is_larger, b, a)
    divisor = op.Where(op.Equal(larger, 0.0), op.constant(1.0, like=larger), larger)
    ratio = smaller / divisor
    length = larger * op.Sqrt(1.0 + ratio * ratio)
    # An infinite side wins even over nan.
    is_infinite = op.IsInf(a) | op.IsInf(b)
    return op.Where(is_infinite, op.constant(math.inf, like=length), length)


@decomposition("aten::deg2rad")
def deg2rad(op, self):
    """x · π / 180"""
    return self * (math.pi / 180)


@decomposition("aten::rad2deg")
def rad2deg(op, self):
    """x · 180 / π"""
    return self * (180 / math.pi)


@decomposition("aten::expm1", "aten::special_expm1", promote=("self",), kind="INT_TO_FLOAT", precise=True)
def expm1(op, self):
    """exp(x) − 1; in float64, which leaves half an ulp of float32"""
    return expm1_of(op, self)


@decomposition("aten::exp2")
def exp2(op, self):
    """2ˣ"""
    return op.Pow(op.constant(2.0, like=self), self)


@decomposition("aten::frac")
def frac(op, self):
    """x − trunc(x), with the sign of x"""
    if op.opset >= 10:
        return op.Mod(self, 1.0, fmod=1)
    return self - truncate(op, self)


@decomposition("aten::trunc")
def trunc(op, self):
    """Rounds towards zero."""
    if not op.dtype(self).is_floating_point:
        return op.Identity(self)
    return truncate(op, self)


@decomposition("aten::sinc", "aten::special_sinc", promote=("self",), kind="INT_TO_FLOAT")
def sinc(op, self):
    """sin(πx) / πx, and 1 at 0"""
    angle = math.pi * self
    ratio = op.Sin(angle) / angle
    return op.Where(op.Equal(self, 0.0), op.constant(1.0, like=self), ratio)


@decomposition("aten::xlogy")
def xlogy(op, self, other):
    """x · log(y), and 0 where x is 0, unless y is nan"""
    product = self * op.Log(other)
    vanishes = op.Equal(self, 0.0) & op.Not(op.IsNaN(other))
    return op.Where(vanishes, op.constant(0.0, like=product), product)


@decomposition("aten::special_xlog1py", precise=True)
def special_xlog1py(op, self, other):
    """x · log(1 + y), and 0 where x is 0, unless y is nan"""
    product = self * full_log1p_of(op, other)
    vanishes = op.Equal(self, 0.0) & op.Not(op.IsNaN(other))
    return op.Where(vanishes, op.constant(0.0, like=product), product)


@decomposition("aten::logaddexp")
def logaddexp(op, self, other):
    """max(a, b) + log(1 + exp(−|a − b|))"""
    # Equal operands may be infinities, whose difference is nan.
    distance = op.Where(op.Equal(self, other), op.constant(0.0, like=self), op.Abs(self - other))
    return op.Max(self, other) + softplus_of(op, -distance)


@decomposition("aten::logaddexp2")
def logaddexp2(op, self, other):
    """max(a, b) + log₂(1 + 2^−|a − b|)"""
    # Equal operands may be infinities, whose difference is nan.
    distance = op.Where(op.Equal(self, other), op.constant(0.0, like=self), op.Abs(self - other))
    excess = softplus_of(op, -math.log(2) * distance)
    return op.Max(self, other) + excess / math.log(2)


@decomposition("aten::copysign")
def copysign(op, self, other):
    """|x| with the sign of y, which may be −0.0"""
    magnitude = op.Abs(self)
    return op.Where(has_negative_sign(op, other), -magnitude, magnitude)


@decomposition("aten::sgn", "aten::sign")
def sgn(op, self):
    """−1, 0 or 1; 0 for nan"""
    sign = op.Sign(self)
    if not op.dtype(self).is_floating_point:
        return sign
    return op.Where(op.IsNaN(self), op.constant(0.0, like=self), sign)


@decomposition("aten::ldexp")
def ldexp(op, self, other):
    """x · 2ⁿ"""
    common = op.common_dtype(self, other)
    if op.dtype(other).is_floating_point:
        # In half precision the power by itself is infinite from n = 16 on.
        wide = torch.float64 if common == torch.float64 else torch.float32
        power = op.cast(op.Pow(op.constant(2.0, wide), op.cast(other, wide)), like=other)
        return op.cast(op.cast(self, wide) * op.cast(power, wide), common)
    if not op.dtype(self).is_floating_point:
        return op.cast(self, torch.float32) * op.Pow(op.constant(2.0, torch.float32), op.cast(other, torch.float32))
    # As in C, n is an int of 32 bits. In three steps, because the power overflows before the product does, or makes nan
    # of 0; two are not enough to take the smallest numbers to the largest ones.
    x, n = op.cast(self, torch.float64), op.cast(op.cast(other, torch.int32), torch.float64)
    n = op.Min(op.Max(n, -3069.0), 3069.0)
    third = op.Floor(n / 3.0)
    for step in (third, third, n - 2.0 * third):
        x = x * op.Pow(op.constant(2.0, torch.float64), step)
    return op.cast(x, like=self)


@decomposition("aten::float_power", promote=("self", "exponent"), kind="DOUBLE")
def float_power(op, self, exponent):
    """x ^ y in float64"""
    return op.Pow(self, exponent)


@decomposition("aten::addcdiv")
def addcdiv(op, self, tensor1, tensor2, value):
    """x + value · a / b"""
    numerator = tensor1 if value == 1 else value * tensor1
    return self + numerator / tensor2


@decomposition("aten::positive", promote=())
def positive(op, self):
    """Of a real tensor, the tensor itself."""
    return op.Identity(self)


@decomposition("aten::special_entr")
def special_entr(op, self):
    """−x · log(x), 0 at 0 and −∞ below"""
    entropy = -self * op.Log(self)
    entropy = op.Where(op.Equal(self, 0.0), op.constant(0.0, like=self), entropy)
    return op.Where(self < 0, op.constant(-math.inf, like=self), entropy)


@decomposition("aten::_neg_view_copy", promote=("self",))
def _neg_view_copy(op, self):
    """−x"""
    return op.Neg(self)


@decomposition("aten::_add_relu", promote=("self", "other"))
def _add_relu(op, self, other, alpha):
    """max(0, self + alpha · other)"""
    total = self + (other if alpha == 1 else other * op.constant(alpha, like=other))
    return op.Max(total, op.constant(0, like=total))
