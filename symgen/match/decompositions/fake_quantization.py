"""Fake quantisation: rounding to the steps of a quantised type, in floating point, with any range."""

from symgen.match.language import decomposition, helper, torch


@helper
def quantized_steps(op, x, scale, zero_point):
    """x in steps, before the range is applied; halves go to the even step."""
    return op.Round(x * op.Reciprocal(scale)) + zero_point


@helper
def within_range(op, steps, lowest: int, highest: int):
    """Steps cut off at the ends of the range."""
    return op.Min(op.Max(steps, float(lowest)), float(highest))


@helper
def fake_quantized(op, x, scale, zero_point, lowest: int, highest: int):
    """(clamp(round(x / scale) + zero point, lowest, highest) − zero point) · scale"""
    steps = quantized_steps(op, x, scale, zero_point)
    return (within_range(op, steps, lowest, highest) - zero_point) * scale


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


@helper
def has_quantized_type(op, x, lowest: int, highest: int) -> bool:
    """Whether QuantizeLinear has the range."""
    return op.dtype(x) == torch.float32 and (lowest, highest) in [(0, 255), (-128, 127)]


@decomposition("aten::fake_quantize_per_tensor_affine", promote=("self",), values=("scale", "zero_point"))
def fake_quantize_per_tensor_affine(op, self, scale, zero_point, quant_min, quant_max):
    """Rounded to steps of `scale`, within the range of the quantised type"""
    if has_quantized_type(op, self, quant_min, quant_max):
        # Runtimes look for this pair of operators when they make a quantised model.
        step, origin = op.cast(scale, "float32"), op.cast(zero_point, torch.uint8 if quant_min == 0 else torch.int8)
        return op.DequantizeLinear(op.QuantizeLinear(op.cast(self, "float32"), step, origin), step, origin)
    return fake_quantized(op, self, op.cast(scale, like=self), op.cast(zero_point, like=self), quant_min, quant_max)


@decomposition("aten::fake_quantize_per_channel_affine", promote=("self",))
def fake_quantize_per_channel_affine(op, self, scale, zero_point, axis, quant_min, quant_max):
    """Rounded to the steps of each channel, within the range of the quantised type"""
    if op.opset >= 13 and has_quantized_type(op, self, quant_min, quant_max):
        # Runtimes look for this pair of operators when they make a quantised model.
        origins = op.cast(zero_point, torch.uint8 if quant_min == 0 else torch.int8)
        steps = op.cast(scale, "float32")
        return op.DequantizeLinear(op.QuantizeLinear(self, steps, origins, axis=axis), steps, origins, axis=axis)
    step, origin = along_channels(op, scale, self, axis), along_channels(op, zero_point, self, axis)
    return fake_quantized(op, self, step, origin, quant_min, quant_max)


@decomposition("aten::fake_quantize_per_tensor_affine_cachemask", promote=("self",), values=("scale", "zero_point"))
def fake_quantize_per_tensor_affine_cachemask(op, self, scale, zero_point, quant_min, quant_max):
    """Rounded to steps of `scale`, and which elements were within the range"""
    step, origin = op.cast(scale, like=self), op.cast(zero_point, like=self)
    mask = is_in_range(op, self, step, origin, quant_min, quant_max)
    return fake_quantized(op, self, step, origin, quant_min, quant_max), mask


@decomposition("aten::fake_quantize_per_channel_affine_cachemask", promote=("self",))
def fake_quantize_per_channel_affine_cachemask(op, self, scale, zero_point, axis, quant_min, quant_max):
    """Rounded to the steps of each channel, and which elements were within the range"""
    step, origin = along_channels(op, scale, self, axis), along_channels(op, zero_point, self, axis)
    mask = is_in_range(op, self, step, origin, quant_min, quant_max)
    return fake_quantized(op, self, step, origin, quant_min, quant_max), mask


@decomposition("aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", promote=("self",))
def _fake_quantize_per_tensor_affine_cachemask_tensor_qparams(
    op, self, scale, zero_point, fake_quant_enabled, quant_min, quant_max
):
    """Rounded to steps of `scale` where that is switched on, and which elements were within the range"""
    step, origin = op.cast(scale, like=self), op.cast(zero_point, like=self)
    is_on = op.Reshape(op.cast(fake_quant_enabled, "bool"), [])
    mask = is_in_range(op, self, step, origin, quant_min, quant_max) | op.Not(is_on)
    return op.Where(is_on, fake_quantized(op, self, step, origin, quant_min, quant_max), self), mask


@decomposition(
    "aten::_fake_quantize_learnable_per_tensor_affine",
    promote=("self",),
    ignore={"grad_factor": "it scales gradients, which an exported model lacks"},
)
def _fake_quantize_learnable_per_tensor_affine(op, self, scale, zero_point, quant_min, quant_max):
    """Rounded to steps of `scale`, the zero point rounded and kept within the range first"""
    step, origin = op.Reshape(op.cast(scale, like=self), []), op.Reshape(op.cast(zero_point, like=self), [])
    return fake_quantized(
        op, self, step, within_range(op, op.Round(origin), quant_min, quant_max), quant_min, quant_max
    )


@decomposition(
    "aten::_fake_quantize_learnable_per_channel_affine",
    promote=("self",),
    ignore={"grad_factor": "it scales gradients, which an exported model lacks"},
)
def _fake_quantize_learnable_per_channel_affine(op, self, scale, zero_point, axis, quant_min, quant_max):
    """Rounded to the steps of each channel, the zero points rounded and kept within the range first"""
    step = along_channels(op, scale, self, axis)
    origin = within_range(op, op.Round(along_channels(op, zero_point, self, axis)), quant_min, quant_max)
    return fake_quantized(op, self, step, origin, quant_min, quant_max)


