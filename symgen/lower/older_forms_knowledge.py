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
    first_wins = a > b
    if op.dtype(a).is_floating_point:
        first_wins = first_wins | op.IsNaN(a)
    return op.Where(first_wins, a, b)


@helper
def smaller_of(op, a, b):
    """The smaller of two tensors, nan passed on (Min takes integers from opset 12 on)."""
    first_wins = a < b
    if op.dtype(a).is_floating_point:
        first_wins = first_wins | op.IsNaN(a)
    return op.Where(first_wins, a, b)
