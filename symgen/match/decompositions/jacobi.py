"""Jacobi's method: eigenvalues of symmetric matrices, and singular values, by rotations of pairs of columns.

In each step every column meets one other, so that n − 1 steps (n, where n is odd) make a sweep over all pairs, in the
order of a round-robin tournament. Rotations are chosen so that the larger weight comes first, which makes the
convergence quadratic with multiple eigenvalues too. Twelve sweeps leave off-diagonal parts of a few eps of the norm up
to 64 × 64; the residual grows to about n · eps (measured: 12 eps of the norm for singular values at 8 × 8). A step of
Newton's brings the eigenvectors back to 2 eps from orthonormal, and the residual to 3 eps of the norm. Sources: Golub
and Van Loan, Matrix Computations, 4th edition, section 8.5; de Rijk, A one-sided Jacobi algorithm for computing the
singular value decomposition on a vector computer, SIAM J. Sci. Stat. Comput. 10, 1989; Higham, Functions of Matrices,
section 8.3.
"""

from symgen.match.decompositions.matrices import (
    column_numbers,
    identity,
    like_batch_of,
    lower_part,
    row_numbers,
    smaller_size,
    swap_last_axes,
    upper_part,
)
from symgen.match.language import helper, torch

SWEEPS = 12


@helper
def steps_of_sweep(op, size):
    """How many steps let all pairs meet: the largest odd number that is not above the size."""
    return size - 1 + op.Mod(size, 2)


@helper
def partners(op, step, size, places):
    """The column that each column meets in a step; itself, where it meets none."""
    cycle = steps_of_sweep(op, size)
    turn = op.Mod(step, cycle)
    # Columns meet whose numbers add up to the turn, modulo an odd number; the one that would meet itself meets the
    # column behind the cycle, where there is one.
    alone = op.Mod(turn * op.Div(cycle + 1, 2), cycle)
    behind = op.Where(cycle < size, cycle, alone)
    met = op.Mod(turn - places, cycle)
    return op.Where(op.Equal(places, cycle), alone, op.Where(op.Equal(places, alone), behind, met))


@helper
def plane_rotations(op, weights, couplings, partner, places):
    """(c, s) such that the columns c · xᵢ − s · x_partner(i) are not coupled, the heavier of each pair in front.

    `weights` are the squares of the columns, or a diagonal, `couplings` the products of partners. The tangent is
    Rutishauser's, the smaller of the two that there are, unless that would leave the lighter column in front.
    """
    zero, one = op.constant(0, like=weights), op.constant(1, like=weights)
    difference = op.Gather(weights, partner, axis=-1) - weights
    is_free = op.Equal(couplings, zero) | op.Equal(partner, places)
    ratio = difference / op.Where(is_free, one, couplings + couplings)
    direction = op.Where(places < partner, one, -one)
    sign = op.Where(op.Equal(difference, zero), direction, op.Sign(ratio))
    tangent = op.Where(is_free, zero, sign / (op.Abs(ratio) + op.Sqrt(ratio * ratio + one)))
    cosine = one / op.Sqrt(tangent * tangent + one)
    sine = tangent * cosine
    is_swapped = direction * difference > zero
    swapping = op.Where(op.Equal(sine, zero), direction, op.Sign(sine)) * cosine
    return op.Where(is_swapped, op.Abs(sine), cosine), op.Where(is_swapped, -swapping, sine)


@helper
def rotated(op, matrix, partner, cosines, sines):
    """The columns c · xᵢ − s · x_partner(i)."""
    return matrix * op.Unsqueeze(cosines, [-2]) - op.Gather(matrix, partner, axis=-1) * op.Unsqueeze(sines, [-2])


