"""Activation functions."""

import math

from symgen.match.decompositions.extremes import comparable
from symgen.match.decompositions.numerics import bounded, expm1_of, softplus_of
from symgen.match.language import decomposition, torch


@decomposition("aten::relu")
def relu(op, self):
    """max(0, x)"""
    if op.dtype(self).is_floating_point:
        return op.Relu(self)
    return op.Max(self, op.constant(0, like=self))


@decomposition("aten::hardtanh", "aten::hardtanh_")
def hardtanh(op, self, min_val, max_val):
    """x, but at least `min_val` and at most `max_val`"""
    return bounded(op, self, min_val, max_val)


@decomposition("aten::hardtanh_backward", promote=("grad_output", "self"))
def hardtanh_backward(op, grad_output, self, min_val, max_val):
    """The gradient where x is between the limits, else 0"""
    is_within = (self > min_val) & (self < max_val)
    return op.Where(is_within, grad_output, op.constant(0, like=grad_output))


@decomposition("aten::relu6", promote=("self",))
def relu6(op, self):
    """x, but at least 0 and at most 6"""
    return op.Min(op.Max(self, op.constant(0, like=self)), op.constant(6, like=self))


@decomposition("aten::elu")
def elu(op, self, alpha, scale, input_scale):
    """scale · (x if x > 0 else alpha · (exp(input_scale · x) − 1))"""
    if scale == 1 and input_scale == 1:
        return op.Elu(self, alpha=alpha)
    negative = alpha * scale * expm1_of(op, input_scale * self)
    return op.Where(self < 0, negative, scale * self)


@decomposition("aten::leaky_relu", promote=("self",))
def leaky_relu(op, self, negative_slope):
    """x if x > 0 else slope · x"""
    if math.isinf(negative_slope) or negative_slope != negative_slope:
        return op.Where(self > 0, self, negative_slope * self)
    return op.LeakyRelu(self, alpha=negative_slope)


@decomposition("aten::celu", promote=("self",))
def celu(op, self, alpha):
    """x if x > 0 else alpha · (exp(x / alpha) − 1)"""
    if op.opset >= 12 and op.dtype(self) == torch.float32:
        return op.Celu(self, alpha=alpha)
    return op.Where(self > 0, self, alpha * expm1_of(op, self / alpha))


@decomposition("aten::selu", promote=("self",))
def selu(op, self):
    """1.0507 · (x if x > 0 else 1.6733 · (exp(x) − 1))"""
    return op.Selu(self)


@decomposition("aten::silu", promote=("self",))
def silu(op, self):
    """x · sigmoid(x)"""
    if op.opset >= 24:
        return op.Swish(self)
    return self * op.Sigmoid(self)


@decomposition("aten::mish", promote=("self",))
def mish(op, self):
    """x · tanh(log(1 + exp(x)))"""
    if op.opset >= 18:
        return op.Mish(self)
    return self * op.Tanh(softplus_of(op, self))


@decomposition("aten::hardsigmoid", promote=("self",))
def hardsigmoid(op, self):
    """x / 6 + ½, but at least 0 and at most 1"""
    return op.HardSigmoid(self, alpha=1 / 6, beta=0.5)


@decomposition("aten::hardswish", promote=("self",))
def hardswish(op, self):
    """x · hardsigmoid(x)"""
    if op.opset >= 14 and op.dtype(self) != torch.float64:
        return op.HardSwish(self)
    # The runtime has no HardSwish for float64.
    return self * op.Min(op.Max(self + 3.0, 0.0), 6.0) / 6.0


@decomposition("aten::gelu", promote=("self",))
def gelu(op, self, approximate):
    """x · Φ(x) with the normal distribution Φ, or its approximation by tanh"""
    if op.opset >= 20:
        return op.Gelu(self, approximate=approximate)
    half = 0.5 * self
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (self + 0.044715 * self * self * self)
        return half * (1.0 + op.Tanh(inner))
    return half * (1.0 + op.Erf(self * math.sqrt(0.5)))


@decomposition("aten::prelu", "aten::_prelu_kernel", promote=("self", "weight"))
def prelu(op, self, weight):
    """x if x > 0 else weight · x, one weight for all or one for each channel of the second axis"""
    rank = op.rank(self)
    if rank == 0:
        weight = op.Reshape(weight, [])
    elif rank > 2 and op.rank(weight) == 1:
        weight = op.Unsqueeze(weight, axes=list(range(1, rank - 1)))
    if op.dtype(self) == torch.float64:
        # The runtime has no PRelu for float64.
        return op.Where(self > 0, self, weight * self)
    return op.PRelu(self, weight)


@decomposition("aten::glu", promote=("self",))
def glu(op, self, dim):
    """The first half along an axis times σ of the second"""
    axis = dim % op.rank(self)
    half = op.size(self, axis) / 2
    first = op.Slice(self, [0], half, [axis])
    second = op.Slice(self, half, op.size(self, axis), [axis])
    # The runtime's Sigmoid is 0 before the quotient is.
    return first / (1.0 + op.Exp(-second))


@decomposition("aten::threshold", promote=())
def threshold(op, self, threshold, value):
    """x where it is above the threshold, or nan, else `value`"""
    dtype = op.dtype(self)
    # A limit below 0 counts from the end of uint8, as torch has it.
    limit = int(threshold) % 256 if dtype == torch.uint8 else threshold
    x = op.cast(self, "float32") if dtype in (torch.float16, torch.bfloat16) else comparable(op, self)
    return op.cast(op.Where(x <= limit, op.constant(value, like=x), x), dtype)


@decomposition("aten::hardshrink", promote=("self",))
def hardshrink(op, self, lambd):
    """0 within ±lambda, else x"""
    is_within = (self >= -lambd) & (self <= lambd)
    return op.Where(is_within, op.constant(0.0, like=self), self)


@decomposition("aten::softshrink", promote=("self",))
def softshrink(op, self, lambd):
    """0 within ±lambda, else x moved towards 0 by lambda"""
    below = op.Min(self + lambd, 0.0)
    return op.Max(self - lambd, 0.0) + below


@decomposition("aten::log_sigmoid", promote=("self",))
def log_sigmoid(op, self):
    """−log(1 + exp(−x))"""
    return -softplus_of(op, -self)


@decomposition("aten::softplus", promote=("self",))
def softplus(op, self, beta, threshold):
    """log(1 + exp(beta · x)) / beta, and x itself where beta · x is above the threshold"""
    if beta == 1:
        value = softplus_of(op, self)
        scaled = self
    else:
        scaled = beta * self
        value = softplus_of(op, scaled) / beta
    # From 20 on the two agree in all the digits that count, unless the product overflows.
    return value if threshold >= 20 and beta <= 1 else op.Where(scaled > threshold, self, value)


@decomposition("aten::logit", promote=("self",), kind="INT_TO_FLOAT")
def logit(op, self, eps):
    """log(x / (1 − x)), of x between eps and 1 − eps if that is given"""
    x = self if eps is None else bounded(op, self, eps, 1.0 - eps)
    if eps is not None and eps > 0.5:
        # Of limits that have crossed the lower one is asked first.
        x = op.Where(self < eps, op.constant(eps, like=self), x)
    return op.Log(x / (1.0 - x))
