"""Eigenvalues and singular values, and what is defined by them: pseudo-inverses, ranks, conditions, spectral norms."""

from symgen.match.decompositions.jacobi import eigen_decomposed, singular_decomposed, singular_values, symmetric
from symgen.match.decompositions.matrices import batch_shape, main_diagonal, smaller_size, swap_last_axes
from symgen.match.decompositions.reflections import orthogonal_factor, reflected
from symgen.match.decompositions.solvers import is_vector
from symgen.match.language import decomposition, helper, torch

LAST = 9223372036854775807


@decomposition("aten::linalg_eigh")
def linalg_eigh(op, self, UPLO):
    """The eigenvalues of symmetric matrices, ascending, and the eigenvectors as columns"""
    return eigen_decomposed(op, symmetric(op, self, UPLO.upper() == "U"))


@decomposition("aten::_linalg_eigh")
def _linalg_eigh(op, A, UPLO, compute_v):
    """The eigenvalues of symmetric matrices, ascending, and the eigenvectors as columns"""
    values, vectors = eigen_decomposed(op, symmetric(op, A, UPLO.upper() == "U"))
    return values, vectors if compute_v else op.constant([], like=A)


@decomposition("aten::linalg_eigvalsh")
def linalg_eigvalsh(op, self, UPLO):
    """The eigenvalues of symmetric matrices, ascending"""
    values, _ = eigen_decomposed(op, symmetric(op, self, UPLO.upper() == "U"))
    return values


@helper
def decomposed(op, matrix, is_full: bool):
    """(U, S, V) in matrix = U · diag(S) · Vᵀ; U and V are square where they are full."""
    rows, columns = op.static_size(matrix, -2), op.static_size(matrix, -1)
    if rows is not None and columns is not None and rows < columns:
        right, values, left = tall_decomposed(op, swap_last_axes(op, matrix), is_full)
        return left, values, right
    return tall_decomposed(op, matrix, is_full)


@helper
def tall_decomposed(op, matrix, is_full: bool):
    """(U, S, V), by rotations of the columns, so that fewer columns than rows cost less."""
    rest, values, right = singular_decomposed(op, matrix)
    count = smaller_size(op, matrix)
    # The columns are orthogonal, so that R of their QR factorization is diagonal; Q goes on where they vanish.
    factors, taus = reflected(op, rest)
    diagonal = op.Unsqueeze(main_diagonal(op, factors), [-2])
    signs = op.Where(diagonal < 0, op.constant(-1, like=matrix), op.constant(1, like=matrix))
    mirrored = op.Slice(right, [0], count, [-1]) * signs
    if not is_full:
        return orthogonal_factor(op, factors, taus, count), op.Slice(values, [0], count, [-1]), mirrored
    right = op.Concat(mirrored, op.Slice(right, count, [LAST], [-1]), axis=-1)
    return orthogonal_factor(op, factors, taus, op.size(matrix, -2)), op.Slice(values, [0], count, [-1]), right


@decomposition("aten::linalg_svd", ignore={"driver": "it chooses between algorithms for one result"})
def linalg_svd(op, A, full_matrices):
    """U, S and Vᵀ in A = U · diag(S) · Vᵀ, the largest singular values first"""
    left, values, right = decomposed(op, A, full_matrices)
    return left, values, swap_last_axes(op, right)


@decomposition("aten::_linalg_svd", ignore={"driver": "it chooses between algorithms for one result"})
def _linalg_svd(op, A, full_matrices, compute_uv):
    """U, S and Vᵀ in A = U · diag(S) · Vᵀ, the largest singular values first"""
    if not compute_uv:
        return op.constant([], like=A), singular_values(op, A), op.constant([], like=A)
    left, values, right = decomposed(op, A, full_matrices)
    return left, values, swap_last_axes(op, right)


@decomposition("aten::linalg_svdvals", ignore={"driver": "it chooses between algorithms for one result"})
def linalg_svdvals(op, A):
    """The singular values, the largest first"""
    return singular_values(op, A)


@decomposition("aten::svd")
def svd(op, self, some, compute_uv):
    """U, S and V in self = U · diag(S) · Vᵀ; U and V are full and zero where they are not asked for"""
    if compute_uv:
        return decomposed(op, self, not some)
    rows, columns = op.size(self, -2), op.size(self, -1)
    batch = batch_shape(op, self)
    zero = op.constant(0, like=self)
    left = op.Expand(zero, op.Concat(batch, rows, rows, axis=0))
    right = op.Expand(zero, op.Concat(batch, columns, columns, axis=0))
    return left, singular_values(op, self), right


@helper
def economy_decomposed(op, matrix):
    """(U · diag(S), S, V), of as many columns as there are singular values."""
    columns, values, rotation = singular_decomposed(op, matrix)
    height, width = op.static_size(matrix, -2), op.static_size(matrix, -1)
    if height is not None and width is not None and height >= width:
        return columns, values, rotation
    count = smaller_size(op, matrix)
    leading_values = op.Slice(values, [0], count, [-1])
    return op.Slice(columns, [0], count, [-1]), leading_values, op.Slice(rotation, [0], count, [-1])


@helper
def largest_of(op, values):
    """The largest absolute value along the last axis, which stays; 0 where there is none."""
    rank = op.rank(values)
    return op.ReduceMax(op.Pad(op.Abs(values), [0] * (2 * rank - 1) + [1]), axes=[-1], keepdims=1)


