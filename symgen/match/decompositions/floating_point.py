"""The parts of floating-point numbers, by arithmetic alone: ONNX does not show bits."""

import math

from symgen.match.decompositions.places import chosen
from symgen.match.language import decomposition, torch


@decomposition("aten::frexp", promote=("self",))
def frexp(op, self):
    """x = mantissa · 2^exponent with 0.5 ≤ |mantissa| < 1; exponent 0 for 0, infinities and nan"""
    smallest = torch.finfo(op.dtype(self)).tiny
    size = op.Abs(self)
    has_parts = (size > 0.0) & (size < math.inf)
    # Numbers below the normal range are scaled into it.
    is_tiny = has_parts & (size < smallest)
    lift = op.Where(is_tiny, op.constant(2.0**64, like=self), op.constant(1.0, like=self))
    x = op.Where(has_parts, self * lift, op.constant(0.5, like=self))
    # The logarithm may miss by one at the powers of 2.
    exponent = op.Floor(op.Log(op.Abs(x)) / math.log(2)) + 1.0
    mantissa = x * op.Pow(op.constant(2.0, like=exponent), -exponent)
    is_large, is_small = op.Abs(mantissa) >= 1.0, op.Abs(mantissa) < 0.5
    half, two = op.constant(0.5, like=mantissa), op.constant(2.0, like=mantissa)
    mantissa = op.Where(is_large, mantissa * half, op.Where(is_small, mantissa * two, mantissa))
    places = op.cast(exponent, "int32") + op.cast(is_large, "int32") - op.cast(is_small, "int32")
    places = places - op.Where(is_tiny, op.constant(64, "int32"), op.constant(0, "int32"))
    return op.Where(has_parts, mantissa, self), op.Where(has_parts, places, op.constant(0, "int32"))


@decomposition("aten::nextafter", promote=("self", "other"), kind="COMMON")
def nextafter(op, self, other):
    """The next number after x on the way to y

    S. Rump, P. Zimmermann, S. Boldo and G. Melquiond, Computing predecessor and successor in rounding to nearest
    (2009): with u half the spacing of the numbers at 1, the neighbours are x ± u (1 + 2u) · |x|, rounded.
    """
    dtype = op.dtype(self)
    unit, smallest = torch.finfo(dtype).eps / 2, torch.finfo(dtype).tiny * torch.finfo(dtype).eps
    computed = torch.float64 if dtype == torch.float64 else torch.float32
    x, y = op.cast(self, computed), op.cast(other, computed)
    one = op.constant(1.0, like=x)
    direction = op.Where(x < y, one, -one)
    size = op.Abs(x)
    # Near the end of the range x is scaled up; below that the spacing is constant.
    scale = op.Where(size < 0.5 * smallest / unit**2, one / unit, one)
    lifted = x * scale
    stepped = (lifted + direction * (unit * (1 + 2 * unit)) * op.Abs(lifted)) / scale
    stepped = op.Where(size < smallest / unit, x + direction * smallest, stepped)
    stepped = op.Where(op.Equal(size, math.inf), direction * -torch.finfo(dtype).max, stepped)
    stepped = op.Where(op.Equal(x, y) | op.IsNaN(y), y, stepped)
    return op.cast(stepped, dtype)


@decomposition("aten::nan_to_num")
def nan_to_num(op, self, nan, posinf, neginf):
    """The numbers with others in place of nan (0) and the infinities (the ends of the range)"""
    dtype = op.dtype(self)
    if not dtype.is_floating_point:
        return op.Identity(self)
    limits = torch.finfo(dtype)
    for_nan = op.constant(0.0 if nan is None else nan, dtype=dtype)
    largest = op.constant(limits.max if posinf is None else posinf, dtype=dtype)
    smallest = op.constant(limits.min if neginf is None else neginf, dtype=dtype)
    found = chosen(op, op.Equal(self, -math.inf), smallest, chosen(op, op.IsNaN(self), for_nan, self))
    return chosen(op, op.Equal(self, math.inf), largest, found)
