"""Element-wise functions of one or two tensors."""

from symgen.match.decompositions.numerics import expm1_of
from symgen.match.language import decomposition


@decomposition("aten::elu")
def elu(op, self, alpha, scale, input_scale):
    """scale · (x if x > 0 else alpha · (exp(input_scale · x) − 1))"""
    if scale == 1 and input_scale == 1:
        return op.Elu(self, alpha=alpha)
    negative = alpha * scale * expm1_of(op, input_scale * self)
    return op.Where(self > 0, scale * self, negative)


@decomposition("aten::hypot")
def hypot(op, self, other):
    """larger · sqrt(1 + (smaller / larger)²), which neither overflows nor underflows where the result does not"""
    a, b = op.Abs(self), op.Abs(other)
    a_is_larger = a > b
    larger = op.Where(a_is_larger, a, b)
    smaller = op.Where(a_is_larger, b, a)
    # 0 / 0 and inf / inf are not wanted: the ratio only matters between finite numbers that are not both zero.
    equal = op.Equal(larger, smaller)
    ratio = op.Where(equal, op.constant(1.0, like=larger), smaller / larger)
    root = op.Sqrt(1.0 + ratio * ratio)
    return larger * root


@decomposition("aten::huber_loss", promote=("self", "target"))
def huber_loss(op, self, target, reduction, delta):
    """0.5 · d² where |d| ≤ delta, else delta · (|d| − 0.5 · delta), with d = self − target"""
    distance = op.Abs(self - target)
    quadratic = 0.5 * distance * distance
    linear = delta * (distance - 0.5 * delta)
    loss = op.Where(distance > delta, linear, quadratic)
    if reduction == 0:
        return loss
    if reduction == 1:
        return op.ReduceMean(loss, keepdims=0)
    return op.ReduceSum(loss, keepdims=0)