@helper
def tolerance_of(op, tolerance, like):
    """A tolerance, one number or one for each matrix, that goes with vectors of singular values."""
    number = op.known(tolerance)
    if number is not None:
        return op.constant([number], like=like)
    return op.Unsqueeze(op.cast(tolerance, like=like), [-1])


@helper
def rank_limit(op, matrix, values, absolute, relative):
    """What counts as zero among the singular values: max(absolute, relative · largest).

    Without tolerances the relative one is eps · max(m, n); it is 0 beside an absolute one above 0.
    """
    if relative is not None:
        share = tolerance_of(op, relative, values)
    else:
        longest = op.Max(op.size(matrix, -2), op.size(matrix, -1))
        share = op.cast(longest, like=values) * torch.finfo(op.dtype(matrix)).eps
    if absolute is None:
        return share * largest_of(op, values)
    floor = tolerance_of(op, absolute, values)
    if relative is None:
        share = op.Where(floor > 0, op.constant(0, like=values), share)
    return op.Max(floor, share * largest_of(op, values))


@helper
def reciprocal_above(op, values, limit):
    """1 / value where the absolute value is above a limit, else 0."""
    counts = op.Abs(values) > limit
    one = op.constant(1, like=values)
    return op.Where(counts, one / op.Where(counts, values, one), op.constant(0, like=values))


@helper
def pseudo_inverse(op, matrix, absolute, relative, is_hermitian: bool):
    """V · diag(1 / S) · Uᵀ, in which singular values below the limit do not count."""
    if is_hermitian:
        values, vectors = eigen_decomposed(op, symmetric(op, matrix, False))
        inverse = reciprocal_above(op, values, rank_limit(op, matrix, values, absolute, relative))
        return op.MatMul(vectors * op.Unsqueeze(inverse, [-2]), swap_last_axes(op, vectors))
    columns, values, rotation = economy_decomposed(op, matrix)
    inverse = op.Unsqueeze(reciprocal_above(op, values, rank_limit(op, matrix, values, absolute, relative)), [-2])
    return op.MatMul(rotation * inverse, swap_last_axes(op, columns * inverse))


@decomposition("aten::linalg_pinv")
def linalg_pinv(op, self, *args):
    """The pseudo-inverse, in which singular values below max(atol, rtol · largest) count as zero"""
    is_hermitian = bool(op.known(args[-1]))
    if len(args) == 2:
        return pseudo_inverse(op, self, None, args[0], is_hermitian)
    return pseudo_inverse(op, self, args[0], args[1], is_hermitian)


@decomposition("aten::pinverse", values=["rcond"])
def pinverse(op, self, rcond):
    """The pseudo-inverse, in which singular values below rcond · largest count as zero"""
    return pseudo_inverse(op, self, None, rcond, False)


@decomposition("aten::linalg_matrix_rank")
def linalg_matrix_rank(op, input, *args):
    """How many singular values are above max(atol, rtol · largest)"""
    if bool(op.known(args[-1])):
        values, _ = eigen_decomposed(op, symmetric(op, input, False))
        values = op.Abs(values)
    else:
        values = singular_values(op, input)
    if len(args) == 2:
        limit = tolerance_of(op, args[0], values)
    else:
        limit = rank_limit(op, input, values, args[0], args[1])
    return op.ReduceSum(op.cast(values > limit, "int64"), [-1], keepdims=0)


@decomposition(
    "aten::linalg_lstsq",
    values=["rcond"],
    limits=["residuals of the drivers gelsd and gelss are not left out where a rank is deficient"],
)
def linalg_lstsq(op, self, b, rcond, driver):
    """The smallest X that minimises |self · X − b|, the squares of what is left, the rank and the singular values"""
    is_of_vectors = is_vector(op, self, b)
    # Singular values square what LAPACK's triangles keep: in float64 nothing of it is lost.
    wide, sides = op.cast(self, "float64"), op.cast(b, "float64")
    right = op.Unsqueeze(sides, [-1]) if is_of_vectors else sides
    columns, values, rotation = economy_decomposed(op, wide)
    limit = rank_limit(op, self, values, None, rcond)
    inverse = op.Unsqueeze(reciprocal_above(op, values, limit), [-2])
    coordinates = op.MatMul(swap_last_axes(op, columns * inverse), right)
    solution = op.MatMul(rotation * inverse, coordinates)
    nothing = op.constant([], like=self)
    residuals, singular = nothing, nothing
    if driver in ("gels", "gelsd", "gelss"):
        rows, unknowns = op.static_size(self, -2), op.static_size(self, -1)
        if rows is None or unknowns is None:
            op.fail("linalg_lstsq: whether there are residuals depends on sizes that are not known at export")
        if rows > unknowns:
            fitted = op.MatMul(wide, solution)
            # Where there is nothing to fit, torch says that nothing is left over.
            left_over = right - fitted if unknowns > 0 else fitted
            residuals = op.cast(op.ReduceSum(left_over * left_over, [-2], keepdims=0), like=self)
    if driver in ("gelsd", "gelss"):
        singular = op.cast(values, like=self)
    rank = op.ReduceSum(op.cast(values > limit, "int64"), [-1], keepdims=0)
    if driver == "gels":
        rank = op.constant([], "int64")
    result = op.cast(solution, like=self)
    return op.Squeeze(result, [-1]) if is_of_vectors else result, residuals, rank, singular
