"""Element-wise comparisons and choices."""

import math

from symgen.match.decompositions.numerics import has_negative_sign
from symgen.match.language import decomposition, helper


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


@helper
def is_close(op, a, b, rtol: float, atol: float, equal_nan: bool):
    """Whether a = b, or |a − b| ≤ atol + |rtol · b| with a finite distance."""
    close = op.Equal(a, b)
    if equal_nan and op.dtype(a).is_floating_point:
        close = close | (op.IsNaN(a) & op.IsNaN(b))
    if rtol == 0 and atol == 0:
        return close
    if not op.dtype(a).is_floating_point:
        a, b = op.cast(a, "float32"), op.cast(b, "float32")
    distance = op.Abs(a - b)
    allowed = atol + op.Abs(rtol * b)
    # The distance of an infinity from a number is infinite, and so may be what is allowed.
    is_near = (distance <= allowed) & (distance < math.inf)
    return close | is_near


@helper
def all_true(op, mask):
    """Whether no element is false."""
    return op.Equal(op.ReduceSum(op.cast(op.Not(mask), "int32"), keepdims=0), 0)


@decomposition("aten::isclose", promote=("self", "other"))
def isclose(op, self, other, rtol, atol, equal_nan):
    """a = b, or |a − b| ≤ atol + |rtol · b| with a finite distance"""
    return is_close(op, self, other, rtol, atol, equal_nan)


@decomposition("aten::allclose", promote=("self", "other"), kind="ALWAYS_BOOL")
def allclose(op, self, other, rtol, atol, equal_nan):
    """Whether all elements are equal but for a small distance."""
    return all_true(op, is_close(op, self, other, rtol, atol, equal_nan))


@decomposition("aten::equal", promote=("self", "other"), kind="ALWAYS_BOOL")
def equal(op, self, other):
    """Whether both tensors have the same shape and elements."""
    ranks = op.rank(self), op.rank(other)
    sizes = [(op.static_size(self, axis), op.static_size(other, axis)) for axis in range(min(ranks))]
    if ranks[0] != ranks[1] or any(a != b and None not in (a, b) for a, b in sizes):
        return op.constant(False, "bool")
    if all(a == b and a is not None for a, b in sizes):
        return all_true(op, op.Equal(self, other))

    def compare(op):
        return all_true(op, op.Equal(self, other))

    def differ(op):
        return op.constant(False, "bool")

    return op.cond(all_true(op, op.Equal(op.Shape(self), op.Shape(other))), compare, differ)


@decomposition("aten::eq")
def eq(op, self, other):
    """x = y"""
    return op.Equal(self, other)


@decomposition("aten::ne", "aten::not_equal")
def ne(op, self, other):
    """x ≠ y"""
    return op.Not(op.Equal(self, other))


@decomposition("aten::lt")
def lt(op, self, other):
    """x < y"""
    return self < other


@decomposition("aten::le", "aten::less_equal", promote=("self", "other"), kind="ALWAYS_BOOL")
def le(op, self, other):
    """x ≤ y"""
    return self <= other


@decomposition("aten::gt")
def gt(op, self, other):
    """x > y"""
    return self > other


@decomposition("aten::ge", "aten::greater_equal", promote=("self", "other"), kind="ALWAYS_BOOL")
def ge(op, self, other):
    """x ≥ y"""
    return self >= other


@decomposition("aten::isnan")
def isnan(op, self):
    """x is nan; never for whole numbers"""
    if not op.dtype(self).is_floating_point:
        return self < self
    return op.IsNaN(self)


@decomposition("aten::isinf")
def isinf(op, self):
    """x = ±inf; never for whole numbers"""
    if not op.dtype(self).is_floating_point:
        return self < self
    return op.IsInf(self)


@decomposition("aten::isfinite")
def isfinite(op, self):
    """x is neither infinite nor nan; always for whole numbers"""
    if not op.dtype(self).is_floating_point:
        return op.Equal(self, self)
    return op.Abs(self) < math.inf


@decomposition("aten::logical_and", promote=())
def logical_and(op, self, other):
    """Neither is 0"""
    return op.cast(self, "bool") & op.cast(other, "bool")


@decomposition("aten::logical_or", promote=())
def logical_or(op, self, other):
    """Not both are 0"""
    return op.cast(self, "bool") | op.cast(other, "bool")


@decomposition("aten::logical_xor", promote=())
def logical_xor(op, self, other):
    """One of them is 0"""
    return op.Xor(op.cast(self, "bool"), op.cast(other, "bool"))


@decomposition("aten::logical_not", promote=())
def logical_not(op, self):
    """x is 0"""
    return op.Not(op.cast(self, "bool"))
