"""Differences along an axis, and what undoes them: gradients and integrals over sampled functions."""

from symgen.match.decompositions.places import part_of, standing_along
from symgen.match.decompositions.reductions import sum_over, summed_as
from symgen.match.decompositions.scans import running_sum
from symgen.match.language import decomposition, helper, torch


@helper
def differences(op, x, axis: int):
    """x[1:] − x[:-1] along an axis"""
    return part_of(op, x, axis, 1, None) - part_of(op, x, axis, 0, -1)


@decomposition("aten::diff", promote=("self", "prepend", "append"), kind="COMMON")
def diff(op, self, n, dim, prepend, append):
    """The n-th difference along an axis; of bools, whether neighbours differ."""
    if n == 0:
        return op.Identity(self)
    axis = dim % op.rank(self)
    ends = [value for value in (prepend, self, append) if value is not None]
    result = op.Concat(*ends, axis=axis) if len(ends) > 1 else op.Identity(self)
    dtype = op.dtype(self)
    if dtype == torch.bool:
        for _ in range(n):
            result = op.Xor(part_of(op, result, axis, 1, None), part_of(op, result, axis, 0, -1))
        return result
    if dtype in (torch.uint8, torch.int8, torch.int16):
        result = op.cast(result, "int32")
    for _ in range(n):
        result = differences(op, result, axis)
    return op.cast(result, dtype)


@helper
def is_small(op, x) -> bool:
    """Whether the tensor holds whole numbers of less than 32 bits, with which ONNX does not reckon everywhere."""
    return op.dtype(x) in (torch.uint8, torch.int8, torch.int16)


@helper
def sum_of_two(op, a, b):
    """The sum in the dtype of both; small whole numbers run over as they do in torch."""
    return op.cast(op.cast(a, "int32") + op.cast(b, "int32"), like=a) if is_small(op, a) else a + b


@helper
def steps_along(op, x, axis: int, rank: int):
    """The distances between places along an axis of a tensor of that rank, in the dtype of the places."""
    places = op.cast(x, "int32") if is_small(op, x) else x
    if op.rank(x) == 1:
        return op.cast(standing_along(op, differences(op, places, 0), axis, rank), like=x)
    return op.cast(differences(op, places, axis - rank + op.rank(x)), like=x)


@helper
def trapezoids(op, y, x, axis: int):
    """Twice the areas below a function between neighbouring points whose places are x; whole ones as int64."""
    dtype = op.common_dtype(y, x)
    heights = op.cast(sum_of_two(op, part_of(op, y, axis, 1, None), part_of(op, y, axis, 0, -1)), dtype)
    steps = op.cast(steps_along(op, x, axis, op.rank(y)), dtype)
    if is_small(op, heights):
        areas = op.cast(op.cast(heights, "int32") * op.cast(steps, "int32"), dtype)
    else:
        areas = heights * steps
    return areas if dtype.is_floating_point else op.cast(areas, "int64")


@helper
def as_floating(op, x):
    """Whole numbers as float32."""
    return x if op.dtype(x).is_floating_point else op.cast(x, "float32")


@decomposition("aten::trapezoid", "aten::trapz")
def trapezoid(op, y, x, dim):
    """½ Σ (yₖ + yₖ₊₁) · (xₖ₊₁ − xₖ) along an axis, with one distance (Σ yₖ − ½ · (first + last)) · distance"""
    axis = dim % op.rank(y)
    step = op.known(x)
    if op.static_size(y, axis) == 0:
        return op.ReduceSum(as_floating(op, y), [axis], keepdims=0)
    if isinstance(step, (int, float)):
        total = as_floating(op, sum_over(op, summed_as(op, y, None), [axis], True))
        ends = as_floating(op, sum_of_two(op, part_of(op, y, axis, 0, 1), part_of(op, y, axis, -1, None)))
        area = (total - 0.5 * ends) * float(step)
    else:
        twice = as_floating(op, op.ReduceSum(trapezoids(op, y, x, axis), [axis], keepdims=1))
        area = 0.5 * twice
    return op.Squeeze(area, [axis])


