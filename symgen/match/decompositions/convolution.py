"""Convolutions, of whole numbers too: forwards and spread, padded by name, along the first axis."""

from symgen.match.decompositions.differences import as_single
from symgen.match.decompositions.whole_windows import whole_convolved, whole_spread
from symgen.match.language import Values, decomposition, helper


@helper
def pads_for_same(op, weight, dilation: list[int]) -> list[int]:
    """Pads that keep the size at stride 1: dilation · (kernel − 1) along each axis, the odd one behind."""
    totals = []
    for axis in range(op.rank(weight) - 2):
        totals.append(dilation[axis] * (op.static_size(weight, axis + 2) - 1))
    return [total // 2 for total in totals] + [total - total // 2 for total in totals]


@helper
def padded_for_same(op, input, weight, dilation: list[int]):
    """The input with pads around it that keep the size at stride 1, where only the model knows that of the kernel."""
    x = as_single(op, input) if op.dtype(input).is_floating_point else op.cast(input, "int64")
    axes = op.rank(weight) - 2
    kernel = op.Slice(op.Shape(weight), [2], [axes + 2])
    total = (kernel - 1) * op.constant(dilation)
    front, nothing = op.Div(total, 2), op.constant([0] * (op.rank(input) - axes))
    return op.Pad(x, op.Concat(nothing, front, nothing, total - front, axis=0))


@helper
def convolved_to_same(op, input, weight, bias, stride: list[int], dilation: list[int], groups: int):
    """The convolution with padding that keeps the size at stride 1."""
    axes = op.rank(weight) - 2
    if None in [op.static_size(weight, axis + 2) for axis in range(axes)]:
        if op.is_captured:
            x = padded_for_same(op, input, weight, dilation)
            return op.cast(convolved(op, x, weight, bias, stride, [0] * (2 * axes), dilation, groups), like=input)
        # No model of TorchScript has such a kernel, and computed pads would need a file of their own from opset 11 on.
        op.fail("padding by name: the size of the kernel is not known at export", weight)
    return convolved(op, input, weight, bias, stride, pads_for_same(op, weight, dilation), dilation, groups)


@helper
def in_one_dtype(op, x, weight, bias) -> Values:
    """The inputs of a convolution in the dtype of the first: two of them, or three with a bias."""
    inputs = [x, op.cast(weight, like=x)]
    return inputs if bias is None else [*inputs, op.cast(bias, like=x)]


@helper
def convolved(op, input, weight, bias, stride: list[int], pads: list[int], dilation: list[int], groups: int):
    """The convolution of a tensor with or without a batch axis."""
    has_batch = op.rank(input) == op.rank(weight)
    x = input if has_batch else op.Unsqueeze(input, [0])
    if not op.dtype(input).is_floating_point:
        y = whole_convolved(op, x, weight, bias, stride, pads, dilation, groups)
        return op.cast(y if has_batch else op.Squeeze(y, [0]), like=input)
    inputs = in_one_dtype(op, as_single(op, x), weight, bias)
    y = op.Conv(*inputs, pads=pads, strides=stride, dilations=dilation, group=groups)
    return op.cast(y if has_batch else op.Squeeze(y, [0]), like=input)


@helper
def with_zeros_behind(op, weight, axes: list[int]):
    """The weights with one of 0 more at the end of each of these axes."""
    for axis in axes:
        sizes = [1 if other == axis else op.size(weight, other) for other in range(op.rank(weight))]
        weight = op.Concat(weight, op.Expand(op.constant(0, like=weight), op.ints(sizes)), axis=axis)
    return weight


@helper
def deconvolved(
    op,
    input,
    weight,
    bias,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    further: list[int],
    groups: int,
):
    """A tensor with or without a batch axis, spread by weights (in, out in a group, …); `further` is output_padding."""
    has_batch = op.rank(input) == op.rank(weight)
    x = input if has_batch else op.Unsqueeze(input, [0])
    if not op.dtype(input).is_floating_point:
        y = whole_spread(op, x, weight, bias, stride, padding, dilation, further, groups)
        return op.cast(y if has_batch else op.Squeeze(y, [0]), like=input)
    # ONNX Runtime adds less at the end than a stride, where torch may add nearly a dilation: there one more weight, of
    # 0, makes the result longer, and of that some is cut off.
    longer = [axis for axis, step in enumerate(stride) if further[axis] >= step]
    added = [0 if axis in longer else more for axis, more in enumerate(further)]
    cut = [pad + dilation[axis] - further[axis] if axis in longer else pad for axis, pad in enumerate(padding)]
    w = with_zeros_behind(op, weight, [axis + 2 for axis in longer])
    inputs = in_one_dtype(op, as_single(op, x), w, bias)
    y = op.ConvTranspose(
        *inputs, pads=[*padding, *cut], strides=stride, dilations=dilation, output_padding=added, group=groups
    )
    return op.cast(y if has_batch else op.Squeeze(y, [0]), like=input)


@decomposition("aten::_convolution_mode", promote=())
def _convolution_mode(op, input, weight, bias, stride, padding, dilation, groups):
    """A convolution with the padding that keeps the size, or with none"""
    axes = op.rank(weight) - 2
    strides = [stride[0]] * axes if len(stride) == 1 else stride
    dilations = [dilation[0]] * axes if len(dilation) == 1 else dilation
    if padding == "same":
        return convolved_to_same(op, input, weight, bias, strides, dilations, groups)
    return convolved(op, input, weight, bias, strides, [0] * (2 * axes), dilations, groups)


@decomposition("aten::conv_tbc")
def conv_tbc(op, self, weight, bias, pad):
    """A convolution along the first axis, (time, batch, channels), with weights (kernel, in, out)"""
    dtype = op.dtype(self)
    sizes = [op.static_size(self, 0), op.static_size(self, 1), op.static_size(weight, 0), op.static_size(weight, 2)]
    if op.is_captured and None in sizes:
        op.fail("conv_tbc: torch.export gives the result the sizes of the example, so those of self have to be known")
    if not dtype.is_floating_point:
        windowed, turned = op.Transpose(self, perm=[1, 2, 0]), op.Transpose(weight, perm=[2, 1, 0])
        y = whole_convolved(op, windowed, turned, bias, [1], [pad, pad], [1], 1)
        return op.cast(op.Transpose(y, perm=[2, 0, 1]), dtype)
    x = op.Transpose(as_single(op, self), perm=[1, 2, 0])
    w = op.Transpose(op.cast(weight, like=x), perm=[2, 1, 0])
    y = op.Conv(x, w, op.cast(bias, like=x), pads=[pad, pad])
    return op.cast(op.Transpose(y, perm=[2, 0, 1]), dtype)


@helper
def on_each_axis(op, value, axes: int) -> list[int]:
    """One number for every axis, from one for all or from one for each."""
    numbers = op.known(value)
    if numbers is None:
        op.fail("conv: stride, padding and dilation have to be known at export")
    listed = [numbers] if isinstance(numbers, int) else numbers
    return listed * axes if len(listed) == 1 else listed


@helper
def number_of_groups(op, value) -> int:
    """How many groups of channels there are."""
    groups = op.known(value)
    if groups is None:
        op.fail("conv: groups has to be known at export")
    return groups


@decomposition(
    "aten::conv1d", "aten::conv2d", "aten::conv3d", dynamo_only="traces call aten::_convolution in its place"
)
def conv(op, input, *args):
    """The input, convolved with weights (out, in, kernel) along its last axes; padding is also given by name."""
    weight, bias = args[0], args[1]
    axes = op.rank(weight) - 2
    strides, dilations = on_each_axis(op, args[2], axes), on_each_axis(op, args[4], axes)
    padding, groups = op.known(args[3]), number_of_groups(op, args[5])
    if padding == "same":
        return convolved_to_same(op, input, weight, bias, strides, dilations, groups)
    pads = [0] * (2 * axes) if padding == "valid" else 2 * on_each_axis(op, args[3], axes)
    return convolved(op, input, weight, bias, strides, pads, dilations, groups)


@decomposition(
    "aten::conv_transpose1d",
    "aten::conv_transpose2d",
    "aten::conv_transpose3d",
    dynamo_only="traces call aten::_convolution in its place",
)
def conv_transpose(op, input, *args):
    """The input, spread along its last axes by weights (in, out in a group, kernel)"""
    weight, bias, groups = args[0], args[1], number_of_groups(op, args[5])
    axes = op.rank(weight) - 2
    strides, padding = on_each_axis(op, args[2], axes), on_each_axis(op, args[3], axes)
    further, dilations = on_each_axis(op, args[4], axes), on_each_axis(op, args[6], axes)
    return deconvolved(op, input, weight, bias, strides, padding, dilations, further, groups)


@helper
def convolution_of(op, input, args: Values):
    """The input convolved or, where `transposed`, spread; `args` are the operator's from `weight` to `groups`."""
    weight, bias = args[0], args[1]
    axes = op.rank(weight) - 2
    strides, padding = on_each_axis(op, args[2], axes), on_each_axis(op, args[3], axes)
    dilations, groups = on_each_axis(op, args[4], axes), number_of_groups(op, args[7])
    if not op.known(args[5]):
        return convolved(op, input, weight, bias, strides, 2 * padding, dilations, groups)
    further = on_each_axis(op, args[6], axes)
    return deconvolved(op, input, weight, bias, strides, padding, dilations, further, groups)


@decomposition("aten::convolution", dynamo_only="traces call aten::_convolution in its place")
def convolution(op, input, *args):
    """The input, convolved with weights (out, in, kernel), or spread by weights (in, out, kernel)"""
    return convolution_of(op, input, args)


@decomposition("aten::_convolution", torchscript_only="torch.export has aten::convolution in its place", promote=())
def _convolution(op, input, *args):
    """The input, convolved with weights (out, in, kernel), or spread by weights (in, out, kernel)"""
    return convolution_of(op, input, args)
