"""Differences along an axis, and what undoes them: gradients and integrals over sampled functions."""

from symgen.match.decompositions.places import part_of, standing_along
from symgen.match.decompositions.reductions import summed_exactly, total_over
from symgen.match.decompositions.scans import running_sum
from symgen.match.language import Values, decomposition, helper, torch


@helper
def differences(op, x, axis: int):
    """x[1:] − x[:-1] along an axis"""
    return part_of(op, x, axis, 1, None) - part_of(op, x, axis, 0, -1)


@decomposition("aten::diff")
def diff(op, self, n, dim, prepend, append):
    """The n-th difference along an axis; of bools, whether neighbours differ."""
    if n == 0:
        return op.Identity(self)
    axis = dim % op.rank(self)
    ends = [value for value in (prepend, self, append) if value is not None]
    dtype = op.common_dtype(*ends)
    result = op.Concat(*[op.cast(end, dtype) for end in ends], axis=axis) if len(ends) > 1 else op.Identity(self)
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


# At opset 10 the runtime takes a dynamic axis for as long behind a Slice as before it.
@decomposition("aten::trapezoid", "aten::trapz", since=11)
def trapezoid(op, y, x, dim):
    """½ Σ (yₖ + yₖ₊₁) · (xₖ₊₁ − xₖ) along an axis, with one distance (Σ yₖ − ½ · (first + last)) · distance"""
    axis = dim % op.rank(y)
    step = op.known(x)
    if isinstance(step, (int, float)):
        total = as_floating(op, total_over(op, y, [axis], True))
        ends = as_floating(op, sum_of_two(op, part_of(op, y, axis, 0, 1), part_of(op, y, axis, -1, None)))
        # Summed, as there are no ends where there are no points.
        both = op.ReduceSum(ends, [axis], keepdims=1)
        area = (total - 0.5 * both) * float(step)
    elif op.rank(x) == 0:
        op.fail("trapezoid: dx has to be known at export", x)
    else:
        twice = as_floating(op, summed_exactly(op, trapezoids(op, y, x, axis), [axis]))
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
    if op.rank(x) == 0:
        op.fail("cumulative_trapezoid: dx has to be known at export", x)
    twice = as_floating(op, running_sum(op, trapezoids(op, y, x, axis), axis))
    return 0.5 * twice


# At opset 10 the runtime takes a dynamic axis for as long behind a Slice as before it.
@decomposition("aten::gradient", promote=(), returns_list=True, since=11)
def gradient(op, self, *args):
    """The derivative along each of some axes, of second order within and of order `edge_order` at the ends."""
    rank = op.rank(self)
    asked, edge_order = op.told(args[-2], "gradient: dim"), op.told(args[-1], "gradient: edge_order")
    axes = list(range(rank)) if asked is None else [asked] if isinstance(asked, int) else asked
    steps = steps_of(op, args[0], len(axes)) if len(args) == 3 else [1] * len(axes)
    if steps is not None:
        return op.list([even_gradient(op, self, steps[k], axis % rank, edge_order) for k, axis in enumerate(axes)])
    places = op.items(args[0])
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
def as_single(op, x):
    """Whole numbers and half precision as float32."""
    return op.cast(x, torch.float64 if op.dtype(x) == torch.float64 else torch.float32)


@helper
def rise(op, x, axis: int, first: list[int | None], second: list[int | None]):
    """One part along an axis minus another, in float32 or float64; whole numbers run over in their dtype first."""
    a, b = part_of(op, x, axis, second[0], second[1]), part_of(op, x, axis, first[0], first[1])
    if is_small(op, x):
        return as_single(op, op.cast(op.cast(a, "int32") - op.cast(b, "int32"), like=x))
    if op.dtype(x).is_floating_point:
        return as_single(op, a) - as_single(op, b)
    return as_single(op, a - b)


@helper
def even_gradient(op, x, step: float, axis: int, edge_order: int):
    """The derivative at points of one distance: the slope between the neighbours on both sides."""
    across = rise(op, x, axis, [0, -2], [2, None])
    if edge_order == 1:
        first, last = rise(op, x, axis, [0, 1], [1, 2]), rise(op, x, axis, [-2, -1], [-1, None])
    else:
        first, last = -bend_at_end(op, x, axis, [0, 1, 2]), bend_at_end(op, x, axis, [-1, -2, -3])
    return like_floating(op, op.Concat(first / step, across / (2.0 * step), last / step, axis=axis), x)


@helper
def bend_at_end(op, x, axis: int, places: list[int]):
    """How steeply the parabola through three points of distance 1 rises at the first of them, seen from the others.

    Twice a whole number runs over in its dtype first.
    """
    a, b, c = [part_of(op, x, axis, k, k + 1 or None) for k in places]
    twice = op.cast(op.cast(b, "int32") * 2, like=x) if is_small(op, x) else b + b
    here, further = as_single(op, a), as_single(op, c)
    return 1.5 * here - as_single(op, twice) + 0.5 * further


@helper
def like_floating(op, result, x):
    """A result in the dtype of x where that is one of floating point."""
    return op.cast(result, like=x) if op.dtype(x).is_floating_point else result


@helper
def uneven_gradient(op, x, places, axis: int, edge_order: int):
    """The derivative of the parabola through each point and its neighbours, at any places."""
    common = op.common_dtype(x, places)
    y = op.cast(x, common) if common.is_floating_point else x
    heights = as_single(op, y)
    distances = op.cast(differences(op, places, 0), like=heights)
    steps = standing_along(op, distances, axis, op.rank(x))
    before, after = part_of(op, steps, axis, 0, -1), part_of(op, steps, axis, 1, None)
    first_step, last_step = part_of(op, steps, axis, 0, 1), part_of(op, steps, axis, -1, None)
    both = before + after
    centre = (
        -after / (before * both) * part_of(op, heights, axis, 0, -2)
        + (after - before) / (before * after) * part_of(op, heights, axis, 1, -1)
        + before / (after * both) * part_of(op, heights, axis, 2, None)
    )
    if edge_order == 1:
        first = rise(op, y, axis, [0, 1], [1, 2]) / first_step
        last = rise(op, y, axis, [-2, -1], [-1, None]) / last_step
    else:
        head = [part_of(op, heights, axis, k, k + 1) for k in (0, 1, 2)]
        tail = [part_of(op, heights, axis, k, k + 1 or None) for k in (-1, -2, -3)]
        first = end_slope(op, head, -first_step, -part_of(op, steps, axis, 1, 2))
        last = end_slope(op, tail, last_step, part_of(op, steps, axis, -2, -1))
    return like_floating(op, op.Concat(first, centre, last, axis=axis), y)


@helper
def end_slope(op, values: Values, step, next_step):
    """The slope at the first of three points of the parabola through them; the steps are counted towards the end."""
    both = step + next_step
    nearest = (2.0 * step + next_step) / (step * both) * values[0]
    middle = -both / (step * next_step) * values[1]
    return nearest + middle + step / (next_step * both) * values[2]
