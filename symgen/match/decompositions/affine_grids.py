"""The grids of points that affine maps give."""

from symgen.match.language import Values, decomposition, helper, torch


@helper
def points_between(op, length: int, align_corners: bool) -> list[float]:
    """Points from −1 to 1: the middles of as many cells, or from the first corner to the last."""
    if align_corners:
        return [2.0 * place / (length - 1) - 1.0 if length > 1 else 0.0 for place in range(length)]
    return [(2.0 * place + 1.0) / length - 1.0 for place in range(length)]


@helper
def places_between(op, length, align_corners: bool):
    """The same points along an axis of which only the model knows how long it is, in float64."""
    numbers = op.cast(op.Range(0, op.Squeeze(length, [0]), 1), "float64")
    count = op.cast(length, "float64")
    if align_corners:
        return numbers * 2.0 / op.Max(count - 1.0, 1.0) - op.Min(count - 1.0, 1.0)
    return (numbers * 2.0 + 1.0) / count - 1.0


@helper
def points_of_grid(op, lengths: Values, align_corners: bool):
    """The points (x, y, 1) or (x, y, z, 1) of a grid of which only the model knows the lengths, in float64."""
    if op.opset < 11:
        op.fail("affine_grid_generator: size has to be known at export below opset 11, which has Range", lengths[0])
    axes = len(lengths)
    shape = op.Concat(*lengths, op.constant([1]), axis=0)
    parts = [op.Expand(op.constant(1.0, "float64"), shape)]
    for k in range(axes):
        line = places_between(op, lengths[k], align_corners)
        parts = [op.Expand(op.Unsqueeze(line, [axis for axis in range(axes + 1) if axis != k]), shape), *parts]
    return op.Reshape(op.Concat(*parts, axis=axes), [-1, axes + 1])


@decomposition("aten::affine_grid_generator", values=["size"])
def affine_grid_generator(op, theta, size, align_corners):
    """Each matrix times the points (x, y, 1) or (x, y, z, 1) of a grid"""
    dtype = op.dtype(theta)
    if dtype == torch.uint8:
        op.fail("affine_grid_generator: a grid has points below 0", theta)
    if not dtype.is_floating_point:
        theta = op.cast(theta, "int64")
    given = op.known(size)
    lengths = (op.items(size) if given is None else given)[2:]
    known = [op.known(length) for length in lengths]
    if None in known:
        points = op.cast(points_of_grid(op, [op.ints(length) for length in lengths], align_corners), like=theta)
        moved = points @ op.Transpose(theta, perm=[0, 2, 1])
        return op.Reshape(op.cast(moved, dtype), op.ints([op.size(theta, 0), *lengths, len(lengths)]))
    lines = [points_between(op, length, align_corners) for length in known]
    if len(lines) == 2:
        points = [[x, y, 1.0] for y in lines[0] for x in lines[1]]
    else:
        points = [[x, y, z, 1.0] for z in lines[0] for y in lines[1] for x in lines[2]]
    moved = op.constant(points, like=theta) @ op.Transpose(theta, perm=[0, 2, 1])
    return op.Reshape(op.cast(moved, dtype), op.ints([op.size(theta, 0), *known, len(lines)]))
