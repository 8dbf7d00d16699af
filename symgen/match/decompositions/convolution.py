"""Convolutions whose padding ONNX's own names for it cannot say, and along the first axis."""

from symgen.match.decompositions.differences import as_single
from symgen.match.language import decomposition, helper


@helper
def pads_for_same(op, weight, dilation: list[int]) -> list[int]:
    """Pads that keep the size at stride 1: dilation · (kernel − 1) along each axis, the odd one behind."""
    totals = []
    for axis in range(op.rank(weight) - 2):
        kernel = op.static_size(weight, axis + 2)
        if kernel is None:
            op.fail("_convolution_mode: the size of the kernel is not known at export", weight)
        totals.append(dilation[axis if len(dilation) > 1 else 0] * (kernel - 1))
    return [total // 2 for total in totals] + [total - total // 2 for total in totals]


@decomposition("aten::_convolution_mode", promote=("input", "weight", "bias"))
def _convolution_mode(op, input, weight, bias, stride, padding, dilation, groups):
    """A convolution with the padding that keeps the size, or with none"""
    if not op.dtype(input).is_floating_point:
        op.fail("_convolution_mode: ONNX convolves floating point only")
    axes = op.rank(weight) - 2
    pads = pads_for_same(op, weight, dilation) if padding == "same" else [0] * (2 * axes)
    strides = [stride[0]] * axes if len(stride) == 1 else stride
    dilations = [dilation[0]] * axes if len(dilation) == 1 else dilation
    has_batch = op.rank(input) == axes + 2
    x = input if has_batch else op.Unsqueeze(input, [0])
    if bias is None:
        y = op.Conv(x, weight, pads=pads, strides=strides, dilations=dilations, group=groups)
    else:
        y = op.Conv(x, weight, bias, pads=pads, strides=strides, dilations=dilations, group=groups)
    return y if has_batch else op.Squeeze(y, [0])


@decomposition("aten::conv_tbc")
def conv_tbc(op, self, weight, bias, pad):
    """A convolution along the first axis, (time, batch, channels), with weights (kernel, in, out)"""
    dtype = op.dtype(self)
    if not dtype.is_floating_point:
        op.fail("conv_tbc: ONNX convolves floating point only")
    x = op.Transpose(as_single(op, self), perm=[1, 2, 0])
    w = op.Transpose(op.cast(weight, like=x), perm=[2, 1, 0])
    y = op.Conv(x, w, op.cast(bias, like=x), pads=[pad, pad])
    return op.cast(op.Transpose(y, perm=[2, 0, 1]), dtype)
