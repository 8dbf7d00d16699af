"""Pooling to a size that is asked for: window i covers ⌊i · n / m⌋ up to ⌈(i + 1) · n / m⌉ of n elements for m."""

import math

from symgen.match.decompositions.max_pooling import max_pool
from symgen.match.decompositions.pooling import for_each_axis
from symgen.match.language import decomposition, helper, torch


@helper
def window_bounds(op, x, axis: int, count: int):
    """(The start and the end of each window along an axis, the length of the axis); int64."""
    length = op.size(x, axis)
    numbers = op.constant(list(range(count)))
    starts = op.Div(numbers * length, count)
    ends = op.Div((numbers + 1) * length + (count - 1), count)
    return starts, ends, length


@helper
def membership(op, x, axis: int, count: int):
    """Which elements along an axis each window holds, in the shape [windows, elements]."""
    starts, ends, length = window_bounds(op, x, axis, count)
    places = op.Range(0, op.Squeeze(length, [0]), 1)
    is_behind_start = op.Not(places < op.Unsqueeze(starts, [1]))
    return is_behind_start & (places < op.Unsqueeze(ends, [1]))


@helper
def adaptive_average(op, x, output_size: list[int]):
    """The average of each window, axis after axis."""
    axes = len(output_size)
    rank = op.rank(x)
    if all(size == 1 for size in output_size):
        return op.ReduceMean(x, axes=list(range(rank - axes, rank)), keepdims=1)
    for k in range(axes):
        axis = rank - axes + k
        members = membership(op, x, axis, output_size[k])
        # The axis goes last, and each window gets a copy of it: what a window does not hold is no number to multiply.
        order = [other for other in range(rank) if other != axis] + [axis]
        moved = op.Unsqueeze(op.Transpose(x, perm=order), [rank - 1])
        held = op.Where(members, moved, op.constant(0.0, like=x))
        counts = op.ReduceSum(op.cast(members, like=x), [1], keepdims=0)
        pooled = op.ReduceSum(held, [rank], keepdims=0) / counts
        x = op.Transpose(pooled, perm=[order.index(other) for other in range(rank)])
    return x


@helper
def place_of_largest(op, x, axis: int, count: int):
    """Where the largest element of each window stands along an axis, which becomes as long as there are windows."""
    # Behind the windows and their elements come the axes behind this one.
    further = list(range(2, op.rank(x) - axis + 1))
    members = op.Unsqueeze(membership(op, x, axis, count), further)
    elements = op.Unsqueeze(x, [axis])
    is_nan = members & op.IsNaN(elements)
    numbers = op.Where(members & op.Not(is_nan), elements, op.constant(-math.inf, like=x))
    is_largest = members & op.Equal(numbers, op.ReduceMax(numbers, [axis + 1], keepdims=1))
    # Of equal elements the first counts, of several nan the last.
    places = op.cast(op.Range(0, op.Squeeze(op.size(x, axis), [0]), 1), "float32")
    last = op.Unsqueeze(places + 2.0, [axis - 1 for axis in further])
    return op.ArgMax(op.Where(is_nan, last, op.cast(is_largest, "float32")), axis=axis + 1, keepdims=0)


@helper
def lengths_of_even_windows(op, x, output_size: list[int]) -> list[int] | None:
    """How long windows are that lie side by side; None where they overlap, or only the model knows."""
    axes, lengths = len(output_size), []
    for k in range(axes):
        size = op.static_size(x, k - axes)
        if size is None or output_size[k] == 0 or size % output_size[k] != 0:
            return None
        lengths.append(size // output_size[k])
    return lengths


@helper
def adaptive_largest(op, self, output_size: list[int], axes: int):
    """(The largest element of each window, its place in the line, plane or volume of the last axes)."""
    counts = for_each_axis(op, output_size, axes)
    kernel = lengths_of_even_windows(op, self, counts)
    if kernel is not None:
        return max_pool(op, self, kernel, kernel, [0], [1], False, axes, True)
    rank = op.rank(self)
    largest = op.cast(self, "float32") if op.dtype(self) in (torch.float16, torch.bfloat16) else self
    standing = place_of_largest(op, largest, rank - 1, counts[axes - 1])
    largest = op.GatherElements(largest, standing, axis=rank - 1)
    for axis in range(rank - 2, rank - axes - 1, -1):
        place = place_of_largest(op, largest, axis, counts[axis - rank])
        behind = op.ReduceProd(op.Slice(op.Shape(self), [axis + 1], [rank]), axes=[0], keepdims=1)
        standing = place * behind + op.GatherElements(standing, place, axis=axis)
        largest = op.GatherElements(largest, place, axis=axis)
    return op.cast(largest, like=self), standing


@decomposition("aten::adaptive_avg_pool1d", promote=("self",))
def adaptive_avg_pool1d(op, self, output_size):
    """The average of each window"""
    return adaptive_average(op, self, output_size)


@decomposition("aten::adaptive_avg_pool2d", "aten::_adaptive_avg_pool2d", promote=("self",))
def adaptive_avg_pool2d(op, self, output_size):
    """The average of each window"""
    return adaptive_average(op, self, output_size)


@decomposition("aten::adaptive_avg_pool3d", "aten::_adaptive_avg_pool3d", promote=("self",))
def adaptive_avg_pool3d(op, self, output_size):
    """The average of each window"""
    return adaptive_average(op, self, output_size)


@decomposition("aten::adaptive_max_pool1d", promote=())
def adaptive_max_pool1d(op, self, output_size):
    """The largest element of each window, and its place in the line of the last axis"""
    return adaptive_largest(op, self, output_size, 1)


@decomposition("aten::adaptive_max_pool2d", promote=())
def adaptive_max_pool2d(op, self, output_size):
    """The largest element of each window, and its place in the plane of the last axes"""
    return adaptive_largest(op, self, output_size, 2)


@decomposition("aten::adaptive_max_pool3d", promote=())
def adaptive_max_pool3d(op, self, output_size):
    """The largest element of each window, and its place in the volume of the last axes"""
    return adaptive_largest(op, self, output_size, 3)
