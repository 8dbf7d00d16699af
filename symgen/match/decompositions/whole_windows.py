"""Windows over whole numbers, which ONNX neither convolves nor averages: taken out of the tensor, then summed."""

from symgen.match.decompositions.reductions import whole_sum
from symgen.match.language import Values, helper, torch


@helper
def counted_to(op, length):
    """0, 1 … length − 1 as a row; `length` is one int64 element."""
    return op.NonZero(op.ConstantOfShape(length, value=torch.tensor([1])))


@helper
def starts_of_windows(op, x, axis: int, reach, stride: int, front: int, behind):
    """A row of where each window along an axis starts, below 0 in the padding; its last place is `reach` behind."""
    room = op.size(x, axis) + behind + front - reach - 1
    return counted_to(op, op.Div(room + stride, op.constant([stride]))) * stride - front


@helper
def places_within(op, kernel, dilation: int):
    """How far the places in a window stand behind its start, as a column."""
    return op.Transpose(counted_to(op, kernel), perm=[1, 0]) * dilation


@helper
def places_spread(op, x, axis: int, kernel, stride: int, padding: int, dilation: int, further: int):
    """Which elements meet a weight at each new place of an axis along which they are spread; −1 where none does."""
    length = (op.size(x, axis) - 1) * stride + (kernel - 1) * dilation + (1 + further - 2 * padding)
    numbers = counted_to(op, length) + padding - places_within(op, kernel, dilation)
    places = op.Div(numbers, op.constant([stride]))
    is_between = op.cast(numbers - places * stride, "bool")
    return op.Where(is_between, op.constant([-1]), places)


@helper
def taken_along(op, x, axis: int, places):
    """The elements at those places of an axis, in whose stead the two axes of the places are; 0 beyond its ends."""
    # 1 for a place that has an element, else 0.
    inside = op.cast((places > -1) & (places < op.size(x, axis)), "int64")
    others = [other for other in range(op.rank(x) + 1) if other not in (axis, axis + 1)]
    return op.Gather(x, places * inside, axis=axis) * op.Unsqueeze(inside, others)


@helper
def windows_taken(op, x, places: Values):
    """The windows over the last axes: (batch, channels, places in a window …, windows …) of int64."""
    axes = len(places)
    windows = op.cast(x, "int64")
    for axis in reversed(range(axes)):
        windows = taken_along(op, windows, axis + 2, places[axis])
    inside = [2 + 2 * axis for axis in range(axes)]
    return op.Transpose(windows, perm=[0, 1, *inside, *[axis + 1 for axis in inside]])


@helper
def product_of(op, lengths: Values):
    """The product of lengths, as one int64 element."""
    product = op.constant([1])
    for length in lengths:
        product = product * length
    return product


@helper
def weighted_windows(op, x, weight, bias, places: Values, groups: int):
    """Σ over each window of elements times weights, (out, in a group, places in a window …), and the bias of each."""
    axes = len(places)
    windows = windows_taken(op, x, places)
    width = product_of(op, [op.size(weight, axis) for axis in range(1, axes + 2)])
    lengths = [op.size(windows, axes + 2 + axis) for axis in range(axes)]
    batch, parts, out = op.constant([-1]), op.constant([groups]), op.size(weight, 0)
    columns = op.Reshape(windows, op.Concat(batch, parts, width, product_of(op, lengths), axis=0))
    rows = op.Reshape(op.cast(weight, "int64"), op.Concat(parts, op.Div(out, parts), width, axis=0))
    y = op.Reshape(op.MatMul(rows, columns), op.Concat(batch, out, *lengths, axis=0))
    return y if bias is None else y + op.Unsqueeze(op.cast(bias, "int64"), list(range(1, axes + 1)))


@helper
def with_groups_in_front(op, weight, groups: int):
    """The weights of a convolution that spreads, (in, out in a group, …), as (out, in a group, …)."""
    rank = op.rank(weight)
    further = [op.size(weight, axis) for axis in range(1, rank)]
    parts = op.constant([groups])
    rows = op.Div(op.size(weight, 0), parts)
    turned = op.Transpose(
        op.Reshape(weight, op.Concat(parts, rows, *further, axis=0)), perm=[0, 2, 1, *range(3, rank + 1)]
    )
    return op.Reshape(turned, op.Concat(further[0] * groups, rows, *further[1:], axis=0))


@helper
def whole_convolved(op, x, weight, bias, stride: list[int], pads: list[int], dilation: list[int], groups: int):
    """The convolution of whole numbers with a batch axis, as int64; pads are those in front, then those behind."""
    axes, places = len(stride), []
    for axis in range(axes):
        kernel, behind = op.size(weight, axis + 2), op.constant([pads[axis + axes]])
        reach = (kernel - 1) * dilation[axis]
        starts = starts_of_windows(op, x, axis + 2, reach, stride[axis], pads[axis], behind)
        places.append(starts + places_within(op, kernel, dilation[axis]))
    return weighted_windows(op, x, weight, bias, places, groups)


@helper
def whole_spread(
    op,
    x,
    weight,
    bias,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    further: list[int],
    groups: int,
):
    """Whole numbers with a batch axis, spread by weights (in, out in a group, …), as int64."""
    places = []
    for axis in range(len(stride)):
        kernel = op.size(weight, axis + 2)
        places.append(
            places_spread(op, x, axis + 2, kernel, stride[axis], padding[axis], dilation[axis], further[axis])
        )
    return weighted_windows(op, x, with_groups_in_front(op, weight, groups), bias, places, groups)


@helper
def whole_averages(
    op, x, kernel: list[int], stride: list[int], padding: list[int], behind, counts_padding: bool, divisor: int
):
    """Sums over windows of whole numbers, divided towards 0 by what each window holds or by the divisor.

    `behind` says for each axis how far the last windows may reach beyond the padding, where they hold nothing.
    """
    axes = len(kernel)
    places, held = [], op.constant([1])
    for axis in range(axes):
        length, pad = op.size(x, axis + 2), padding[axis]
        room = op.Slice(behind, [axis], [axis + 1]) + pad
        starts = starts_of_windows(op, x, axis + 2, op.constant([kernel[axis] - 1]), stride[axis], pad, room)
        places.append(starts + places_within(op, op.constant([kernel[axis]]), 1))
        first, end = (starts, length + pad) if counts_padding else (op.Max(starts, op.constant([0])), length)
        number = op.Squeeze(op.Min(starts + kernel[axis], end) - first, [0])
        later = list(range(1, axes - axis))
        held = held * (op.Unsqueeze(number, later) if later else number)
    sums = whole_sum(op, windows_taken(op, x, places), list(range(2, axes + 2)), False)
    return op.Div(sums, op.constant([divisor]) if divisor else held)
