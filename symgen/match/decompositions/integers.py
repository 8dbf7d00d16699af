"""Whole numbers: bits, shifts, common divisors."""

from symgen.match.language import decomposition, helper, torch

_POWERS_OF_TWO = [2**n for n in range(63)]


@decomposition("aten::bitwise_and", "aten::__and_", promote=("self", "other"))
def bitwise_and(op, self, other):
    """The bits that both have"""
    return op.BitwiseAnd(self, other)


@decomposition("aten::bitwise_or", "aten::__or_", promote=("self", "other"))
def bitwise_or(op, self, other):
    """The bits that either has"""
    return op.BitwiseOr(self, other)


@decomposition("aten::bitwise_xor", "aten::__xor_", promote=("self", "other"))
def bitwise_xor(op, self, other):
    """The bits that one of them has"""
    return op.BitwiseXor(self, other)


@decomposition("aten::bitwise_not", promote=())
def bitwise_not(op, self):
    """The bits that x lacks: −1 − x, and for bool the opposite"""
    if op.dtype(self) == torch.bool:
        return op.Not(self)
    if op.opset >= 18:
        return op.BitwiseNot(self)
    return op.cast(-1 - op.cast(self, "int64"), like=self)


@decomposition("aten::__iand_", promote=("self", "other"), kind="LIKE_FIRST")
def bitwise_and_in_place(op, self, other):
    """The bits that both have"""
    return op.BitwiseAnd(self, other)


@decomposition("aten::__ior_", promote=("self", "other"), kind="LIKE_FIRST")
def bitwise_or_in_place(op, self, other):
    """The bits that either has"""
    return op.BitwiseOr(self, other)


@decomposition("aten::__ixor_", promote=("self", "other"), kind="LIKE_FIRST")
def bitwise_xor_in_place(op, self, other):
    """The bits that one of them has"""
    return op.BitwiseXor(self, other)


@decomposition("aten::bitwise_left_shift", "aten::__lshift_", "aten::__lshift__", promote=("self", "other"))
def bitwise_left_shift(op, self, other):
    """x · 2ⁿ, and 0 where n is negative or leaves no bit"""
    return shifted_left(op, self, other)


@decomposition("aten::__ilshift_", promote=("self", "other"), kind="LIKE_FIRST")
def bitwise_left_shift_in_place(op, self, other):
    """x · 2ⁿ, and 0 where n is negative or leaves no bit"""
    return shifted_left(op, self, other)


@decomposition("aten::bitwise_right_shift", "aten::__rshift_", "aten::__rshift__", promote=("self", "other"))
def bitwise_right_shift(op, self, other):
    """floor(x / 2ⁿ), and the sign alone where n is negative or leaves no bit"""
    return shifted_right(op, self, other)


@decomposition("aten::__irshift_", promote=("self", "other"), kind="LIKE_FIRST")
def bitwise_right_shift_in_place(op, self, other):
    """floor(x / 2ⁿ), and the sign alone where n is negative or leaves no bit"""
    return shifted_right(op, self, other)


@helper
def shifted_left(op, x, count):
    """x · 2ⁿ, and 0 where n is negative or leaves no bit"""
    known = op.number(count)
    if known is not None and 0 <= known < 31:
        return x * 2**known
    places = op.cast(count, "int64")
    is_outside = (places < 0) | (places > 63)
    place = op.Where(is_outside, op.constant(64), places)
    factors = op.constant([*_POWERS_OF_TWO, -(2**63), 0])
    return op.cast(op.cast(x, "int64") * op.Gather(factors, place), like=x)


@helper
def shifted_right(op, x, count):
    """floor(x / 2ⁿ), and the sign alone where n is negative or leaves no bit"""
    known = op.number(count)
    if known is not None and 0 <= known < 31:
        return floor_divided(op, x, op.constant(2**known, like=x))
    number, places = op.cast(x, "int64"), op.cast(count, "int64")
    is_outside = (places < 0) | (places > 62)
    place = op.Where(is_outside, op.constant(0), places)
    shifted = floor_divided(op, number, op.Gather(op.constant(_POWERS_OF_TWO), place))
    sign = op.cast(number < 0, "int64")
    return op.cast(op.Where(is_outside, -sign, shifted), like=x)


@helper
def floor_divided(op, a, b):
    """The quotient of whole numbers, rounded down; Div rounds towards zero."""
    is_above = op.Not(op.Equal(op.Mod(a, b), 0)) & op.Xor(a < 0, b < 0)
    quotient = a / b
    return quotient - op.cast(is_above, like=quotient)


@decomposition("aten::gcd")
def gcd(op, self, other):
    """The greatest common divisor"""
    return greatest_common_divisor(op, self, other)


@decomposition("aten::lcm")
def lcm(op, self, other):
    """The least common multiple, |a / gcd(a, b) · b|"""
    divisor = greatest_common_divisor(op, self, other)
    is_zero = op.Equal(divisor, 0)
    quotient = self / op.Where(is_zero, op.constant(1, like=divisor), divisor)
    multiple = op.Abs(quotient * other)
    return op.Where(is_zero, op.constant(0, like=multiple), multiple)


@helper
def greatest_common_divisor(op, a, b):
    """Euclid's algorithm, until every element is done."""
    zero = op.constant(0, like=a)
    one = op.constant(1, like=a)

    def is_unfinished(op, rest, divisor):
        return op.ReduceSum(op.cast(op.Not(op.Equal(rest, zero)), "int32"), keepdims=0) > 0

    def divide(op, rest, divisor):
        is_done = op.Equal(rest, zero)
        remainder = op.Mod(divisor, op.Where(is_done, one, rest), fmod=1)
        return remainder, op.Where(is_done, divisor, rest)

    # Both in the shape of the result from the start, which the loop must not change.
    rest = op.Abs(a) + b * zero
    divisor = op.Abs(b) + a * zero
    _, divisor = op.repeat(is_unfinished, divide, rest, divisor)
    return divisor
