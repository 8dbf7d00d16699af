"""Cholesky's factorization, and what is solved with it."""

from symgen.match.decompositions.elimination import substituted
from symgen.match.decompositions.matrices import (
    column_numbers,
    identity,
    like_batch_of,
    lower_part,
    main_diagonal,
    row_numbers,
    swap_last_axes,
)
from symgen.match.decompositions.solvers import first_failure
from symgen.match.language import decomposition, helper


@helper
def lower_factor(op, matrix):
    """L in matrix = L · Lᵀ, column by column; the part above the diagonal is never read.

    Backward stable (Higham, Accuracy and Stability of Numerical Algorithms, 2002, theorem 10.3). From the first pivot
    on that is not positive, all is nan.
    """
    rows, columns = row_numbers(op, matrix), column_numbers(op, matrix)
    zero = op.constant(0, like=matrix)

    def step(op, k, matrix):
        here = op.Unsqueeze(k, [0])
        column = op.Gather(matrix, here, axis=-1)
        root = op.Sqrt(op.Gather(column, here, axis=-2))
        scaled = op.Where(rows < k, zero, op.Where(op.Equal(rows, k), root, column / root))
        reduced = matrix - scaled * swap_last_axes(op, scaled)
        return op.Where(op.Equal(columns, k), scaled, op.Where(columns > k, reduced, matrix))

    return lower_part(op, op.loop(op.size(matrix, -1), step, matrix))


@helper
def cholesky_factor(op, matrix, upper: bool):
    """L in matrix = L · Lᵀ, or U in matrix = Uᵀ · U, of which each reads its own half of the matrix."""
    if upper:
        return swap_last_axes(op, lower_factor(op, swap_last_axes(op, matrix)))
    return lower_factor(op, matrix)


@decomposition("aten::cholesky", "aten::linalg_cholesky")
def cholesky(op, self, upper):
    """L in A = L · Lᵀ, or U in A = Uᵀ · U; nan where A is not positive definite"""
    return cholesky_factor(op, self, upper)


@decomposition("aten::linalg_cholesky_ex", ignore={"check_errors": "a model cannot raise; info says it"})
def linalg_cholesky_ex(op, self, upper):
    """L in A = L · Lᵀ, or U in A = Uᵀ · U, and the order of the first minor that is not positive"""
    factor = cholesky_factor(op, self, upper)
    return factor, first_failure(op, op.Not(main_diagonal(op, factor) > 0))


@decomposition("aten::cholesky_solve")
def cholesky_solve(op, self, input2, upper):
    """X in A · X = self, where A is given by its factor"""
    lower = swap_last_axes(op, input2) if upper else input2
    half = substituted(op, lower, like_batch_of(op, self, input2), False, False)
    return substituted(op, swap_last_axes(op, lower), half, True, False)


@decomposition("aten::cholesky_inverse")
def cholesky_inverse(op, self, upper):
    """The inverse of a matrix that is given by its factor"""
    lower = swap_last_axes(op, self) if upper else self
    half = substituted(op, lower, op.Expand(identity(op, op.size(self, -1), self), op.Shape(self)), False, False)
    return op.MatMul(swap_last_axes(op, half), half)
