"""Linear systems: solutions, inverses, determinants, and the factors behind them."""

from symgen.match.decompositions.elimination import eliminated, order_of_pivots, solved, substituted
from symgen.match.decompositions.matrices import (
    column_numbers,
    counting,
    identity,
    like_batch_of,
    main_diagonal,
    row_numbers,
    smaller_size,
    swap_last_axes,
)
from symgen.match.language import decomposition, helper


@helper
def first_failure(op, has_failed):
    """The number of the first true value along the last axis, from 1, in int32; 0 where there is none."""
    rank = op.rank(has_failed)
    # One more behind the last, so that there always is a first.
    padded = op.Pad(op.cast(has_failed, "float32"), [0] * (2 * rank - 1) + [1], op.constant(1.0, "float32"))
    number = op.ArgMax(padded, axis=-1, keepdims=1) + 1
    return op.Squeeze(op.cast(op.Mod(number, op.size(padded, -1)), "int32"), [-1])


@helper
def first_zero_pivot(op, factors):
    """The number of the first zero on the diagonal, from 1, in int32; 0 where there is none."""
    return first_failure(op, op.Equal(main_diagonal(op, factors), 0))


@helper
def inverted(op, matrix):
    """(The inverse, the upper factor), by elimination with the identity on the right side."""
    return solved(op, matrix, identity(op, op.size(matrix, -1), matrix))


@helper
def is_vector(op, A, B) -> bool:
    """Whether right sides are vectors: of rank 1, or as many as there are matrices."""
    if op.rank(B) == 1:
        return True
    if op.rank(B) != op.rank(A) - 1:
        return False
    of_matrices = [op.static_size(A, axis) for axis in range(op.rank(B))]
    of_sides = [op.static_size(B, axis) for axis in range(op.rank(B))]
    if of_matrices[-1] is None or of_sides[-1] is None:
        op.fail("linalg_solve: whether these right sides are vectors depends on sizes that are not known at export", B)
    return of_matrices == of_sides


@decomposition(
    "aten::linalg_solve",
    limits=["right sides whose sizes are not known raise where only these tell vectors from a matrix"],
)
def linalg_solve(op, A, B, left):
    """X in A · X = B, or in X · A = B; a singular matrix gives infinities"""
    if is_vector(op, A, B):
        x, _ = solved(op, A, op.Unsqueeze(B, [-1]))
        return op.Squeeze(x, [-1])
    if left:
        x, _ = solved(op, A, B)
        return x
    x, _ = solved(op, swap_last_axes(op, A), swap_last_axes(op, B))
    return swap_last_axes(op, x)


@decomposition(
    "aten::linalg_solve_ex",
    ignore={"check_errors": "a model cannot raise; info says it"},
    limits=["right sides whose sizes are not known raise where only these tell vectors from a matrix"],
)
def linalg_solve_ex(op, A, B, left):
    """X in A · X = B, or in X · A = B, and the number of the first zero pivot"""
    factors, pivots = eliminated(op, A)
    info = first_zero_pivot(op, factors)
    if is_vector(op, A, B):
        return op.Squeeze(solved_by_factors(op, factors, pivots, op.Unsqueeze(B, [-1]), False), [-1]), info
    if left:
        return solved_by_factors(op, factors, pivots, B, False), info
    return swap_last_axes(op, solved_by_factors(op, factors, pivots, swap_last_axes(op, B), True)), info


@decomposition("aten::linalg_inv")
def linalg_inv(op, A):
    """The inverse; a singular matrix gives infinities"""
    inverse, _ = inverted(op, A)
    return inverse


@decomposition("aten::linalg_inv_ex", ignore={"check_errors": "a model cannot raise; info says it"})
def linalg_inv_ex(op, A):
    """The inverse, and the number of the first zero pivot"""
    inverse, upper = inverted(op, A)
    return inverse, first_zero_pivot(op, upper)


@decomposition("aten::linalg_lu_factor_ex", ignore={"check_errors": "a model cannot raise; info says it"})
def linalg_lu_factor_ex(op, A, pivot):
    """L and U in one matrix, the pivots, and the number of the first zero pivot"""
    factors, pivots = eliminated(op, A, pivot)
    return factors, op.cast(pivots, "int32"), first_zero_pivot(op, factors)


@decomposition("aten::linalg_lu_factor")
def linalg_lu_factor(op, A, pivot):
    """L and U in one matrix, and the pivots"""
    factors, pivots = eliminated(op, A, pivot)
    return factors, op.cast(pivots, "int32")


@decomposition("aten::_lu_with_info", ignore={"check_errors": "a model cannot raise; info says it"})
def _lu_with_info(op, self, pivot):
    """L and U in one matrix, the pivots, and the number of the first zero pivot"""
    factors, pivots = eliminated(op, self, pivot)
    return factors, op.cast(pivots, "int32"), first_zero_pivot(op, factors)


@helper
def permutation_matrix(op, pivots, factors):
    """P in A = P · L · U."""
    order = order_of_pivots(op, pivots, op.size(factors, -2))
    return op.cast(op.Equal(row_numbers(op, factors), op.Unsqueeze(order, [-2])), like=factors)


@helper
def triangles(op, factors):
    """(L with ones on its diagonal, U)."""
    rows, columns = row_numbers(op, factors), column_numbers(op, factors)
    zero, one = op.constant(0, like=factors), op.constant(1, like=factors)
    lower = op.Where(rows > columns, factors, op.Where(op.Equal(rows, columns), one, zero))
    upper = op.Where(rows > columns, zero, factors)
    size = smaller_size(op, factors)
    return op.Slice(lower, [0], size, [-1]), op.Slice(upper, [0], size, [-2])