@helper
def eigen_decomposed(op, matrix):
    """(Eigenvalues from the smallest on, eigenvectors) of symmetric matrices."""
    size, places = op.size(matrix, -1), column_numbers(op, matrix)
    steps = steps_of_sweep(op, size)
    is_diagonal = op.Equal(row_numbers(op, matrix), places)
    zero = op.constant(0, like=matrix)
    vectors = op.Expand(identity(op, size, matrix), op.Shape(matrix))

    def step(op, i, rest, vectors):
        partner = partners(op, i, size, places)
        met = op.Gather(rest, partner, axis=-1)
        weights = op.ReduceSum(op.Where(is_diagonal, rest, zero), [-1], keepdims=0)
        products = op.ReduceSum(op.Where(is_diagonal, met, zero), [-1], keepdims=0)
        # Rounding makes the matrix unsymmetric, and two partners must see one coupling.
        couplings = 0.5 * (products + op.Gather(products, partner, axis=-1))
        cosines, sines = plane_rotations(op, weights, couplings, partner, places)
        rest = rotated(op, rest, partner, cosines, sines)
        below = op.Gather(rest, partner, axis=-2)
        rest = rest * op.Unsqueeze(cosines, [-1]) - below * op.Unsqueeze(sines, [-1])
        return rest, rotated(op, vectors, partner, cosines, sines)

    # The heaviest of the negated ones come first, so that the smallest do.
    _, turned = op.loop(steps * SWEEPS, step, -matrix, vectors)
    basis = orthonormalized(op, turned, identity(op, size, matrix))
    # Quotients of Rayleigh's forgive the vectors their errors; those a few eps apart may have changed places.
    values = op.ReduceSum(basis * (matrix @ basis), [-2], keepdims=0)
    negated, _ = op.TopK(-values, size, axis=-1)
    return -negated, basis


@helper
def orthonormalized(op, vectors, unit):
    """Columns that are nearly orthonormal, with the defect squared: a step of Newton's for the polar factor."""
    defect = unit - swap_last_axes(op, vectors) @ vectors
    return vectors + vectors @ (0.5 * defect)


@helper
def symmetric(op, matrix, upper: bool):
    """The symmetric matrices of which only one triangle is given."""
    if upper:
        return upper_part(op, matrix) + swap_last_axes(op, upper_part(op, matrix, 1))
    return lower_part(op, matrix) + swap_last_axes(op, lower_part(op, matrix, -1))


@helper
def orthogonalizing_rotations(op, step, columns, size, places):
    """(partner, c, s) of rotations after which partners are orthogonal, as far as their dtype can tell."""
    partner = partners(op, step, size, places)
    weights = op.ReduceSum(columns * columns, [-2], keepdims=0)
    products = op.ReduceSum(columns * op.Gather(columns, partner, axis=-1), [-2], keepdims=0)
    eps = torch.finfo(op.dtype(columns)).eps
    bound = eps * op.Sqrt(weights * op.Gather(weights, partner, axis=-1))
    couplings = op.Where(op.Abs(products) > bound, products, op.constant(0, like=columns))
    cosines, sines = plane_rotations(op, weights, couplings, partner, places)
    return partner, cosines, sines


@helper
def magnitude_of(op, matrix):
    """A number for each matrix by which its elements can be divided so that their squares stay in range."""
    total = op.ReduceL1(matrix, [-2, -1], keepdims=1)
    return op.Where(op.Equal(total, 0), op.constant(1, like=matrix), total)


@helper
def column_lengths(op, columns):
    """The norm of each column."""
    return op.Sqrt(op.ReduceSum(columns * columns, [-2], keepdims=0))


@helper
def singular_values(op, matrix):
    """The singular values, the largest first."""
    rows, columns = op.static_size(matrix, -2), op.static_size(matrix, -1)
    if rows is not None and columns is not None and rows < columns:
        matrix = swap_last_axes(op, matrix)
    size, places = op.size(matrix, -1), column_numbers(op, matrix)
    steps = steps_of_sweep(op, size)
    scale = magnitude_of(op, matrix)

    def step(op, i, rest):
        partner, cosines, sines = orthogonalizing_rotations(op, i, rest, size, places)
        return rotated(op, rest, partner, cosines, sines)

    rest = op.loop(steps * SWEEPS, step, matrix / scale)
    count = smaller_size(op, matrix)
    return op.Slice(column_lengths(op, rest) * op.Squeeze(scale, [-1]), [0], count, [-1])


@helper
def singular_decomposed(op, matrix):
    """(U · diag(S), S with zeros where there are more columns than rows, V): the rotated columns and the rotation."""
    size, places = op.size(matrix, -1), column_numbers(op, matrix)
    steps = steps_of_sweep(op, size)
    scale = magnitude_of(op, matrix)
    rotation = like_batch_of(op, identity(op, size, matrix), matrix)

    def step(op, i, rest, rotation):
        partner, cosines, sines = orthogonalizing_rotations(op, i, rest, size, places)
        return rotated(op, rest, partner, cosines, sines), rotated(op, rotation, partner, cosines, sines)

    rest, rotation = op.loop(steps * SWEEPS, step, matrix / scale, rotation)
    return rest * scale, column_lengths(op, rest) * op.Squeeze(scale, [-1]), rotation
