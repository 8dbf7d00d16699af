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
            op.fail("padding by name: the size of the kernel is not known at export", weight)
        totals.append(dilation[axis if len(dilation) > 1 else 0] * (kernel - 1))
    return [total // 2 for total in totals] + [total - total // 2 for total in totals]


@helper
def convolvable(op, input):
    """The input in a dtype that the runtime convolves; raises for whole numbers."""
    if not op.dtype(input).is_floating_point:
        op.fail("conv: ONNX convolves floating point only, input has whole numbers", input)
    return as_single(op, input)


@helper
def convolved(op, input, weight, bias, stride: list[int], pads: list[int], dilation: list[int], groups: int):
    """The convolution of a tensor with or without a batch axis."""
    has_batch = op.rank(input) == op.rank(weight)
    x = convolvable(op, input if has_batch else op.Unsqueeze(input, [0]))
    w = op.cast(weight, like=x)
    if bias is None:
        y = op.Conv(x, w, pads=pads, strides=stride, dilations=dilation, group=groups)
    else:
        y = op.Conv(x, w, op.cast(bias, like=x), pads=pads, strides=stride, dilations=dilation, group=groups)
    return op.cast(y if has_batch else op.Squeeze(y, [0]), like=input)


@decomposition("aten::_convolution_mode", promote=())
def _convolution_mode(op, input, weight, bias, stride, padding, dilation, groups):
    """A convolution with the padding that keeps the size, or with none"""
    axes = op.rank(weight) - 2
    pads = pads_for_same(op, weight, dilation) if padding == "same" else [0] * (2 * axes)
    strides = [stride[0]] * axes if len(stride) == 1 else stride
    dilations = [dilation[0]] * axes if len(dilation) == 1 else dilation
    return convolved(op, input, weight, bias, strides, pads, dilations, groups)


@decomposition("aten::conv_tbc")
def conv_tbc(op, self, weight, bias, pad):
    """A convolution along the first axis, (time, batch, channels), with weights (kernel, in, out)"""
    dtype = op.dtype(self)
    if not dtype.is_floating_point:
        op.fail("conv_tbc: ONNX convolves floating point only")
    sizes = [op.static_size(self, 0), op.static_size(self, 1), op.static_size(weight, 0), op.static_size(weight, 2)]
    if op.is_captured and None in sizes:
        op.fail("conv_tbc: torch.export gives the result the sizes of the example, so those of self have to be known")
    x = op.Transpose(as_single(op, self), perm=[1, 2, 0])
    w = op.Transpose(op.cast(weight, like=x), perm=[2, 1, 0])
    y = op.Conv(x, w, op.cast(bias, like=x), pads=[pad, pad])
    return op.cast(op.Transpose(y, perm=[2, 0, 1]), dtype)


@helper
def on_each_axis(op, value, axes: int) -> list[int]:
    """One number for every axis, from one for all or from one for each."""
    numbers = op.known(value)
    if numbers is None:
        op.fail("conv: stride, padding, dilation and groups have to be known at export")
    listed = [numbers] if isinstance(numbers, int) else numbers
    return listed * axes if len(listed) == 1 else listed


@decomposition(
    "aten::conv1d", "aten::conv2d", "aten::conv3d", dynamo_only="traces call aten::_convolution in its place"
)
def conv(op, input, *args):
    """The input, convolved with weights (out, in, kernel) along its last axes; padding is also given by name."""
    weight, bias = args[0], args[1]
    axes = op.rank(weight) - 2
    strides, dilations = on_each_axis(op, args[2], axes), on_each_axis(op, args[4], axes)
    if op.known(args[3]) == "same":
        pads = pads_for_same(op, weight, dilations)
    elif op.known(args[3]) == "valid":
        pads = [0] * (2 * axes)
    else:
        pads = 2 * on_each_axis(op, args[3], axes)
    return convolved(op, input, weight, bias, strides, pads, dilations, op.known(args[5]))


@decomposition("aten::convolution", dynamo_only="traces call aten::_convolution in its place")
def convolution(op, input, *args):
    """The input, convolved with weights (out, in, kernel), or spread by weights (in, out, kernel)"""
    weight, bias = args[0], args[1]
    axes = op.rank(weight) - 2
    strides, pads = on_each_axis(op, args[2], axes), 2 * on_each_axis(op, args[3], axes)
    dilations, groups = on_each_axis(op, args[4], axes), op.known(args[7])
    if not op.known(args[5]):
        return convolved(op, input, weight, bias, strides, pads, dilations, groups)
    x = convolvable(op, input)
    w = op.cast(weight, like=x)
    further = on_each_axis(op, args[6], axes)
    y = op.ConvTranspose(
        x, w, pads=pads, strides=strides, dilations=dilations, output_padding=further, group=groups
    )  # fmt: skip
    if bias is not None:
        y = y + op.Unsqueeze(op.cast(bias, like=x), list(range(1, axes + 1)))
    return op.cast(y, like=input)
