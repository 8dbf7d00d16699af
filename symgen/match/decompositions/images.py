"""Images made larger or smaller by weights of the elements around each place; those of uint8 by whole numbers."""

from symgen.match.decompositions.differences import as_single
from symgen.match.decompositions.places import standing_along
from symgen.match.decompositions.resizing import (
    elements_before,
    new_lengths,
    resized_linearly,
    scale_factors_of,
    step_along,
)
from symgen.match.language import Values, decomposition, helper, torch


@helper
def filtered(op, distance, taps: int, a: float):
    """The weight of an element by its distance from a place: a triangle (2 taps), or Keys' cubic convolution (4)."""
    x = op.Abs(distance)
    one, two, zero = [op.constant(number, like=x) for number in (1.0, 2.0, 0.0)]
    if taps == 2:
        return op.Where(x < one, 1.0 - x, zero)
    # In the order in which torch reckons, by which elements at whole distances weigh 1 and 0.
    near = ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
    far = ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a
    return op.Where(x < one, near, op.Where(x < two, far, zero))


@helper
def added_in_order(op, x, axis: int):
    """The sum along an axis, from its start to its end: in another order the last places would be others."""
    return op.Gather(op.CumSum(x, op.constant(axis)), op.constant(-1), axis=axis)


@helper
def antialiased_windows(op, like, size, length, step, exact, taps: int) -> Values:
    """(The first element of each new element's window, how many it holds, their weights); wider where images shrink.

    What torch reckons in double precision and what in that of the image decides where windows end, and which weights
    are 0 or negative, as an infinite element tells. All others are made of the exact step: what they lose in the
    precision of the image shows in sums that are small beside their terms.
    """
    wide = op.Max(step, 1.0)
    support = wide * (0.5 * taps)
    numbers = op.cast(op.Range(0, op.Squeeze(length, [0]), 1), "float64")
    centre = op.cast(op.cast(step, "float64") * (numbers + 0.5), like=like)
    start = op.cast(op.Floor(op.cast(centre - support, "float64") + 0.5), "int64")
    end = op.cast(op.Floor(op.cast(centre + support, "float64") + 0.5), "int64")
    nothing = op.constant([0])
    first = op.Max(start, nothing)
    most = op.cast(op.Ceil(support), "int64") * 2 + 1
    count = op.Max(op.Min(op.Min(end, size) - first, most), nothing)
    turns = op.Unsqueeze(op.Range(0, op.Squeeze(most, [0]), 1), [0])
    behind = op.cast(op.Unsqueeze(first, [1]) + turns, like=like) - op.Unsqueeze(centre, [1])
    distance = (op.cast(behind, "float64") + 0.5) * op.cast(op.Reciprocal(wide), "float64")
    rounded = op.cast(filtered(op, op.cast(distance, like=like), taps, -0.5), "float64")
    behind = op.cast(op.Unsqueeze(first, [1]) + turns, "float64") - op.Unsqueeze(exact * (numbers + 0.5), [1])
    weights = filtered(op, (behind + 0.5) / op.Max(exact, 1.0), taps, -0.5)
    weights = op.Where(op.Equal(op.Sign(weights), op.Sign(rounded)), weights, rounded)
    zero, one = op.constant(0.0, "float64"), op.constant(1.0, "float64")
    weights = op.Where(turns < op.Unsqueeze(count, [1]), weights, zero)
    total = op.Unsqueeze(added_in_order(op, weights, 1), [1])
    return first, count, op.cast(weights / op.Where(op.Equal(total, zero), one, total), like=like)


