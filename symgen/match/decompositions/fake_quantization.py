"""Fake quantisation: rounding to the steps of a quantised type, in floating point, with any range."""

from symgen.match.language import decomposition, helper


@helper
def quantized_steps(op, x, scale, zero_point):
    """X in steps, before the range is applied; halves go to the even step."""
    return op.Round(x * op.Reciprocal(scale) + zero_point)


@helper
def fake_quantized(op, x, scale, zero_point, lowest: int, highest: int):
    """(clamp(round(x / scale + zero point), lowest, highest) − zero point) · scale"""
    steps = quantized_steps(op, x, scale, zero_point)
    inside = op.Min(op.Max(steps, float(lowest)), float(highest))
    return (inside - zero_point) * scale


@helper
def is_in_range(op, x, scale, zero_point, lowest: int, highest: int):
    """Whether an element is quantised without being cut off."""
    steps = quantized_steps(op, x, scale, zero_point)
    return (steps >= float(lowest)) & (steps <= float(highest))


@helper
def along_channels(op, values, x, axis: int):
    """One number per channel in the dtype of x, lying along the axis of the channels."""
    rank = op.rank(x)
    others = [other for other in range(rank) if other != axis % rank]
    vector = op.cast(values, like=x)
    return op.Unsqueeze(vector, axes=others) if others else vector


@decomposition("aten::fake_quantize_per_tensor_affine", promote=("self",), values=("scale", "zero_point"))
def fake_quantize_per_tensor_affine(op, self, scale, zero_point, quant_min, quant_max):
    """Rounded to steps of `scale`, within the range of the quantised type"""
    step, origin = op.cast(scale, like=self), op.cast(zero_point, like=self)
    return fake_quantized(op, self, step, origin, quant_min, quant_max)


@decomposition("aten::fake_quantize_per_tensor_affine_cachemask", promote=("self",), values=("scale", "zero_point"))
def fake_quantize_per_tensor_affine_cachemask(op, self, scale, zero_point, quant_min, quant_max):
    """Rounded to steps of `scale`, and which elements were within the range"""
    step, origin = op.cast(scale, like=self), op.cast(zero_point, like=self)
    mask = is_in_range(op, self, step, origin, quant_min, quant_max)
    return fake_quantized(op, self, step, origin, quant_min, quant_max), mask


@decomposition("aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", promote=("self",))
def _fake_quantize_per_tensor_affine_cachemask_tensor_qparams(
    op, self, scale, zero_point, fake_quant_enabled, quant_min, quant_max
):
    """Rounded to steps of `scale` where that is switched on, and which elements were within the range"""
    step, origin = op.cast(scale, like=self), op.cast(zero_point, like=self)
    is_on = op.cast(fake_quant_enabled, "bool")
    mask = is_in_range(op, self, step, origin, quant_min, quant_max) | op.Not(is_on)
    return op.Where(is_on, fake_quantized(op, self, step, origin, quant_min, quant_max), self), mask


@decomposition("aten::fake_quantize_per_channel_affine", promote=("self",))
def fake_quantize_per_channel_affine(op, self, scale, zero_point, axis, quant_min, quant_max):
    """Rounded to the steps of each channel, within the range of the quantised type"""
    step, origin = along_channels(op, scale, self, axis), along_channels(op, zero_point, self, axis)
    return fake_quantized(op, self, step, origin, quant_min, quant_max)


@decomposition(
    "aten::_fake_quantize_learnable_per_tensor_affine",
    promote=("self",),
    ignore={"grad_factor": "it scales gradients, which an exported model lacks"},
)
def _fake_quantize_learnable_per_tensor_affine(op, self, scale, zero_point, quant_min, quant_max):
    """Rounded to steps of `scale`, the zero point rounded and kept within the range first"""
    step = op.cast(scale, like=self)
    origin = op.Floor(op.cast(zero_point, like=self) + 0.5)
    origin = op.Min(op.Max(origin, float(quant_min)), float(quant_max))
    return fake_quantized(op, self, step, origin, quant_min, quant_max)


@decomposition(
    "aten::_fake_quantize_learnable_per_channel_affine",
    promote=("self",),
    ignore={"grad_factor": "it scales gradients, which an exported model lacks"},
)
def _fake_quantize_learnable_per_channel_affine(op, self, scale, zero_point, axis, quant_min, quant_max):
    """Rounded to the steps of each channel, the zero points rounded and kept within the range first"""
    step = along_channels(op, scale, self, axis)
    origin = op.Floor(along_channels(op, zero_point, self, axis) + 0.5)
    origin = op.Min(op.Max(origin, float(quant_min)), float(quant_max))
    return fake_quantized(op, self, step, origin, quant_min, quant_max)
