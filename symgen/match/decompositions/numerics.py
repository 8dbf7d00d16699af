"""Numerics that several entries share, each with its source and its accuracy."""

from symgen.match.language import helper


@helper
def expm1_of(op, x):
    """exp(x) − 1 without cancellation near 0.

    Uses exp(x) − 1 = tanh(x / 2) · (exp(x) + 1), exact as an identity and free of cancellation.
    """
    return op.Tanh(0.5 * x) * (op.Exp(x) + 1.0)
