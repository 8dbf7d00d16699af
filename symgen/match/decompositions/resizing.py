"""Images made larger or smaller."""

from symgen.match.decompositions.differences import as_single
from symgen.match.decompositions.places import standing_along
from symgen.match.language import Values, decomposition, helper, torch


@helper
def scale_factors_of(op, args: list[float], axes: int) -> list[float | None]:
    """The factors by which the last axes grow, None where only the new length counts.

    An overload has them as one list, another as one number for each axis behind the new lengths.
    """
    known = [op.known(value) for value in args]
    if len(known) == 1 and (axes > 1 or isinstance(known[0], list)):
        return [None] * axes if known[0] is None else known[0]
    return known


@helper
def new_lengths(op, x, output_size, factors: list[float | None]):
    """The lengths of the last axes, as one int64 tensor."""
    if output_size is None:
        axes = range(2, op.rank(x))
        grown = [op.cast(op.size(x, axis), "float64") * factors[axis - 2] for axis in axes]
        return op.cast(op.Floor(op.Concat(*grown, axis=0)), "int64")
    return op.ints(output_size)


@helper
def nearest_along(op, x, axis: int, length, factor: float | None, point: float):
    """Each element of the new axis is the one in which a point of its place falls: its start (0) or middle (0.5)."""
    size = op.cast(op.size(x, axis), "float32")
    step = size / op.cast(length, "float32")
    if factor and op.rank(x) == 4 and not point:
        # Of images torch has no use for the factor where an axis keeps its length or doubles it.
        is_plain = op.Equal(length, op.size(x, axis)) | op.Equal(length, op.size(x, axis) * 2)
        step = op.Where(is_plain, step, op.Reciprocal(op.constant([factor], "float32")))
    elif factor:
        step = op.Reciprocal(op.constant([factor], "float32"))
    numbers = op.cast(op.Range(0, op.Squeeze(length, [0]), 1), "float32")
    places = op.Min(op.Floor((numbers + point) * step), size - 1.0)
    return op.Gather(x, op.cast(places, "int64"), axis=axis)


@helper
def resized_to_nearest(op, x, args: Values, point: float):
    """The image with each new element the nearest old one, by a point of the places; see `nearest_along`."""
    factors = scale_factors_of(op, args[1:], op.rank(x) - 2)
    lengths = new_lengths(op, x, args[0], factors)
    if op.opset >= 13 and op.dtype(x) == torch.float32 and all(factor is None for factor in factors):
        sizes = op.Concat(op.Slice(op.Shape(x), [0], [2]), lengths, axis=0)
        return op.Resize(
            x,
            sizes=sizes,
            mode="nearest",
            coordinate_transformation_mode="half_pixel" if point else "asymmetric",
            nearest_mode="round_prefer_ceil" if point else "floor",
        )
    result = x
    for axis in range(2, op.rank(x)):
        length = op.Slice(lengths, [axis - 2], [axis - 1])
        result = nearest_along(op, result, axis, length, factors[axis - 2], point)
    return result


@decomposition(
    "aten::upsample_nearest1d", "aten::upsample_nearest2d", "aten::upsample_nearest3d", values=["output_size"]
)
def upsample_nearest(op, input, *args):
    """The nearest element, by the starts of the places"""
    return resized_to_nearest(op, input, args, 0.0)


@decomposition(
    "aten::_upsample_nearest_exact1d",
    "aten::_upsample_nearest_exact2d",
    "aten::_upsample_nearest_exact3d",
    values=["output_size"],
    quantized=("input",),
)
def _upsample_nearest_exact(op, input, *args):
    """The nearest element, by the middles of the places"""
    return resized_to_nearest(op, input, args, 0.5)


@helper
def step_along(op, like, size, length, factor: float | None, aligns_corners: bool):
    """How far apart the places of a new axis lie in the old one, of which the lengths are given."""
    size, count = op.cast(size, like=like), op.cast(length, like=like)
    if aligns_corners:
        return (size - 1.0) * op.Min(count - 1.0, 1.0) / op.Max(count - 1.0, 1.0)
    if factor and factor > 0.0:
        return op.constant([1.0 / factor], like=like)
    return size / count


@helper
def elements_before(op, places, size):
    """(The number of the last element before each place along an axis of a length, how far behind it the place lies)"""
    # Torch rounds down in single precision.
    low = op.Min(op.cast(op.Floor(op.cast(places, "float32")), like=places), op.cast(size, like=places) - 1.0)
    return low, op.Max(op.Min(places - low, 1.0), 0.0)


@helper
def linear_along(op, x, axis: int, length, factor: float | None, aligns_corners: bool):
    """Each element of the new axis is made of the two between which its place falls, each weighted, also by 0."""
    size = op.size(x, axis)
    step = step_along(op, x, size, length, factor, aligns_corners)
    numbers = op.cast(op.Range(0, op.Squeeze(length, [0]), 1), like=x)
    places = numbers * step if aligns_corners else op.Max((numbers + 0.5) * step - 0.5, 0.0)
    # An axis that keeps its length stays as it is, and each element meets itself, whatever the factor says.
    is_kept = op.Equal(length, size)
    low, share = elements_before(op, op.Where(is_kept, numbers, places), size)
    high = op.Where(is_kept, low, op.Min(low + 1.0, op.cast(size, like=x) - 1.0))
    before, after = [op.Gather(x, op.cast(place, "int64"), axis=axis) for place in (low, high)]
    share = standing_along(op, share, axis, op.rank(x))
    return before * (1.0 - share) + after * share


@helper
def resized_linearly(op, input, args: Values):
    """The image with each new element made of those around its place, along one axis after the other."""
    factors = scale_factors_of(op, args[2:], op.rank(input) - 2)
    lengths = new_lengths(op, input, args[0], factors)
    result = as_single(op, input)
    for axis in reversed(range(2, op.rank(input))):
        length = op.Slice(lengths, [axis - 2], [axis - 1])
        result = linear_along(op, result, axis, length, factors[axis - 2], bool(op.known(args[1])))
    return op.cast(result, like=input)


@decomposition("aten::upsample_linear1d", "aten::upsample_trilinear3d", promote=(), values=["output_size"])
def upsample_linear(op, input, *args):
    """The elements around the middle of each place, or, with corners aligned, around its share of the way"""
    return resized_linearly(op, input, args)
