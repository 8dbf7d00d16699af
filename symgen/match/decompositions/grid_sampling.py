"""Sampling of images and volumes at the points of a grid, whose coordinates run from −1 to 1."""

from symgen.match.decompositions.places import nothing, with_shape
from symgen.match.language import Values, decomposition, helper, torch

BILINEAR = 0
NEAREST = 1
BICUBIC = 2
ZEROS = 0
REFLECTION = 2
# Keys' cubic convolution with a = −0.75, as torch has it: the weights of the four neighbours, as polynomials in the
# distance t from the second of them.
CUBIC = [[0.0, -0.75, 1.5, -0.75], [1.0, 0.0, -2.25, 1.25], [0.0, 0.75, 1.5, -1.25], [0.0, 0.0, -0.75, 0.75]]


@helper
def reflected_between(op, place, low, high):
    """A coordinate reflected at two borders until it lies between them."""
    span = high - low
    distance = op.Abs(place - low)
    flips = op.Floor(distance / span)
    rest = distance - flips * span
    half = op.constant(0.5, like=place)
    is_even = op.Equal(op.Floor(flips * half) * 2.0, flips)
    reflected = op.Where(is_even, rest + low, span - rest + low)
    # Without room between the borders all falls on the first place.
    return op.Where(op.Equal(span, op.constant(0.0, like=place)), op.constant(0.0, like=place), reflected)


@helper
def padded_place(op, place, size, padding_mode: int, align_corners: bool):
    """A coordinate brought inside, as the padding mode says; `size` is the length of the axis, in its dtype."""
    last = size - 1
    if padding_mode == REFLECTION:
        if align_corners:
            place = reflected_between(op, place, op.constant(0.0, like=place), last)
        else:
            place = reflected_between(op, place, op.constant(-0.5, like=place), last + 0.5)
    if padding_mode == ZEROS:
        return place
    return op.Min(op.Max(place, op.constant(0.0, like=place)), last)


@helper
def tap_weights(op, fraction, interpolation_mode: int) -> Values:
    """The weights of the neighbours of a point that lies this far behind the first, or second, of them."""
    if interpolation_mode == NEAREST:
        return [op.constant(1.0, like=fraction)]
    if interpolation_mode == BILINEAR:
        return [1.0 - fraction, fraction]
    return [((c[3] * fraction + c[2]) * fraction + c[1]) * fraction + c[0] for c in CUBIC]


@helper
def sampled(op, input, grid, interpolation_mode: int, padding_mode: int, align_corners: bool):
    """The sum over the neighbours of each point, each element times its weight; elements outside are 0."""
    axes = op.rank(input) - 2
    lengths = [op.size(input, 0), op.size(input, 1)] + [op.size(grid, k + 1) for k in range(axes)]
    if 0 in (op.static_size(input, 0), op.static_size(input, 1), op.static_numel(grid)):
        return nothing(op, op.ints(lengths), op.dtype(input))
    zero = op.constant(0.0, like=grid)
    # How many points and elements there are is counted here: a model cannot infer it where there are none.
    points = op.Slice(op.Shape(grid), [1], [axes + 1])
    count = op.ReduceProd(points, axes=[0], keepdims=1)
    one_row = op.Concat(op.size(grid, 0), op.constant([1]), count, axis=0)
    indices, weights, masks = [op.constant([0])], [op.constant([1.0], like=grid)], [op.constant([True], "bool")]
    for k in range(axes):
        length = op.size(input, k + 2)
        size = op.cast(length, like=grid)
        coordinate = op.Gather(grid, op.constant(axes - 1 - k), axis=axes + 1)
        coordinate = with_shape(op, coordinate, one_row, 3)
        if align_corners:
            place = (coordinate + 1.0) * 0.5 * (size - 1)
        else:
            place = ((coordinate + 1.0) * size - 1.0) * 0.5
        if interpolation_mode != BICUBIC:
            place = padded_place(op, place, size, padding_mode, align_corners)
        # What is no number lies outside, or where padding brings it inside at the last element.
        nowhere = op.constant(-2.0, like=place) if padding_mode == ZEROS else size - 1
        place = op.Where(op.IsNaN(place), nowhere, place)
        first = op.Round(place) if interpolation_mode == NEAREST else op.Floor(place)
        offset = 1 if interpolation_mode == BICUBIC else 0
        along = tap_weights(op, place - first, interpolation_mode)
        new_indices, new_weights, new_masks = [], [], []
        for tap in range(len(along)):
            neighbour = first + (tap - offset)
            if interpolation_mode == BICUBIC:
                neighbour = padded_place(op, neighbour, size, padding_mode, align_corners)
            last = size - 1
            inside = op.Min(op.Max(neighbour, zero), last)
            is_inside = op.Equal(inside, neighbour)
            index = op.cast(inside, "int64")
            for number in range(len(indices)):
                new_indices.append(indices[number] * length + index)
                new_weights.append(weights[number] * along[tap])
                new_masks.append(masks[number] & is_inside)
        indices, weights, masks = new_indices, new_weights, new_masks
    batch = op.Slice(op.Shape(input), [0], [2])
    volume = op.ReduceProd(op.Slice(op.Shape(input), [2], [axes + 2]), axes=[0], keepdims=1)
    flat = with_shape(op, input, op.Concat(batch, volume, axis=0), 3)
    where = op.Concat(*indices, axis=2)
    elements = op.GatherElements(flat, op.Expand(where, op.Concat(batch, op.constant([1]), axis=0)), axis=2)
    if interpolation_mode != NEAREST:
        elements = elements * op.Concat(*weights, axis=2)
    products = op.Where(op.Concat(*masks, axis=2), elements, zero)
    by_tap = op.Concat(batch, op.constant([len(indices)]), count, axis=0)
    summed = op.ReduceSum(with_shape(op, products, by_tap, 4), [2], keepdims=0)
    return with_shape(op, summed, op.Concat(batch, points, axis=0), axes + 2)


@decomposition(
    "aten::grid_sampler",
    "aten::grid_sampler_2d",
    "aten::grid_sampler_3d",
    promote=("input", "grid"),
)
def grid_sampler(op, input, grid, interpolation_mode, padding_mode, align_corners):
    """The input at the points of a grid: interpolated linearly or cubically, or the nearest element

    Outside the input stand zeros, its border, or its reflection.
    """
    padding = ("zeros", "border", "reflection")[padding_mode]
    # The runtime has no GridSample of version 16 in float64.
    if op.opset >= 20:
        mode = ("linear", "nearest", "cubic")[interpolation_mode]
        return op.GridSample(input, grid, mode=mode, padding_mode=padding, align_corners=int(align_corners))
    if op.opset >= 16 and op.rank(input) == 4 and op.dtype(input) == torch.float32:
        mode = ("bilinear", "nearest", "bicubic")[interpolation_mode]
        return op.GridSample(input, grid, mode=mode, padding_mode=padding, align_corners=int(align_corners))
    return sampled(op, input, grid, interpolation_mode, padding_mode, align_corners)
