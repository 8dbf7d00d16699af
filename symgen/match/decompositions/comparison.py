"""Element-wise comparisons and choices."""

import math

from symgen.match.decompositions.numerics import has_negative_sign
from symgen.match.language import decomposition


@decomposition("aten::heaviside")
def heaviside(op, self, values):
    """0 below zero and for nan, 1 above, `values` at zero"""
    step = op.cast(self > 0, like=values)
    return op.Where(op.Equal(self, 0), values, step)


@decomposition("aten::fmax")
def fmax(op, self, other):
    """The larger one; a number wins over nan"""
    if not op.dtype(self).is_floating_point:
        return op.Max(self, other)
    takes_other = (self < other) | op.IsNaN(self)
    return op.Where(takes_other, other, self)


@decomposition("aten::fmin")
def fmin(op, self, other):
    """The smaller one; a number wins over nan"""
    if not op.dtype(self).is_floating_point:
        return op.Min(self, other)
    takes_other = (self > other) | op.IsNaN(self)
    return op.Where(takes_other, other, self)


@decomposition("aten::signbit")
def signbit(op, self):
    """Whether the sign is negative, that of −0.0 included. The sign of a nan cannot be seen."""
    return has_negative_sign(op, self)


@decomposition("aten::isposinf")
def isposinf(op, self):
    """x = inf; never for whole numbers"""
    if not op.dtype(self).is_floating_point:
        return self < self
    return op.Equal(self, math.inf)


@decomposition("aten::isneginf")
def isneginf(op, self):
    """x = −inf; never for whole numbers"""
    if not op.dtype(self).is_floating_point:
        return self < self
    return op.Equal(self, -math.inf)


@decomposition("aten::isreal")
def isreal(op, self):
    """True for every real tensor."""
    if not op.dtype(self).is_floating_point:
        return op.Equal(self, self)
    return op.Equal(self, self) | op.IsNaN(self)


@decomposition("aten::isclose", promote=("self", "other"))
def isclose(op, self, other, rtol, atol, equal_nan):
    """a = b, or |a − b| ≤ atol + |rtol · b| with a finite distance"""
    close = op.Equal(self, other)
    if equal_nan and op.dtype(self).is_floating_point:
        close = close | (op.IsNaN(self) & op.IsNaN(other))
    if rtol == 0 and atol == 0:
        return close
    a, b = self, other
    if not op.dtype(self).is_floating_point:
        a, b = op.cast(self, "float32"), op.cast(other, "float32")
    distance = op.Abs(a - b)
    allowed = atol + op.Abs(rtol * b)
    # The distance of an infinity from a number is infinite, and so may be what is allowed.
    is_near = (distance <= allowed) & (distance < math.inf)
    return close | is_near
