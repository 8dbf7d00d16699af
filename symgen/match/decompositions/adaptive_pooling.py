"""Pooling to a size that is asked for: window i covers ⌊i · n / m⌋ up to ⌈(i + 1) · n / m⌉ of n elements for m."""

from symgen.match.language import decomposition, helper


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
