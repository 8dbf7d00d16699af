"""How operators are said below the opset at which ONNX can say them: functions in the plan language.

Each function takes the operator's inputs by position and its attributes by name, and serves the opsets below the
operator's first. `OLDER_FORMS` in `older_forms.py` names the operator for each.
"""

from symgen.match.language import helper, torch


@helper
def greater_or_equal(op, a, b):
    """a ≥ b, false where either is nan (opset 12 has GreaterOrEqual)."""
    return (a > b) | op.Equal(a, b)


@helper
def less_or_equal(op, a, b):
    """a ≤ b, false where either is nan (opset 12 has LessOrEqual)."""
    return (a < b) | op.Equal(a, b)


@helper
def equal(op, a, b):
    """a = b, also for floating point (opset 11); nan equals nothing."""
    differs = (a > b) | (a < b)
    if op.dtype(a).is_floating_point:
        differs = differs | op.IsNaN(a) | op.IsNaN(b)
    return op.Not(differs)


@helper
def is_infinite(op, x, detect_negative: int = 1, detect_positive: int = 1):
    """Whether x is an infinity, of one sign or either (opset 10 has IsInf)."""
    largest = torch.finfo(op.dtype(x)).max
    if detect_negative and detect_positive:
        x = op.Abs(x)
    elif detect_negative:
        x = -x
    return x > largest


@helper
def larger_of(op, a, b):
    """The larger of two tensors, nan passed on (Max takes integers from opset 12 on)."""
    if op.dtype(a).is_floating_point:
        return op.Max(a, b)
    return op.Where(a > b, a, b)


@helper
def smaller_of(op, a, b):
    """The smaller of two tensors, nan passed on (Min takes integers from opset 12 on)."""
    if op.dtype(a).is_floating_point:
        return op.Min(a, b)
    return op.Where(a < b, a, b)


@helper
def power_of(op, a, b):
    """aᵇ, also for integers (Pow takes them from opset 12 on)."""
    if op.dtype(a).is_floating_point:
        return op.Pow(a, op.cast(b, like=a))
    return op.cast(op.Pow(op.cast(a, "float64"), op.cast(b, "float64")), like=a)


@helper
def rectified(op, x):
    """max(0, x), also for integers (Relu takes them from opset 14 on)."""
    if op.dtype(x).is_floating_point:
        return op.Relu(x)
    return op.Max(x, op.constant(0, like=x))


@helper
def bits_of(op, x):
    """The 64 bits of whole numbers in two's complement, lowest first, along a new last axis."""
    column = op.Unsqueeze(op.cast(x, "int64"), axes=[op.rank(x)])
    powers = op.constant([2**place for place in range(63)])
    shifted = (column - op.Mod(column, powers)) / powers
    sign = op.cast(column < 0, "int64")
    return op.Concat(op.Mod(shifted, 2), sign, axis=-1)


@helper
def number_of(op, bits, like):
    """The whole numbers of which `bits_of` gave the bits, in the dtype of `like`."""
    weights = op.constant([*[2**place for place in range(63)], -(2**63)])
    return op.cast(op.MatMul(bits, weights), like=like)


@helper
def bitwise_and(op, a, b):
    """The bits that both have (opset 18 has BitwiseAnd)."""
    return number_of(op, bits_of(op, a) * bits_of(op, b), like=a)


@helper
def bitwise_or(op, a, b):
    """The bits that either has (opset 18 has BitwiseOr)."""
    x, y = bits_of(op, a), bits_of(op, b)
    return number_of(op, x + y - x * y, like=a)


@helper
def bitwise_xor(op, a, b):
    """The bits that one of them has (opset 18 has BitwiseXor)."""
    return number_of(op, op.Abs(bits_of(op, a) - bits_of(op, b)), like=a)


@helper
def softmax_along(op, x, axis: int):
    """Softmax along one axis, moved to the end: below opset 13 all axes from the given one on count as one."""
    last = op.rank(x) - 1
    if axis % (last + 1) == last:
        return op.Softmax(x, axis=last)
    order = [last if k == axis % (last + 1) else axis % (last + 1) if k == last else k for k in range(last + 1)]
    return op.Transpose(op.Softmax(op.Transpose(x, perm=order), axis=last), perm=order)


@helper
def log_softmax_along(op, x, axis: int):
    """LogSoftmax along one axis, moved to the end: below opset 13 all axes from the given one on count as one."""
    last = op.rank(x) - 1
    if axis % (last + 1) == last:
        return op.LogSoftmax(x, axis=last)
    order = [last if k == axis % (last + 1) else axis % (last + 1) if k == last else k for k in range(last + 1)]
    return op.Transpose(op.LogSoftmax(op.Transpose(x, perm=order), axis=last), perm=order)