@decomposition("aten::linalg_lu")
def linalg_lu(op, A, pivot):
    """P, L and U in A = P · L · U"""
    factors, pivots = eliminated(op, A, pivot)
    lower, upper = triangles(op, factors)
    permutation = permutation_matrix(op, pivots, factors) if pivot else op.constant([], like=A)
    return permutation, lower, upper


@decomposition("aten::lu_unpack")
def lu_unpack(op, LU_data, LU_pivots, unpack_data, unpack_pivots):
    """P, L and U from the factors in one matrix and the pivots; what is not asked for is empty"""
    nothing = op.constant([], like=LU_data)
    permutation = permutation_matrix(op, LU_pivots, LU_data) if unpack_pivots else nothing
    if not unpack_data:
        return permutation, nothing, nothing
    lower, upper = triangles(op, LU_data)
    return permutation, lower, upper


@helper
def solved_by_factors(op, factors, pivots, right, transposed: bool):
    """X in P · L · U · X = right, or in (P · L · U)ᵀ · X = right."""
    size = op.size(factors, -1)
    order = op.Unsqueeze(order_of_pivots(op, pivots, size), [-1])
    x = like_batch_of(op, right, factors)
    order = op.Expand(order, op.Shape(x))
    if not transposed:
        x = op.GatherElements(x, order, axis=-2)
        return substituted(op, factors, substituted(op, factors, x, False, True), True, False)
    flipped = swap_last_axes(op, factors)
    x = substituted(op, flipped, substituted(op, flipped, x, False, False), True, True)
    return op.ScatterElements(x, order, x, axis=-2)


@decomposition("aten::linalg_lu_solve")
def linalg_lu_solve(op, LU, pivots, B, left, adjoint):
    """X in A · X = B or X · A = B, where A, or its transpose, is given by its factors"""
    if left:
        return solved_by_factors(op, LU, pivots, B, adjoint)
    return swap_last_axes(op, solved_by_factors(op, LU, pivots, swap_last_axes(op, B), not adjoint))


@decomposition("aten::lu_solve")
def lu_solve(op, self, LU_data, LU_pivots):
    """X in A · X = self, where A is given by its factors"""
    return solved_by_factors(op, LU_data, LU_pivots, self, False)


@decomposition("aten::linalg_solve_triangular", promote=("self", "B"), kind="LIKE_FIRST")
def linalg_solve_triangular(op, self, B, upper, left, unitriangular):
    """X in A · X = B or X · A = B for a triangular A"""
    if left:
        return substituted(op, self, like_batch_of(op, B, self), upper, unitriangular)
    right = like_batch_of(op, swap_last_axes(op, B), self)
    return swap_last_axes(op, substituted(op, swap_last_axes(op, self), right, not upper, unitriangular))


@decomposition("aten::triangular_solve")
def triangular_solve(op, self, A, upper, transpose, unitriangular):
    """X in A · X = self or Aᵀ · X = self for a triangular A, and A"""
    coefficients = like_batch_of(op, A, self)
    triangle = swap_last_axes(op, A) if transpose else A
    is_upper = upper != transpose
    return substituted(op, triangle, like_batch_of(op, self, A), is_upper, unitriangular), coefficients


@helper
def sign_of_turns(op, is_turn, like):
    """1 for an even number of true values along the last axis, −1 for an odd one; the axis stays."""
    parity = op.Mod(op.ReduceSum(op.cast(is_turn, like=like), [-1], keepdims=1), op.constant(2, like=like), fmod=1)
    return op.constant(1, like=like) - parity - parity


@helper
def are_exchanges(op, pivots):
    """Which pivots stand for an exchange of rows."""
    return op.Not(op.Equal(pivots, counting(op, op.size(pivots, -1)) + 1))


@helper
def sign_and_logarithm(op, matrix):
    """(The sign of the determinant, the logarithm of its absolute value), from the pivots and the diagonal of U."""
    factors, pivots = eliminated(op, matrix)
    diagonal = main_diagonal(op, factors)
    logarithm = op.ReduceSum(op.Log(op.Abs(diagonal)), [-1], keepdims=1)
    is_singular = op.IsInf(logarithm, detect_positive=0)
    turns = op.Xor(are_exchanges(op, pivots), diagonal < 0)
    sign = op.Where(is_singular, op.constant(0, like=matrix), sign_of_turns(op, turns, matrix))
    return op.Squeeze(sign, [-1]), op.Squeeze(logarithm, [-1])


@decomposition("aten::linalg_slogdet")
def linalg_slogdet(op, A):
    """The sign of the determinant and the logarithm of its absolute value"""
    return sign_and_logarithm(op, A)


@decomposition("aten::slogdet")
def slogdet(op, self):
    """The sign of the determinant and the logarithm of its absolute value"""
    return sign_and_logarithm(op, self)


@decomposition("aten::_linalg_det")
def _linalg_det(op, A):
    """The determinant; L and U in one matrix and the pivots, those of Aᵀ, as torch has them where rows lie together"""
    factors, pivots = eliminated(op, swap_last_axes(op, A))
    product = op.ReduceProd(main_diagonal(op, factors), [-1], keepdims=1)
    determinant = sign_of_turns(op, are_exchanges(op, pivots), A) * product
    return op.Squeeze(determinant, [-1]), factors, op.cast(pivots, "int32")
