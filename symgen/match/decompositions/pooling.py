"""Averages over windows."""

import math

from symgen.match.decompositions.whole_windows import whole_averages
from symgen.match.language import decomposition, helper


@helper
def for_each_axis(op, values: list[int], axes: int) -> list[int]:
    """One number for every axis, from one for all or from one for each."""
    return [values[0]] * axes if len(values) == 1 else list(values)


@helper
def room_behind(op, x, kernel: list[int], stride: list[int], padding: list[int]):
    """How many places behind the padding the last windows reach, for each of the last axes, as int64.

    The last window must start inside the tensor or its padding in front, so that there may be none of them.
    """
    rank = op.rank(x)
    sizes = op.Slice(op.Shape(x), [rank - len(kernel)], [rank])
    strides = op.constant(stride)
    padded = sizes + op.constant([2 * amount for amount in padding])
    room = padded - op.constant(kernel)
    # ⌈room / stride⌉ windows follow the first; the last is dropped where it starts in the padding behind.
    following = op.Div(room + strides - 1, strides)
    starts_behind = op.Not(following * strides < sizes + op.constant(padding))
    following = following - op.cast(starts_behind, "int64")
    missing = following * strides - room
    return op.Max(missing, op.constant([0]))


@helper
def known_room_behind(op, x, kernel: list[int], stride: list[int], padding: list[int]) -> list[int] | None:
    """The room behind as numbers, one for each axis; None where only the model knows how long one of them is."""
    axes, behind = len(kernel), []
    for axis in range(axes):
        size = op.static_size(x, axis - axes)
        if size is None:
            return None
        room = size + 2 * padding[axis] - kernel[axis]
        following = (room + stride[axis] - 1) // stride[axis]
        if following * stride[axis] >= size + padding[axis]:
            following -= 1
        missing = following * stride[axis] - room
        behind.append(missing if missing > 0 else 0)
    return behind


@helper
def average_with_known_room(
    op,
    x,
    kernel: list[int],
    stride: list[int],
    padding: list[int],
    behind: list[int],
    counts_padding: bool,
    divisor: int,
):
    """Averages over windows, the last of which reach beyond the padding by `behind`, a number for each axis."""
    axes, ends = len(kernel), [pad + further for pad, further in zip(padding, behind, strict=True)]
    if divisor:
        sums = op.AveragePool(x, kernel_shape=kernel, strides=stride, pads=[*padding, *ends], count_include_pad=1)
        return sums * (math.prod(kernel) / divisor)
    if counts_padding and padding != [0] * axes:
        nothing = [0] * (op.rank(x) - axes)
        padded = op.Pad(x, op.constant([*nothing, *padding, *nothing, *padding]), op.constant(0.0, like=x))
        return op.AveragePool(padded, kernel_shape=kernel, strides=stride, pads=[0] * axes + behind)
    return op.AveragePool(x, kernel_shape=kernel, strides=stride, pads=[*padding, *ends])


@helper
def average_with_partial_windows(
    op, x, kernel: list[int], stride: list[int], padding: list[int], counts_padding: bool, divisor: int
):
    """Averages over windows of which the last may reach beyond the padding.

    What lies beyond is no part of a window, so that sums are divided by what each window holds, or by the divisor.
    """
    axes, rank = len(kernel), op.rank(x)
    nothing = [0] * (rank - axes)
    behind = room_behind(op, x, kernel, stride, padding)
    front = op.constant([*nothing, *padding, *nothing, *padding])
    beyond = op.Concat(op.constant([0] * (2 * rank - axes)), behind, axis=0)
    zero = op.constant(0.0, like=x)
    padded = op.Pad(op.Pad(x, front, zero), beyond, zero)
    mean = op.AveragePool(padded, kernel_shape=kernel, strides=stride)
    if divisor:
        return mean * (math.prod(kernel) / divisor)
    one = op.constant(1.0, like=x)
    ones = op.Expand(one, op.Shape(x))
    counted = op.Pad(op.Pad(ones, front, one if counts_padding else zero), beyond, zero)
    return mean / op.AveragePool(counted, kernel_shape=kernel, strides=stride)


@helper
def average_pool(
    op,
    x,
    kernel_size: list[int],
    stride: list[int],
    padding: list[int],
    axes: int,
    ceil_mode: bool,
    counts_padding: bool,
    divisor: int,
):
    """Averages over windows along the last axes, of a tensor with or without a batch axis."""
    kernel = for_each_axis(op, kernel_size, axes)
    steps = for_each_axis(op, stride, axes) if stride else kernel
    pads = for_each_axis(op, padding, axes)
    batched = op.Unsqueeze(x, [0]) if op.rank(x) == axes + 1 else x
    behind = known_room_behind(op, batched, kernel, steps, pads) if ceil_mode else [0] * axes
    if not op.dtype(x).is_floating_point:
        room = room_behind(op, batched, kernel, steps, pads) if behind is None else op.constant(behind)
        mean = op.cast(whole_averages(op, batched, kernel, steps, pads, room, counts_padding, divisor), like=x)
    elif behind is None:
        mean = average_with_partial_windows(op, batched, kernel, steps, pads, counts_padding, divisor)
    elif behind != [0] * axes:
        mean = average_with_known_room(op, batched, kernel, steps, pads, behind, counts_padding, divisor)
    else:
        counts = int(counts_padding or divisor != 0)
        mean = op.AveragePool(batched, kernel_shape=kernel, strides=steps, pads=pads + pads, count_include_pad=counts)
        if divisor:
            mean = mean * (math.prod(kernel) / divisor)
    return op.Squeeze(mean, [0]) if op.rank(x) == axes + 1 else mean


@decomposition("aten::avg_pool1d", promote=("self",))
def avg_pool1d(op, self, kernel_size, stride, padding, ceil_mode, count_include_pad):
    """The average of each window"""
    return average_pool(op, self, kernel_size, stride, padding, 1, ceil_mode, count_include_pad, 0)


@decomposition("aten::avg_pool2d", promote=("self",))
def avg_pool2d(op, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    """The average of each window, or its sum by a divisor"""
    return average_pool(op, self, kernel_size, stride, padding, 2, ceil_mode, count_include_pad, divisor_override or 0)


@decomposition("aten::avg_pool3d", promote=("self",))
def avg_pool3d(op, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    """The average of each window, or its sum by a divisor"""
    return average_pool(op, self, kernel_size, stride, padding, 3, ceil_mode, count_include_pad, divisor_override or 0)
