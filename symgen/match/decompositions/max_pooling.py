"""The largest number of each window, and where it stands. A nan is the largest; of several the last one counts."""

import math

from symgen.match.decompositions.extremes import comparable
from symgen.match.decompositions.places import with_shape
from symgen.match.decompositions.pooling import for_each_axis, room_behind
from symgen.match.language import decomposition, helper, torch


@helper
def largest_numbers(op, x, kernel: list[int], stride: list[int], pads: list[int], dilation: list[int]):
    """The largest number of each window, of a floating point tensor."""
    # ONNX Runtime passes over a nan, and takes a window without a finite number for one of the lowest.
    is_nan = op.IsNaN(x)
    lowest, one = op.constant(-math.inf, like=x), op.constant(1.0, like=x)
    rank = op.cast(is_nan, like=x) * 2.0 + op.cast(x > lowest, like=x)
    numbers = op.Where(is_nan, lowest, x)
    largest, highest = [
        op.MaxPool(each, kernel_shape=kernel, strides=stride, pads=pads, dilations=dilation) for each in (numbers, rank)
    ]
    found = op.Where(highest < one, lowest, largest)
    return op.Where(highest > one, op.constant(math.nan, like=x), found)


@helper
def lowest_of(op, dtype: torch.dtype) -> float:
    """The number below all others of a dtype."""
    return -math.inf if dtype.is_floating_point else torch.iinfo(dtype).min


@helper
def window_places(op, x, axis: int, kernel: int, stride: int, padding: int, dilation: int, behind):
    """(Where the elements of each window stand along an axis, in the shape [windows, kernel]; the count of windows)."""
    reach = dilation * (kernel - 1) + 1
    count = op.Div(op.size(x, axis) + behind + (2 * padding - reach), stride) + 1
    starts = op.Range(0, op.Squeeze(count, [0]), 1) * stride - padding
    return op.Unsqueeze(starts, [1]) + op.constant([place * dilation for place in range(kernel)]), count


@helper
def merit_in_window(op, windows, inside, is_behind, total: int):
    """A rank for each place in a window, in the last axis: the highest for the element that counts as the largest.

    Of a window that holds no element it is the first place which isn't in the padding in front of an axis.
    """
    first = op.constant([float(total - place) for place in range(total)], "float32")
    least = op.Where(is_behind, first / (total + 1.0), op.constant(0.0, "float32"))
    lowest = op.constant(lowest_of(op, op.dtype(windows)), like=windows)
    if not op.dtype(windows).is_floating_point:
        largest = op.ReduceMax(op.Where(inside, windows, lowest), [3], keepdims=1)
        return op.Where(inside & op.Equal(windows, largest), first, least)
    is_nan = op.IsNaN(windows)
    known = op.Where(inside & op.Not(is_nan), windows, lowest)
    is_largest = inside & op.Equal(known, op.ReduceMax(known, [3], keepdims=1))
    # Of equal elements the first counts, of several nan the last.
    last = op.constant([float(total + place + 1) for place in range(total)], "float32")
    return op.Where(inside & is_nan, last, op.Where(is_largest, first, least))


@helper
def largest_elements(
    op, x, kernel: list[int], stride: list[int], padding: list[int], dilation: list[int], behind, lowest: float
):
    """(The largest element of each window, its place in the line, plane or volume of the last axes).

    `behind` is how many places behind the padding the last windows reach.
    """
    axes = len(kernel)
    places, counts = op.constant([0]), []
    inside, is_behind = op.constant(True, "bool"), op.constant(True, "bool")
    for k in range(axes):
        more = op.Slice(behind, [k], [k + 1])
        along, count = window_places(op, x, k + 2, kernel[k], stride[k], padding[k], dilation[k], more)
        counts.append(count)
        along = op.Unsqueeze(along, [axis for axis in range(2 * axes) if axis not in (k, axes + k)])
        length = op.size(x, k + 2)
        is_behind = is_behind & op.Not(along < 0)
        inside = inside & (along < length)
        places = places * length + along
    total = math.prod(kernel)
    places, inside, is_behind = [op.Reshape(each, [-1, total]) for each in (places, inside & is_behind, is_behind)]
    batch, plane = op.Slice(op.Shape(x), [0], [2]), op.Slice(op.Shape(x), [2], [2 + axes])
    flat = with_shape(op, x, op.Concat(batch, op.ReduceProd(plane, axes=[0], keepdims=1), axis=0), 3)
    windows = op.Gather(flat, op.Where(inside, places, op.constant(0)), axis=2)
    place = op.ArgMax(merit_in_window(op, windows, inside, is_behind, total), axis=3, keepdims=1)
    elements = op.Where(inside, windows, op.constant(lowest, like=x))
    shape = op.Concat(batch, *counts, axis=0)
    values, standing = [
        with_shape(op, op.Squeeze(op.GatherElements(each, place, axis=3), [3]), shape, 2 + axes)
        for each in (elements, op.Expand(places, op.Shape(windows)))
    ]
    return values, standing


