"""Quantised operators: their arguments dequantised, computed in float, and the result quantised again."""

from symgen.match.decompositions.numerics import expm1_of
from symgen.match.language import decomposition, helper


@decomposition("quantized::elu", promote=(), values=("output_scale", "output_zero_point"), since=10)
def quantized_elu(op, self, output_scale, output_zero_point, alpha, scale, input_scale):
    """scale · (x if x > 0 else alpha · (exp(input_scale · x) − 1))"""
    x = op.dequantized(self)
    if scale == 1 and input_scale == 1:
        result = op.Elu(x, alpha=alpha)
    else:
        curve = expm1_of(op, input_scale * x)
        result = op.Where(x > 0, scale * x, alpha * scale * curve)
    return op.quantized(result, output_scale, output_zero_point, self)


@decomposition("quantized::celu", promote=(), values=("output_scale", "output_zero_point"), since=10)
def quantized_celu(op, self, output_scale, output_zero_point, alpha):
    """max(x, 0) + min(alpha · (exp(x / alpha) − 1), 0)"""
    x = op.dequantized(self)
    curve = expm1_of(op, x / alpha)
    result = op.Where(x > 0, x, alpha * curve)
    return op.quantized(result, output_scale, output_zero_point, self)


@decomposition("quantized::relu6", promote=(), since=10, ignore={"inplace": "an export has no memory to save"})
def quantized_relu6(op, qx):
    """min(max(x, 0), 6), quantised as x is"""
    return op.requantized(op.Clip(op.dequantized(qx), 0.0, 6.0), qx)


@decomposition("quantized::clamp", promote=(), since=10)
def quantized_clamp(op, qx, min, max):
    """min(max(x, min), max), quantised as x is"""
    x = op.dequantized(qx)
    if min is not None:
        x = op.Max(x, op.constant(min, "float32"))
    if max is not None:
        x = op.Min(x, op.constant(max, "float32"))
    return op.requantized(x, qx)


@decomposition("quantized::threshold", promote=(), since=10)
def quantized_threshold(op, qx, threshold, value):
    """x if x > threshold else value, quantised as x is"""
    x = op.dequantized(qx)
    return op.requantized(op.Where(x > threshold, x, op.constant(value, "float32")), qx)


@decomposition("quantized::softmax", promote=(), values=("output_scale", "output_zero_point"), since=13)
def quantized_softmax(op, qx, dim, output_scale, output_zero_point):
    """exp(x) / Σ exp(x) along dim"""
    x = op.dequantized(qx)
    # One number alone has no axis for Softmax to go along.
    result = op.Exp(x - x) if op.rank(x) == 0 else op.Softmax(x, axis=dim)
    return op.quantized(result, output_scale, output_zero_point, qx)


@decomposition(
    "quantized::dropout",
    promote=(),
    since=10,
    only={"training": False},
    ignore={
        "p": "outside of training nothing is dropped",
        "output_scale": "torch leaves the tensor quantised as it is",
        "output_zero_point": "torch leaves the tensor quantised as it is",
    },
)
def quantized_dropout(op, self):
    """x"""
    return self


@decomposition(
    "quantized::batch_norm",
    "quantized::batch_norm1d",
    "quantized::batch_norm2d",
    "quantized::batch_norm3d",
    promote=(),
    values=("output_scale", "output_zero_point"),
    since=10,
)
def quantized_batch_norm(op, qx, weight, bias, mean, var, eps, output_scale, output_zero_point):
    """(x − mean) / √(var + eps) · weight + bias, channel by channel"""
    result = normalized(op, op.dequantized(qx), weight, bias, mean, var, eps)
    return op.quantized(result, output_scale, output_zero_point, qx)


@decomposition(
    "quantized::batch_norm_relu",
    "quantized::batch_norm1d_relu",
    "quantized::batch_norm2d_relu",
    "quantized::batch_norm3d_relu",
    promote=(),
    values=("output_scale", "output_zero_point"),
    since=10,
)
def quantized_batch_norm_relu(op, qx, weight, bias, mean, var, eps, output_scale, output_zero_point):
    """max((x − mean) / √(var + eps) · weight + bias, 0), channel by channel"""
    result = op.Relu(normalized(op, op.dequantized(qx), weight, bias, mean, var, eps))
    return op.quantized(result, output_scale, output_zero_point, qx)


@helper
def normalized(op, x, weight, bias, mean, var, eps: float):
    """(x − mean) / √(var + eps) · weight + bias, channel by channel."""
    factor = op.Reciprocal(op.Sqrt(var + eps))
    if weight is not None:
        factor = factor * weight
    shift = -mean * factor
    if bias is not None:
        shift = shift + bias
    sizes = [-1] + [1] * (op.rank(x) - 2)
    return x * op.Reshape(factor, sizes) + op.Reshape(shift, sizes)


@decomposition(
    "quantized::mul_relu",
    promote=(),
    values=("scale", "zero_point"),
    since=10,
    limits=("a number as factor raises",),
)
def quantized_mul_relu(op, qa, qb, scale, zero_point):
    """max(a · b, 0)"""
    if scale is None:
        op.fail("quantized::mul_relu: a number as factor has no translation", qa)
    result = op.Relu(op.dequantized(qa) * op.dequantized(qb))
    return op.quantized(result, scale, zero_point, qa)


@decomposition("quantized::add_scalar", promote=(), values=("b",), since=12)
def quantized_add_scalar(op, qa, b):
    """a + b, with b in whole steps; the zero point moves, and the steps grow where it would leave its range"""
    scale = op.scale_of(qa)
    steps = op.Round(op.cast(b, "float32") / scale)
    zero_point = op.zero_point_of(qa) - steps
    growth = op.Max(op.Max((255.0 - zero_point) / 255.0, zero_point / 255.0), op.constant(1.0, "float32"))
    result = op.dequantized(qa) + steps * scale
    return op.quantized(result, scale * growth, op.Clip(zero_point, 0.0, 255.0), qa)


@decomposition("quantized::mul_scalar", promote=(), values=("b",), since=12)
def quantized_mul_scalar(op, qa, b):
    """a · b; the steps grow by |b|, and a negative b turns the range around"""
    return rescaled(op, qa, op.cast(b, "float32"), False)


@decomposition("quantized::mul_scalar_relu", promote=(), values=("b",), since=12)
def quantized_mul_scalar_relu(op, qa, b):
    """max(a · b, 0); the steps grow by |b|, and a negative b turns the range around"""
    return rescaled(op, qa, op.cast(b, "float32"), True)


@helper
def rescaled(op, qa, b, relu: bool):
    """The product of a quantised tensor and a number."""
    zero_point = op.zero_point_of(qa)
    result = op.dequantized(qa) * b
    if relu:
        result = op.Relu(result)
    scale = op.Where(b == 0.0, op.constant(1.0, "float32"), op.scale_of(qa) * op.Abs(b))
    turned = op.Where(b < 0.0, 255.0 - zero_point, zero_point)
    return op.quantized(result, scale, op.Where(b == 0.0, op.constant(0.0, "float32"), turned), qa)
