"""Activation functions."""

from symgen.match.decompositions.numerics import expm1_of
from symgen.match.language import decomposition


@decomposition("aten::elu")
def elu(op, self, alpha, scale, input_scale):
    """scale · (x if x > 0 else alpha · (exp(input_scale · x) − 1))"""
    if scale == 1 and input_scale == 1:
        return op.Elu(self, alpha=alpha)
    negative = alpha * scale * expm1_of(op, input_scale * self)
    return op.Where(self > 0, scale * self, negative)