@helper
def max_pool(
    op,
    x,
    kernel_size: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    ceil_mode: bool,
    axes: int,
    with_indices: bool,
):
    """The largest element of each window along the last axes, and its place if asked for; with or without a batch."""
    kernel = for_each_axis(op, kernel_size, axes)
    steps = for_each_axis(op, stride, axes) if stride else kernel
    pads, apart = for_each_axis(op, padding, axes), for_each_axis(op, dilation, axes)
    is_batched = op.rank(x) == axes + 2
    batched = x if is_batched else op.Unsqueeze(x, [0])
    is_half = op.dtype(x) in (torch.float16, torch.bfloat16)
    batched = op.cast(batched, "float32") if is_half else comparable(op, batched)
    reach = [step * (length - 1) + 1 for step, length in zip(apart, kernel, strict=True)]
    behind = room_behind(op, batched, reach, steps, pads) if ceil_mode else op.constant([0] * axes)
    if with_indices or not op.dtype(x).is_floating_point:
        results = largest_elements(op, batched, kernel, steps, pads, apart, behind, lowest_of(op, op.dtype(x)))
    elif ceil_mode:
        beyond = op.Concat(op.constant([0, 0, *pads, 0, 0]), behind + op.constant(pads), axis=0)
        padded = op.Pad(batched, beyond, op.constant(-math.inf, like=batched))
        results = [largest_numbers(op, padded, kernel, steps, [0] * (2 * axes), apart)]
    else:
        results = [largest_numbers(op, batched, kernel, steps, pads + pads, apart)]
    if not is_batched:
        results = [op.Squeeze(each, [0]) for each in results]
    values = op.cast(results[0], like=x)
    return (values, results[1]) if with_indices else values


@decomposition("aten::max_pool1d", promote=())
def max_pool1d(op, self, kernel_size, stride, padding, dilation, ceil_mode):
    """The largest element of each window"""
    return max_pool(op, self, kernel_size, stride, padding, dilation, ceil_mode, 1, False)


@decomposition("aten::max_pool2d", promote=())
def max_pool2d(op, self, kernel_size, stride, padding, dilation, ceil_mode):
    """The largest element of each window"""
    return max_pool(op, self, kernel_size, stride, padding, dilation, ceil_mode, 2, False)


@decomposition("aten::max_pool3d", promote=())
def max_pool3d(op, self, kernel_size, stride, padding, dilation, ceil_mode):
    """The largest element of each window"""
    return max_pool(op, self, kernel_size, stride, padding, dilation, ceil_mode, 3, False)


@decomposition("aten::max_pool1d_with_indices", promote=())
def max_pool1d_with_indices(op, self, kernel_size, stride, padding, dilation, ceil_mode):
    """The largest element of each window, and its place in the line of the last axes"""
    return max_pool(op, self, kernel_size, stride, padding, dilation, ceil_mode, 1, True)


@decomposition("aten::max_pool2d_with_indices", promote=())
def max_pool2d_with_indices(op, self, kernel_size, stride, padding, dilation, ceil_mode):
    """The largest element of each window, and its place in the plane of the last axes"""
    return max_pool(op, self, kernel_size, stride, padding, dilation, ceil_mode, 2, True)


@decomposition("aten::max_pool3d_with_indices", promote=())
def max_pool3d_with_indices(op, self, kernel_size, stride, padding, dilation, ceil_mode):
    """The largest element of each window, and its place in the volume of the last axes"""
    return max_pool(op, self, kernel_size, stride, padding, dilation, ceil_mode, 3, True)
