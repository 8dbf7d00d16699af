"""LU factorization with partial pivoting, and the substitutions that solve triangular systems.

All run in a Loop over the columns, on whole batches, so that sizes may be dynamic. As in LAPACK a zero pivot does not
stop the elimination: its column below is zero already. The backward error is that of Gaussian elimination with partial
pivoting, n · eps · growth (Higham, Accuracy and Stability of Numerical Algorithms, 2002, theorem 9.5).
"""

from symgen.match.decompositions.matrices import (
    batch_shape,
    column_numbers,
    counting,
    like_batch_of,
    row_numbers,
    smaller_size,
)
from symgen.match.language import helper

LAST = 9223372036854775807


@helper
def eliminated(op, matrix, pivot: bool = True):
    """(L below and U from the diagonal on, the pivots as LAPACK numbers them: from 1, in int64)."""
    rows, columns = row_numbers(op, matrix), column_numbers(op, matrix)
    numbers = op.Squeeze(rows, [1])
    steps = smaller_size(op, matrix)
    places = counting(op, steps)
    pivots = op.Expand(places + 1, op.Concat(batch_shape(op, matrix), steps, axis=0))
    zero = op.constant(0, like=matrix)

    def step(op, k, matrix, pivots):
        if pivot:
            candidates = op.Where(numbers < k, op.constant(-1, like=matrix), op.Abs(op.Gather(matrix, k, axis=-1)))
            best = op.ArgMax(candidates, axis=-1, keepdims=1)
            swapped = op.Where(op.Equal(numbers, k), best, op.Where(op.Equal(numbers, best), k, numbers))
            order = op.Expand(op.Unsqueeze(swapped, [-1]), op.Shape(matrix))
            matrix = op.GatherElements(matrix, order, axis=-2)
            pivots = op.Where(op.Equal(places, k), best + 1, pivots)
        here = op.Unsqueeze(k, [0])
        column, row = op.Gather(matrix, here, axis=-1), op.Gather(matrix, here, axis=-2)
        leader = op.Gather(row, here, axis=-1)
        divisor = op.Where(op.Equal(leader, zero), op.constant(1, like=matrix), leader)
        factors = column / divisor
        is_below = rows > k
        reduced = op.Where(is_below & (columns > k), matrix - factors * row, matrix)
        matrix = op.Where(is_below & op.Equal(columns, k), factors, reduced)
        return matrix, pivots

    return op.loop(steps, step, matrix, pivots)


@helper
def substituted(op, triangle, right, is_upper: bool, is_unit: bool):
    """X in triangle · X = right, by substitution; the other half of the triangle is never read."""
    size = op.size(triangle, -1)
    rows = row_numbers(op, triangle)
    last = op.Squeeze(size - 1, [0])

    def step(op, i, x):
        k = last - i if is_upper else i
        here = op.Unsqueeze(k, [0])
        column = op.Gather(triangle, here, axis=-1)
        found = op.Gather(x, here, axis=-2)
        if not is_unit:
            found = found / op.Gather(column, here, axis=-2)
        is_left = rows < k if is_upper else rows > k
        x = op.Where(is_left, x - column * found, x)
        return op.Where(op.Equal(rows, k), found, x)

    return op.loop(size, step, right)


@helper
def solved(op, matrix, right):
    """(X in matrix · X = right, the upper factor of the matrix)."""
    # Elimination takes the right sides along, which leaves them in the state that forward substitution gives.
    together = op.Concat(like_batch_of(op, matrix, right), like_batch_of(op, right, matrix), axis=-1)
    reduced, _ = eliminated(op, together)
    size = op.size(matrix, -1)
    upper = op.Slice(reduced, [0], size, [-1])
    changed = op.Slice(reduced, size, [LAST], [-1])
    return substituted(op, upper, changed, True, False), upper


@helper
def order_of_pivots(op, pivots, size):
    """Which row each row of the factors came from: the exchanges that the pivots stand for, one after the other."""
    places = counting(op, size)
    count = op.size(pivots, -1)
    batch = op.Slice(op.Shape(pivots), [0], [-1])
    order = op.Expand(places, op.Concat(batch, size, axis=0))
    others = op.cast(pivots, "int64") - 1

    def step(op, k, order):
        other = op.Gather(others, op.Unsqueeze(k, [0]), axis=-1)
        swapped = op.Where(op.Equal(places, k), other, op.Where(op.Equal(places, other), k, places))
        return op.GatherElements(order, swapped, axis=-1)

    return op.loop(count, step, order)