@helper
def plain_windows(op, size, length, step, taps: int, aligns_corners: bool) -> Values:
    """(The first element of each new element's window, how many it holds, their weights, the largest on the way).

    What would lie outside the image is counted to the element at its border.
    """
    numbers = op.cast(op.Range(0, op.Squeeze(length, [0]), 1), "float64")
    places = numbers * step if aligns_corners else (numbers + 0.5) * step - 0.5
    if taps == 2 and not aligns_corners:
        places = op.Max(places, 0.0)
    low, share = elements_before(op, places, size)
    start = op.cast(low, "int64") - (taps // 2 - 1)
    first = op.Max(start, op.constant([0]))
    count = op.Min(start + taps, size) - first
    zero = op.constant(0.0, "float64")
    weights, largest = op.constant([[0.0] * taps], "float64"), zero
    for tap in range(taps):
        weight = filtered(op, (tap + 1.0 - taps // 2) - share, taps, -0.75)
        turn = op.Max(op.Min(start + tap, size - 1), op.constant([0])) - first
        is_its = op.Equal(op.Unsqueeze(turn, [1]), op.constant([list(range(taps))]))
        weights = weights + op.Where(is_its, op.Unsqueeze(weight, [1]), zero)
        largest = op.Max(largest, op.ReduceMax(weights, keepdims=0))
    return first, count, weights, largest


@helper
def windowed_along(op, x, axis: int, first, count, weights):
    """The sum over each window along an axis, each element times its weight, also of 0; what is outside has none."""
    last = op.size(x, axis) - 1
    turns = op.Unsqueeze(op.Range(0, op.Squeeze(op.size(weights, 1), [0]), 1), [0])
    places = op.Max(op.Min(op.Unsqueeze(first, [1]) + turns, last), op.constant([0]))
    others = [other for other in range(op.rank(x) + 1) if other not in (axis, axis + 1)]
    products = op.Gather(x, places, axis=axis) * op.Unsqueeze(weights, others)
    is_held = op.Unsqueeze(turns < op.Unsqueeze(count, [1]), others)
    return added_in_order(op, op.Where(is_held, products, op.constant(0.0, like=x)), axis + 1)


@helper
def bytes_along(op, x, axis: int, first, count, weights, largest):
    """The sum over each window as torch has it of bytes: weights are whole numbers of 16 bits, as large as they may."""
    powers = [2.0**digits for digits in range(23)]
    is_small = op.Floor(largest * op.constant(powers[1:], "float64") + 0.5) < 32768.0
    digits = op.ReduceSum(op.cast(is_small, "int64"), keepdims=0)
    unit = op.Gather(op.constant(powers, "float64"), digits, axis=0)
    scaled = weights * unit
    whole = op.Where(scaled < 0.0, op.Ceil(scaled - 0.5), op.Floor(scaled + 0.5))
    total = windowed_along(op, x, axis, first, count, whole)
    return op.Max(op.Min(op.Floor((total + unit * 0.5) / unit), 255.0), 0.0)


@helper
def resized_by_windows(op, input, args: Values, taps: int, is_antialiased: bool):
    """The image resized along its last axis, then along the one before; an axis that keeps its length stays."""
    factors = scale_factors_of(op, args[2:], 2)
    lengths = new_lengths(op, input, args[0], factors)
    aligns_corners, is_bytes = bool(op.known(args[1])), op.dtype(input) == torch.uint8
    x = op.cast(input, "float64") if is_bytes else input
    for axis in (3, 2):
        size, length = op.size(input, axis), op.Slice(lengths, [axis - 2], [axis - 1])
        step = step_along(op, x, size, length, factors[axis - 2], aligns_corners)
        if is_antialiased:
            exact = step_along(op, op.constant(0.0, "float64"), size, length, factors[axis - 2], aligns_corners)
            first, count, weights = antialiased_windows(op, x, size, length, step, exact, taps)
            largest = op.ReduceMax(weights, keepdims=0) if is_bytes else None
        else:
            first, count, weights, largest = plain_windows(op, size, length, step, taps, aligns_corners)
        is_kept = op.Equal(length, size)
        first = op.Where(is_kept, op.Range(0, op.Squeeze(length, [0]), 1), first)
        count = op.Where(is_kept, op.constant([1]), count)
        weights = op.Where(is_kept, op.constant(1.0, like=x), weights)
        if is_bytes:
            x = bytes_along(op, x, axis, first, count, weights, largest)
        else:
            x = windowed_along(op, x, axis, first, count, weights)
    return op.cast(x, like=input)


@helper
def cubic_along(op, x, axis: int, length, factor: float | None, aligns_corners: bool, image):
    """Each element of the new axis is made of four around its place, by weights in the dtype of the image."""
    size = op.size(x, axis)
    step = step_along(op, x, size, length, factor, aligns_corners)
    numbers = op.cast(op.Range(0, op.Squeeze(length, [0]), 1), like=x)
    places = numbers * step if aligns_corners else (numbers + 0.5) * step - 0.5
    second, share = elements_before(op, places, size)
    parts = []
    for tap in range(4):
        place = op.Max(op.Min(second + (tap - 1.0), op.cast(size, like=x) - 1.0), 0.0)
        # The distance from the second, or from the third.
        weight = filtered(op, share + (1.0 - tap) if tap < 2 else (1.0 - share) + (tap - 2.0), 4, -0.75)
        weight = standing_along(op, op.cast(op.cast(weight, like=image), like=x), axis, op.rank(x))
        parts.append(op.Gather(x, op.cast(place, "int64"), axis=axis) * weight)
    return parts[0] + parts[1] + parts[2] + parts[3]


@decomposition("aten::upsample_bilinear2d", promote=(), values=["output_size"])
def upsample_bilinear2d(op, input, *args):
    """The elements around the middle of each place, or, with corners aligned, around its share of the way"""
    if op.dtype(input) == torch.uint8:
        return resized_by_windows(op, input, args, 2, False)
    return resized_linearly(op, input, args)


@decomposition("aten::upsample_bicubic2d", promote=(), values=["output_size"])
def upsample_bicubic2d(op, input, *args):
    """Keys' cubic convolution with a = −0.75 of the elements around each place"""
    if op.dtype(input) == torch.uint8:
        return resized_by_windows(op, input, args, 4, False)
    factors = scale_factors_of(op, args[2:], 2)
    lengths = new_lengths(op, input, args[0], factors)
    result = as_single(op, input)
    for axis in (3, 2):
        length = op.Slice(lengths, [axis - 2], [axis - 1])
        aligns_corners = bool(op.known(args[1]))
        result = cubic_along(op, result, axis, length, factors[axis - 2], aligns_corners, input)
    return op.cast(result, like=input)


@decomposition("aten::_upsample_bilinear2d_aa", promote=(), values=["output_size"])
def _upsample_bilinear2d_aa(op, input, *args):
    """The elements around each place, by their distance; where the image shrinks, of as many as fall together"""
    return resized_by_windows(op, input, args, 2, True)


@decomposition("aten::_upsample_bicubic2d_aa", promote=(), values=["output_size"])
def _upsample_bicubic2d_aa(op, input, *args):
    """Keys' cubic convolution with a = −0.5 around each place; where the image shrinks, as wide as it does"""
    return resized_by_windows(op, input, args, 4, True)
