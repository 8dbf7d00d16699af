"""How operators are said below the opset at which ONNX can say them: functions in the plan language.

Each function takes the operator's inputs, then its attributes, in the order of the call, and serves the opsets below
the operator's first. `OLDER_FORMS` in `older_forms.py` names the operator for each.
"""

from symgen.match.language import helper


@helper
def greater_or_equal(op, a, b):
    """a ≥ b, false where either is nan (opset 12 has GreaterOrEqual)."""
    return (a > b) | op.Equal(a, b)


@helper
def less_or_equal(op, a, b):
    """a ≤ b, false where either is nan (opset 12 has LessOrEqual)."""
    return (a < b) | op.Equal(a, b)


@helper
def equal_of_floats(op, a, b):
    """a = b for floating point, below opset 11, where Equal takes integers only; nan equals nothing."""
    is_number = op.Not(op.IsNaN(a) | op.IsNaN(b))
    return is_number & op.Not((a > b) | (a < b))


@helper
def larger_of(op, a, b):
    """The larger of two tensors, nan passed on, where Max takes no integers (opset 12)."""
    return op.Where((a > b) | op.Not(op.Equal(a, a)), a, b)
