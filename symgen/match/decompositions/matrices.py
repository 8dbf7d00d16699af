"""What entries on matrices share: their last two axes, their indices, the identity."""

from symgen.match.language import helper

LAST = 9223372036854775807


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
def column_numbers(op, matrix):
    """The number of each column, in the shape [n]."""
    return counting(op, op.size(matrix, -1))


@helper
def row_numbers(op, matrix):
    """The number of each row, in the shape [m, 1]."""
    return op.Unsqueeze(counting(op, op.size(matrix, -2)), [1])


@helper
def batch_shape(op, matrix):
    """The lengths of all axes before the last two."""
    return op.Slice(op.Shape(matrix), [0], [-2])


@helper
def like_batch_of(op, matrix, other):
    """The matrices repeated so that they go with each of another batch."""
    rank = op.rank(other)
    if rank <= 2:
        return matrix
    sizes = [op.static_size(other, axis) for axis in range(rank - 2)]
    if None not in sizes and sizes == [op.static_size(matrix, axis) for axis in range(op.rank(matrix) - 2)]:
        return matrix
    own_shape = op.Slice(op.Shape(matrix), [-2], [LAST])
    return op.Expand(matrix, op.Concat(batch_shape(op, other), own_shape, axis=0))


@helper
def smaller_size(op, matrix):
    """The number of rows or of columns, whichever is smaller, in the shape [1]."""
    return op.Min(op.size(matrix, -2), op.size(matrix, -1))


@helper
def identity(op, size, like):
    """The identity matrix of that size, in the dtype of another tensor; `size` has the shape [1]."""
    places = counting(op, size)
    return op.cast(op.Equal(op.Unsqueeze(places, [1]), places), like=like)


@helper
def lower_part(op, matrix, offset: int = 0):
    """The matrices with zeros above a diagonal."""
    rows, columns = row_numbers(op, matrix), column_numbers(op, matrix)
    return op.Where(columns - offset > rows, op.constant(0, like=matrix), matrix)


@helper
def upper_part(op, matrix, offset: int = 0):
    """The matrices with zeros below a diagonal."""
    rows, columns = row_numbers(op, matrix), column_numbers(op, matrix)
    return op.Where(columns - offset < rows, op.constant(0, like=matrix), matrix)


@helper
def main_diagonal(op, matrix):
    """The main diagonals, as vectors."""
    is_diagonal = op.Equal(row_numbers(op, matrix), column_numbers(op, matrix))
    diagonal = op.ReduceSum(op.Where(is_diagonal, matrix, op.constant(0, like=matrix)), [-1], keepdims=0)
    rows, columns = op.static_size(matrix, -2), op.static_size(matrix, -1)
    if rows is not None and columns is not None and rows <= columns:
        return diagonal
    # Rows below the diagonal have nothing on it.
    size = smaller_size(op, matrix)
    return op.Slice(diagonal, [0], size, [-1])