@decomposition("aten::cumulative_trapezoid")
def cumulative_trapezoid(op, y, x, dim):
    """½ Σ (yₖ + yₖ₊₁) · (xₖ₊₁ − xₖ) up to each point along an axis"""
    axis = dim % op.rank(y)
    step = op.known(x)
    if isinstance(step, (int, float)):
        heights = as_floating(op, sum_of_two(op, part_of(op, y, axis, 1, None), part_of(op, y, axis, 0, -1)))
        return running_sum(op, heights * (0.5 * step), axis)
    twice = as_floating(op, running_sum(op, trapezoids(op, y, x, axis), axis))
    return 0.5 * twice


@decomposition("aten::gradient", promote=("self",), kind="INT_TO_FLOAT", returns_list=True)
def gradient(op, self, *args):
    """The derivative along each of some axes, of second order within and of order `edge_order` at the ends."""
    rank = op.rank(self)
    asked, edge_order = op.known(args[-2]), op.known(args[-1])
    axes = list(range(rank)) if asked is None else [asked] if isinstance(asked, int) else asked
    steps = steps_of(op, args[0], len(axes)) if len(args) == 3 else [1] * len(axes)
    if steps is not None:
        return op.list([even_gradient(op, self, steps[k], axis % rank, edge_order) for k, axis in enumerate(axes)])
    places = [op.cast(points, like=self) for points in op.items(args[0])]
    return op.list([uneven_gradient(op, self, places[k], axis % rank, edge_order) for k, axis in enumerate(axes)])


@helper
def steps_of(op, spacing, count: int) -> list[float] | None:
    """For each axis the distance of its points; None where the points' places are given instead."""
    if spacing is None:
        return [1] * count
    known = op.known(spacing)
    if isinstance(known, (int, float)):
        return [known] * count
    return known if known is not None and len(known) == count else None


@helper
def even_gradient(op, x, step: float, axis: int, edge_order: int):
    """The derivative at points of one distance: the mean of the slopes on both sides."""
    slopes = differences(op, x, axis) / step
    first, last = part_of(op, slopes, axis, 0, 1), part_of(op, slopes, axis, -1, None)
    if edge_order == 2:
        # The slopes beyond the ends go on as the last two do.
        first = 2.0 * first - part_of(op, slopes, axis, 1, 2)
        last = 2.0 * last - part_of(op, slopes, axis, -2, -1)
    return 0.5 * (op.Concat(first, slopes, axis=axis) + op.Concat(slopes, last, axis=axis))


@helper
def uneven_gradient(op, x, places, axis: int, edge_order: int):
    """The derivative at any points: the slopes on both sides, each weighed by the step on the other side."""
    steps = standing_along(op, differences(op, places, 0), axis, op.rank(x))
    slopes = differences(op, x, axis) / steps
    first, last = part_of(op, slopes, axis, 0, 1), part_of(op, slopes, axis, -1, None)
    first_step, last_step = part_of(op, steps, axis, 0, 1), part_of(op, steps, axis, -1, None)
    if edge_order == 2:
        # The parabola through the last three points goes on for one more step.
        second, second_step = part_of(op, slopes, axis, 1, 2), part_of(op, steps, axis, 1, 2)
        next_to_last, step_before_last = part_of(op, slopes, axis, -2, -1), part_of(op, steps, axis, -2, -1)
        bend_at_first = (second - first) / (first_step + second_step)
        bend_at_last = (last - next_to_last) / (last_step + step_before_last)
        first = first - 2.0 * first_step * bend_at_first
        last = last + 2.0 * last_step * bend_at_last
    before, after = op.Concat(first, slopes, axis=axis), op.Concat(slopes, last, axis=axis)
    step_before = op.Concat(first_step, steps, axis=axis)
    step_after = op.Concat(steps, last_step, axis=axis)
    return (before * step_after + after * step_before) / (step_before + step_after)
