"""Channels exchanged for pixels."""

from symgen.match.decompositions.places import is_empty, nothing
from symgen.match.language import Values, decomposition, helper


@decomposition("aten::pixel_shuffle")
def pixel_shuffle(op, self, upscale_factor):
    """r² channels each make one, in which a pixel is r rows of r"""
    r, rank = upscale_factor, op.rank(self)
    lead = [op.size(self, axis) for axis in range(rank - 3)]
    depth = inner_place(op, self, rank - 3, r * r)
    order = [*range(rank - 3), *[rank - 3 + place for place in (0, 3, 1, 4, 2)]]
    apart = [*lead, depth, r, r, op.size(self, rank - 2), op.size(self, rank - 1)]
    return rearranged(op, self, apart, order, [*lead, depth, *[times(op, self, rank + k, r) for k in (-2, -1)]])


@decomposition("aten::pixel_unshuffle")
def pixel_unshuffle(op, self, downscale_factor):
    """A channel makes r² of them, one for each place in squares of r rows of r"""
    r, rank = downscale_factor, op.rank(self)
    lead = [op.size(self, axis) for axis in range(rank - 3)]
    height, width = [inner_place(op, self, rank + k, r) for k in (-2, -1)]
    order = [*range(rank - 3), *[rank - 3 + place for place in (0, 2, 4, 1, 3)]]
    apart = [*lead, op.size(self, rank - 3), height, r, width, r]
    return rearranged(op, self, apart, order, [*lead, times(op, self, rank - 3, r * r), height, width])


@helper
def rearranged(op, x, apart: Values, order: list[int], shape: Values):
    """The elements in one shape, its axes in another order, and then in the last shape."""
    if is_empty(op, x):
        return nothing(op, op.ints(shape), op.dtype(x))
    if op.opset < 14:
        return op.Reshape(op.Transpose(op.Reshape(x, op.ints(apart)), perm=order), op.ints(shape))
    moved = op.Transpose(op.Reshape(x, op.ints(apart), allowzero=1), perm=order)
    return op.Reshape(moved, op.ints(shape), allowzero=1)


@helper
def times(op, x, axis: int, factor: int):
    """So many times the length of an axis."""
    length = op.static_size(x, axis)
    return op.size(x, axis) * factor if length is None else length * factor


@helper
def inner_place(op, x, axis: int, factor: int):
    """That part of the length of an axis."""
    length = op.static_size(x, axis)
    return op.size(x, axis) / factor if length is None else length // factor
