"""Fake quantisation: rounding to the steps of a quantised type, in floating point, with any range."""

from symgen.match.language import decomposition, helper, torch


@helper
def quantized_steps(op, x, scale, zero_point):
    """X in steps, before the range is applied; halves go to the even step."""
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
    step = op.cast(scale, like=self)
    if has_quantized_type(op, self, quant_min, quant_max):
        # Runtimes look for this pair of operators when they make a quantised model.
        origin = op.cast(zero_point, torch.uint8 if quant_min == 0 else torch.int8)
        return op.DequantizeLinear(op.QuantizeLinear(self, step, origin), step, origin)
    return fake_quantized(op, self, step, op.cast(zero_point, like=self), quant_min, quant_max)


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
    is_on = op.cast(fake_quant_enabled, "bool")
    mask = is_in_range(op, self, step, origin, quant_min, quant_max) | op.Not(is_on)
    return op.Where(is_on, fake_quantized(op, self, step, origin, quant_min, quant_max), self), mask


@decomposition(
    "aten::_fake_quantize_learnable_per_tensor_affine",
    promote=("self",),
    ignore={"grad_factor": "it scales gradients, which an exported model lacks"},
)
def _fake_quantize_learnable_per_tensor_affine(op, self, scale, zero_point, quant_min, quant_max):
    """Rounded to steps of `scale`, the zero point rounded and kept within the range first"""
    origin = within_range(op, op.Round(op.cast(zero_point, like=self)), quant_min, quant_max)
    return fake_quantized(op, self, op.cast(scale, like=self), origin, quant_min, quant_max)


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
def averaged(op, running, seen, weight: float):
    """The moving average with what was seen now; an infinite one has seen nothing yet."""
    old = op.cast(running, "float32")
    return op.Where(op.IsInf(old), seen, old + weight * (seen - old))


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
def observed_parameters(
    op,
    x,
    running_min,
    running_max,
    weight: float,
    lowest: int,
    highest: int,
    axis: int | None,
    is_symmetric: bool,
):
    """Scales and zero points, one row each, after the running limits have taken in x; without an axis of one pair."""
    flat = op.Reshape(x, [-1]) if axis is None else x
    axes = [0] if axis is None else [other for other in range(op.rank(x)) if other != axis % op.rank(x)]
    least = averaged(op, running_min, op.ReduceMin(flat, axes=axes, keepdims=int(axis is None)), weight)
    most = averaged(op, running_max, op.ReduceMax(flat, axes=axes, keepdims=int(axis is None)), weight)
    scale, origin = chosen_parameters(op, least, most, lowest, highest, is_symmetric)
    return op.Concat(op.Unsqueeze(scale, axes=[0]), op.Unsqueeze(origin, axes=[0]), axis=0)


@helper
def observed_fake_quantized(
    op,
    x,
    observer_on,
    fake_quant_on,
    running_min,
    running_max,
    scale,
    zero_point,
    weight: float,
    lowest: int,
    highest: int,
    axis: int | None,
    is_symmetric: bool,
):
    """The fake-quantised tensor, and which elements were within the range; with both switches as the model runs."""

    def observe(op):
        return observed_parameters(op, x, running_min, running_max, weight, lowest, highest, axis, is_symmetric)

    def keep(op):
        given = op.Reshape(op.cast(scale, "float64"), [1, -1])
        return op.Concat(given, op.Reshape(op.cast(zero_point, "float64"), [1, -1]), axis=0)

    is_observing = op.Reshape(op.cast(observer_on, "bool"), [])
    parameters = op.cast(op.cond(is_observing, observe, keep), "float32")
    step, origin = op.Gather(parameters, op.constant(0), axis=0), op.Gather(parameters, op.constant(1), axis=0)
    if axis is None:
        step, origin = op.Reshape(step, []), op.Reshape(origin, [])
    else:
        step, origin = along_channels(op, step, x, axis), along_channels(op, origin, x, axis)
    is_on = op.Reshape(op.cast(fake_quant_on, "bool"), [])
    mask = is_in_range(op, x, step, origin, lowest, highest) | op.Not(is_on)
    return op.Where(is_on, fake_quantized(op, x, step, origin, lowest, highest), x), mask


@decomposition("aten::fused_moving_avg_obs_fake_quant", promote=("self",))
def fused_moving_avg_obs_fake_quant(
    op,
    self,
    observer_on,
    fake_quant_on,
    running_min,
    running_max,
    scale,
    zero_point,
    averaging_const,
    quant_min,
    quant_max,
    ch_axis,
    per_row_fake_quant,
    symmetric_quant,
):
    """Fake quantisation, with scale and zero point from the running limits while the observer is on"""
    axis = ch_axis if per_row_fake_quant else None
    value, _ = observed_fake_quantized(
        op, self, observer_on, fake_quant_on, running_min, running_max, scale, zero_point,
        averaging_const, quant_min, quant_max, axis, symmetric_quant,
    )  # fmt: skip
    return value


@decomposition("aten::_fused_moving_avg_obs_fq_helper", promote=("self",))
def _fused_moving_avg_obs_fq_helper(
    op,
    self,
    observer_on,
    fake_quant_on,
    running_min,
    running_max,
    scale,
    zero_point,
    averaging_const,
    quant_min,
    quant_max,
    ch_axis,
    per_row_fake_quant,
    symmetric_quant,
):
    """Fake quantisation, with scale and zero point from the running limits while the observer is on, and its mask"""
    axis = ch_axis if per_row_fake_quant else None
    return observed_fake_quantized(
        op, self, observer_on, fake_quant_on, running_min, running_max, scale, zero_point,
        averaging_const, quant_min, quant_max, axis, symmetric_quant,
    )  # fmt: skip
