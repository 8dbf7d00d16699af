"""What entries on places along an axis share: counting them, finding and filling them."""

from symgen.match.language import helper

LAST = 9223372036854775807


@helper
def places_along(op, x, axis: int):
    """0, 1 … n − 1 for an axis of length n."""
    size = op.static_size(x, axis)
    if size is not None:
        return op.constant(list(range(size)))
    return op.Range(0, op.Squeeze(op.size(x, axis), [0]), 1)


@helper
def standing_along(op, vector, axis: int, rank: int):
    """A vector as a tensor of that rank, lying along one axis."""
    others = [other for other in range(rank) if other != axis]
    return op.Unsqueeze(vector, others) if others else vector


@helper
def part_of(op, x, axis: int, start: int, end: int | None):
    """x[start:end] along an axis; negative places count from the end."""
    return op.Slice(x, [start], [LAST if end is None else end], [axis])
