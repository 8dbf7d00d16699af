"""What entries on matrices share: their last two axes, their indices, the identity."""

from symgen.match.language import helper


@helper
def swap_last_axes(op, matrix):
    """The transposed matrices."""
    rank = op.rank(matrix)
    return op.Transpose(matrix, perm=[*range(rank - 2), rank - 1, rank - 2])


@helper
def with_rank(op, x, rank: int):
    """The tensor with axes of length 1 in front, up to that rank."""
    missing = rank - op.rank(x)
    return op.Unsqueeze(x, list(range(missing))) if missing > 0 else x


@helper
def counting(op, count):
    """0, 1 … count − 1 as int64; `count` has the shape [1]."""
    return op.Range(0, op.Squeeze(count, [0]), 1)


@helper
def identity(op, size, like):
    """The identity matrix of that size, in the dtype of another tensor; `size` has the shape [1]."""
    places = counting(op, size)
    return op.cast(op.Equal(op.Unsqueeze(places, [1]), places), like=like)
