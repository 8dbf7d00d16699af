"""The grids of points that affine maps give."""

from symgen.match.language import decomposition, helper, torch


@helper
def points_between(op, length: int, align_corners: bool) -> list[float]:
    """Points from −1 to 1: the middles of as many cells, or from the first corner to the last."""
    if align_corners:
        return [2.0 * place / (length - 1) - 1.0 if length > 1 else 0.0 for place in range(length)]
    return [(2.0 * place + 1.0) / length - 1.0 for place in range(length)]


@decomposition("aten::affine_grid_generator")
def affine_grid_generator(op, theta, size, align_corners):
    """Each matrix times the points (x, y, 1) or (x, y, z, 1) of a grid"""
    dtype = op.dtype(theta)
    if dtype == torch.uint8:
        op.fail("affine_grid_generator: a grid has points below 0", theta)
    if not dtype.is_floating_point:
        theta = op.cast(theta, "int64")
    lines = [points_between(op, length, align_corners) for length in size[2:]]
    if len(lines) == 2:
        points = [[x, y, 1.0] for y in lines[0] for x in lines[1]]
    else:
        points = [[x, y, z, 1.0] for z in lines[0] for y in lines[1] for x in lines[2]]
    moved = op.constant(points, like=theta) @ op.Transpose(theta, perm=[0, 2, 1])
    return op.Reshape(op.cast(moved, dtype), op.ints([op.size(theta, 0), *size[2:], len(lines)]))