@helper
def limit_after(op, running, seen, is_observing, weight: float):
    """A running limit, moved towards what was seen now if the observer is on; an infinite one has seen nothing yet."""
    old = op.cast(running, "float32")
    averaged = op.Where(op.IsInf(old), seen, old + weight * (seen - old))
    return op.Where(is_observing, averaged, old)


@helper
def chosen_parameters(op, smallest, largest, lowest: int, highest: int, is_symmetric: bool):
    """Scale and zero point for values between two limits, as `ChooseQuantizationParams` of ATen finds them."""
    least, most = op.cast(smallest, "float64"), op.cast(largest, "float64")
    spread = highest - lowest
    has_both_signs = (least < 0.0) & (most > 0.0)
    if is_symmetric:
        below, above = float(-(spread // 2 + 1)), float(spread // 2)
        widest = op.Max(op.Abs(least / below), op.Abs(most / above))
        least, most = op.Where(has_both_signs, widest * below, least), op.Where(has_both_signs, widest * above, most)
    least, most = op.Min(least, 0.0), op.Max(most, 0.0)
    scale = (most - least) / float(spread)
    is_useless = op.IsInf(op.cast(op.Reciprocal(scale), "float32"))
    scale = op.Where(is_useless, op.constant([0.1], like=scale), scale)
    is_fine = scale < 6.1e-5
    amplifier = op.Where(is_fine, 6.1e-5 / scale, op.constant([1.0], like=scale))
    step = scale * amplifier
    from_least = lowest - least * amplifier / step
    from_most = highest - most * amplifier / step
    least_error = abs(lowest) + op.Abs(least * amplifier / step)
    most_error = abs(highest) + op.Abs(most * amplifier / step)
    origin = op.Where(least_error < most_error, from_least, from_most)
    if is_symmetric:
        origin = op.Where(has_both_signs, op.constant([(lowest + highest) / 2], like=origin), origin)
    return step, op.Round(within_range(op, origin, lowest, highest))


@helper
def observed_fake_quantized(
    op,
    x,
    observer_on,
    fake_quant_on,
    running_min,
    running_max,
    weight: float,
    lowest: int,
    highest: int,
    axis: int | None,
    is_symmetric: bool,
):
    """The fake-quantised tensor, and which elements were within the range; without an axis one scale for all."""
    flat = op.Reshape(x, [-1]) if axis is None else x
    axes = [0] if axis is None else [other for other in range(op.rank(x)) if other != axis % op.rank(x)]
    is_observing = op.Reshape(op.cast(observer_on, "bool"), [])
    smallest = op.ReduceMin(flat, axes=axes, keepdims=int(axis is None))
    largest = op.ReduceMax(flat, axes=axes, keepdims=int(axis is None))
    least = limit_after(op, running_min, smallest, is_observing, weight)
    most = limit_after(op, running_max, largest, is_observing, weight)
    scale, zero_point = chosen_parameters(op, least, most, lowest, highest, is_symmetric)
    if axis is None:
        step, origin = op.Reshape(op.cast(scale, like=x), []), op.Reshape(op.cast(zero_point, like=x), [])
    else:
        step, origin = along_channels(op, scale, x, axis), along_channels(op, zero_point, x, axis)
    is_on = op.Reshape(op.cast(fake_quant_on, "bool"), [])
    mask = is_in_range(op, x, step, origin, lowest, highest) | op.Not(is_on)
    return op.Where(is_on, fake_quantized(op, x, step, origin, lowest, highest), x), mask


@decomposition(
    "aten::fused_moving_avg_obs_fake_quant",
    promote=("self",),
    ignore={
        "scale": "torch overwrites it before it is read, with that of the running limits",
        "zero_point": "torch overwrites it before it is read, with that of the running limits",
    },
)
def fused_moving_avg_obs_fake_quant(
    op,
    self,
    observer_on,
    fake_quant_on,
    running_min,
    running_max,
    averaging_const,
    quant_min,
    quant_max,
    ch_axis,
    per_row_fake_quant,
    symmetric_quant,
):
    """Fake quantisation with the scale of the running limits, which follow x while the observer is on"""
    axis = ch_axis if per_row_fake_quant else None
    value, _ = observed_fake_quantized(
        op, self, observer_on, fake_quant_on, running_min, running_max,
        averaging_const, quant_min, quant_max, axis, symmetric_quant,
    )  # fmt: skip
    return value


@decomposition(
    "aten::_fused_moving_avg_obs_fq_helper",
    promote=("self",),
    ignore={
        "scale": "torch overwrites it before it is read, with that of the running limits",
        "zero_point": "torch overwrites it before it is read, with that of the running limits",
    },
)
def _fused_moving_avg_obs_fq_helper(
    op,
    self,
    observer_on,
    fake_quant_on,
    running_min,
    running_max,
    averaging_const,
    quant_min,
    quant_max,
    ch_axis,
    per_row_fake_quant,
    symmetric_quant,
):
    """Fake quantisation with the scale of the running limits, which follow x while the observer is on, and its mask"""
    axis = ch_axis if per_row_fake_quant else None
    return observed_fake_quantized(
        op, self, observer_on, fake_quant_on, running_min, running_max,
        averaging_const, quant_min, quant_max, axis, symmetric_quant,
    )  # fmt: skip
