"""Diagonals: read, written, filled, summed; and the places of triangles."""

from symgen.match.decompositions.places import nothing
from symgen.match.decompositions.reductions import total_over
from symgen.match.decompositions.shape import permuted, shaped_like
from symgen.match.language import decomposition, helper, torch


@helper
def diagonal_places(op, rows, columns, offset: int):
    """The places of a diagonal as pairs, shape [n, 2]; the numbers of rows and columns have the shape [1]."""
    row, column = max(-offset, 0), max(offset, 0)
    known = op.known([rows, columns])
    if known is None:
        length = op.ReduceMin(op.ints([rows - row, columns - column]), keepdims=0)
        return op.Unsqueeze(op.Range(0, length, 1), [1]) + op.constant([[row, column]])
    length = min(known[0] - row, known[1] - column)
    if length <= 0:
        return nothing(op, op.constant([0, 2]), torch.int64)
    return op.constant([[row + k, column + k] for k in range(length)])


@helper
def diagonal_of(op, x, offset: int, dim1: int, dim2: int):
    """The diagonals in the plane of two axes, which go; the diagonal becomes the last axis."""
    rank = op.rank(x)
    first, second = dim1 % rank, dim2 % rank
    rest = [axis for axis in range(rank) if axis not in (first, second)]
    places = diagonal_places(op, op.size(x, first), op.size(x, second), offset)
    diagonal = op.GatherND(permuted(op, x, [first, second, *rest]), places)
    return permuted(op, diagonal, [*range(1, rank - 1), 0])


@helper
def with_diagonal(op, x, diagonal, offset: int, first: int, second: int):
    """The tensor with its diagonals in the plane of two axes replaced; the new ones run along the last axis."""
    rank = op.rank(x)
    order = [first, second, *(axis for axis in range(rank) if axis not in (first, second))]
    places = diagonal_places(op, op.size(x, first), op.size(x, second), offset)
    updates = permuted(op, op.cast(diagonal, like=x), [rank - 2, *range(rank - 2)])
    written = op.ScatterND(permuted(op, x, order), places, updates)
    return permuted(op, written, [order.index(axis) for axis in range(rank)])


@helper
def on_diagonal(op, x, offset: int, dim1: int, dim2: int):
    """Zeros with the last axis of x on the diagonals in the plane of two new axes."""
    rank = op.rank(x)
    first, second = dim1 % (rank + 1), dim2 % (rank + 1)
    length = op.size(x, rank - 1) + abs(offset)
    sizes = [op.size(x, axis) for axis in range(rank - 1)]
    for axis in sorted([first, second]):
        sizes.insert(axis, length)
    zeros = op.Expand(op.constant(0, like=x), op.ints(sizes))
    return with_diagonal(op, zeros, x, offset, first, second)


@decomposition("aten::diagonal", "aten::diagonal_copy")
def diagonal(op, self, offset, dim1, dim2):
    """The diagonals in the plane of two axes."""
    return diagonal_of(op, self, offset, dim1, dim2)


@decomposition("aten::linalg_diagonal")
def linalg_diagonal(op, A, offset, dim1, dim2):
    """The diagonals in the plane of two axes."""
    return diagonal_of(op, A, offset, dim1, dim2)


@decomposition("aten::diagonal_scatter")
def diagonal_scatter(op, self, src, offset, dim1, dim2):
    """The tensor with its diagonals in the plane of two axes replaced."""
    rank = op.rank(self)
    return with_diagonal(op, self, src, offset, dim1 % rank, dim2 % rank)


@decomposition("aten::diag")
def diag(op, self, diagonal):
    """A vector on the diagonal of a matrix, or the diagonal of a matrix as a vector."""
    if op.rank(self) == 1:
        return on_diagonal(op, self, diagonal, 0, 1)
    return diagonal_of(op, self, diagonal, 0, 1)


@decomposition("aten::diag_embed")
def diag_embed(op, self, offset, dim1, dim2):
    """The last axis on the diagonals in the plane of two new axes."""
    return on_diagonal(op, self, offset, dim1, dim2)


@decomposition("aten::diagflat")
def diagflat(op, self, offset):
    """All elements on the diagonal of a matrix."""
    elements = op.Reshape(self, [-1])
    return on_diagonal(op, elements, offset, 0, 1)


@decomposition("aten::trace")
def trace(op, self):
    """The sum of the diagonal; whole numbers are summed as int64."""
    return total_over(op, diagonal_of(op, self, 0, 0, 1), [0], False)


@decomposition("aten::fill_diagonal")
def fill_diagonal(op, self, fill_value, wrap):
    """The diagonal filled with a number; in tall matrices it may start again behind each square."""
    rank = op.rank(self)
    if op.static_numel(self) == 0:
        return op.Identity(self)
    fill = op.constant(fill_value, like=self)
    if wrap and rank == 2:
        step = op.Squeeze(op.size(self, 1), [0]) + 1
        places = op.Range(0, op.Size(self), step)
        filled = op.ScatterElements(op.Reshape(self, [-1]), places, op.Expand(fill, op.Shape(places)), axis=0)
        return shaped_like(op, filled, self)
    length = op.ReduceMin(op.Shape(self), keepdims=0)
    places = op.Expand(op.Unsqueeze(op.Range(0, length, 1), [1]), op.constant([1, rank]))
    return op.ScatterND(self, places, op.Expand(fill, op.Unsqueeze(length, [0])))


@decomposition("aten::tril_indices")
def tril_indices(op, row, col, offset, dtype):
    """The places on and below a diagonal, row by row."""
    return op.constant(torch.tril_indices(row, col, offset).tolist(), dtype or torch.int64)


@decomposition("aten::triu_indices")
def triu_indices(op, row, col, offset, dtype):
    """The places on and above a diagonal, row by row."""
    return op.constant(torch.triu_indices(row, col, offset).tolist(), dtype or torch.int64)
