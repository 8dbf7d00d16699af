"""Pooling undone, and values sampled between the points of a grid."""

from symgen.match.language import Values, decomposition, helper



@helper
def unpooled(op, x, indices, output_size, axes: int):
    """Zeros of the output's size with the values at their flat places within each channel."""
    lead = op.rank(x) - axes
    shape = op.Concat(*[op.size(x, axis) for axis in range(lead)], output_size, axis=0)
    length = op.ReduceProd(output_size, keepdims=1)
    flat_shape = op.Concat(*[op.size(x, axis) for axis in range(lead)], length, axis=0)
    places = op.Concat(*[op.size(x, axis) for axis in range(lead)], op.constant([-1]), axis=0)
    zeros = op.Expand(op.constant(0.0, like=x), flat_shape)
    filled = op.ScatterElements(zeros, op.Reshape(indices, places), op.Reshape(x, places), axis=-1)
    return op.Reshape(filled, shape)


@decomposition("aten::max_unpool2d", promote=["self"], values=["output_size"])
def max_unpool2d(op, self, indices, output_size):
    """Each maximum back in the place it came from, zeros elsewhere"""
    return unpooled(op, self, indices, op.ints(output_size), 2)


@decomposition(
    "aten::max_unpool3d",
    promote=["self"],
    values=["output_size"],
    ignore={"stride": "the output's size is given", "padding": "the output's size is given"},
)
def max_unpool3d(op, self, indices, output_size):
    """Each maximum back in the place it came from, zeros elsewhere"""
    return unpooled(op, self, indices, op.ints(output_size), 3)


@helper
def reflected(op, position, low, high):
    """The position thrown back at two limits as often as it takes."""
    span = high - low
    distance = op.Abs(position - low)
    turns = op.Floor(distance / span)
    rest = distance - turns * span
    is_even = op.Equal(turns, 2.0 * op.Floor(0.5 * turns))
    inside = op.Where(is_even, rest + low, high - rest)
    # One point alone has no span; every position is that point.
    return op.Where(op.Equal(span, 0.0), op.Expand(low, op.Shape(inside)), inside)


@helper
def position_on_axis(op, coordinate, length, padding_mode: int, align_corners: bool):
    """Where a coordinate from −1 to 1 falls on an axis of that many points."""
    last = length - 1.0
    if align_corners:
        position = 0.5 * (coordinate + 1.0) * last
    else:
        position = 0.5 * ((coordinate + 1.0) * length - 1.0)
    if padding_mode == 2 and align_corners:
        position = reflected(op, position, op.constant([0.0], like=length), last)
    elif padding_mode == 2:
        position = reflected(op, position, op.constant([-0.5], like=length), length - 0.5)
    if padding_mode != 0:
        position = op.Max(op.Min(position, last), op.constant(0.0, like=position))
    return position


@helper
def picked(op, flat, positions: Values, lengths: Values, padding_mode: int):
    """The values [N, C, points] at whole positions, one list entry an axis; 0 outside where nothing is padded."""
    index = op.constant([0])
    inside = None
    for position, length in zip(positions, lengths):
        last = length - 1.0
        kept = op.Max(op.Min(position, last), op.constant(0.0, like=position))
        index = index * op.cast(length, "int64") + op.cast(kept, "int64")
        if padding_mode == 0:
            fits = op.Equal(kept, position)
            inside = fits if inside is None else inside & fits
    channels = op.size(flat, 1)
    ones = op.constant([1])
    spread = op.Concat(ones, channels, ones, axis=0)
    values = op.GatherElements(flat, op.Expand(op.Unsqueeze(index, [1]), spread), axis=2)
    if padding_mode == 0:
        values = op.Where(op.Unsqueeze(inside, [1]), values, op.constant(0.0, like=values))
    return values


@helper
def sampled(op, x, grid, axes: int, interpolation_mode: int, padding_mode: int, align_corners: bool):
    """Values of [N, C, *axes] at the grid's [N, *points, axes] coordinates, linear between points or the nearest."""
    lengths = [op.cast(op.size(x, axis + 2), like=grid) for axis in range(axes)]
    batch = op.size(x, 0)
    points = op.Reshape(grid, op.Concat(batch, op.constant([-1, axes]), axis=0))
    # The last coordinate goes along the first axis.
    coordinates = [op.Gather(points, axes - 1 - axis, axis=2) for axis in range(axes)]
    positions = [
        position_on_axis(op, coordinate, length, padding_mode, align_corners)
        for coordinate, length in zip(coordinates, lengths)
    ]
    flat = op.Reshape(x, op.Concat(batch, op.size(x, 1), op.constant([-1]), axis=0))
    if interpolation_mode == 1:
        result = picked(op, flat, [op.Round(position) for position in positions], lengths, padding_mode)
    else:
        result = blended(op, flat, positions, lengths, padding_mode)
    shape = op.Concat(batch, op.size(x, 1), *[op.size(grid, axis + 1) for axis in range(axes)], axis=0)
    return op.Reshape(result, shape)


@helper
def blended(op, flat, positions: Values, lengths: Values, padding_mode: int):
    """The values of all neighbours of each position, weighted by how near they are."""
    below = [op.Floor(position) for position in positions]
    share = [position - whole for position, whole in zip(positions, below)]
    result = None
    for corner in range(2 ** len(positions)):
        steps = [(corner >> axis) & 1 for axis in range(len(positions))]
        places = [whole + 1.0 if step else whole for whole, step in zip(below, steps)]
        weight = None
        for part, step in zip(share, steps):
            factor = part if step else 1.0 - part
            weight = factor if weight is None else weight * factor
        term = picked(op, flat, places, lengths, padding_mode) * op.Unsqueeze(weight, [1])
        result = term if result is None else result + term
    return result


@decomposition("aten::grid_sampler", "aten::grid_sampler_2d", "aten::grid_sampler_3d", promote=["input", "grid"])
def grid_sampler(op, input, grid, interpolation_mode, padding_mode, align_corners):
    """Values between the points of an image or a volume, at coordinates from −1 to 1 (align_corners: centres)"""
    axes = op.rank(input) - 2
    if interpolation_mode == 2:
        if axes != 2 or op.opset < 16:
            op.fail("grid_sampler: bicubic interpolation has a translation for images, from opset 16 on", input)
    if op.opset >= 20:
        return op.GridSample(
            input,
            grid,
            mode=("linear", "nearest", "cubic")[interpolation_mode],
            padding_mode=("zeros", "border", "reflection")[padding_mode],
            align_corners=int(align_corners),
        )
    if op.opset >= 16 and axes == 2 and interpolation_mode == 2:
        return op.GridSample(
            input,
            grid,
            mode="cubic",
            padding_mode=("zeros", "border", "reflection")[padding_mode],
            align_corners=int(align_corners),
        )
    return sampled(op, input, grid, axes, interpolation_mode, padding_mode, align_corners)
