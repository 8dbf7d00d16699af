"""Eigenvalues and singular values, and what is defined by them: pseudo-inverses, ranks, conditions, spectral norms."""

from symgen.match.decompositions.jacobi import eigen_decomposed, singular_decomposed, singular_values, symmetric
from symgen.match.decompositions.matrices import batch_shape, diagonal_of, smaller_size, swap_last_axes
from symgen.match.decompositions.reflections import orthogonal_factor, reflected
from symgen.match.language import decomposition, helper

LAST = 9223372036854775807


@decomposition("aten::linalg_eigh")
def linalg_eigh(op, self, UPLO):
    """The eigenvalues of symmetric matrices, ascending, and the eigenvectors as columns"""
    return eigen_decomposed(op, symmetric(op, self, UPLO.upper() == "U"))


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
    diagonal = op.Unsqueeze(diagonal_of(op, factors), [-2])
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
def reciprocal_above(op, values, limit):
    """1 / value where the absolute value is above a limit, else 0."""
    counts = op.Abs(values) > limit
    return op.Where(counts, 1 / op.Where(counts, values, op.constant(1, like=values)), op.constant(0, like=values))


@helper
def pseudo_inverse(op, matrix, absolute, relative, is_hermitian: bool):
    """V · diag(1 / S) · Uᵀ, without the singular values that are not above both limits."""
    if is_hermitian:
        values, vectors = eigen_decomposed(op, symmetric(op, matrix, False))
        limit = op.Max(absolute, relative * op.ReduceMax(op.Abs(values), axes=[-1], keepdims=1))
        inverse = op.Unsqueeze(reciprocal_above(op, values, limit), [-2])
        return op.MatMul(vectors * inverse, swap_last_axes(op, vectors))
    columns, values, rotation = singular_decomposed(op, matrix)
    limit = op.Max(absolute, relative * op.ReduceMax(values, axes=[-1], keepdims=1))
    inverse = op.Unsqueeze(reciprocal_above(op, values, limit), [-2])
    return op.MatMul(rotation * inverse, swap_last_axes(op, columns * inverse))
