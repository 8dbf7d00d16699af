"""QR factorization by Householder's reflections, in LAPACK's convention: H = I − tau · v · vᵀ, v = (0 … 0, 1, tail).

The tails stand below the diagonal of the factored matrix. Backward stable (Higham, Accuracy and Stability of Numerical
Algorithms, 2002, theorem 19.4); norms are scaled, so that they neither overflow nor underflow.
"""

from symgen.match.decompositions.matrices import (
    batch_shape,
    column_numbers,
    counting,
    identity,
    like_batch_of,
    row_numbers,
    smaller_size,
    swap_last_axes,
    upper_part,
)
from symgen.match.language import decomposition, helper


@helper
def reflected(op, matrix):
    """(R on and above the diagonal with the tails of the reflections below it, the taus)."""
    rows, columns = row_numbers(op, matrix), column_numbers(op, matrix)
    steps = smaller_size(op, matrix)
    places = counting(op, steps)
    zero, one = op.constant(0, like=matrix), op.constant(1, like=matrix)
    taus = op.Expand(zero, op.Concat(batch_shape(op, matrix), steps, axis=0))

    def step(op, k, matrix, taus):
        here = op.Unsqueeze(k, [0])
        column = op.Gather(matrix, here, axis=-1)
        head = op.Gather(column, here, axis=-2)
        tail = op.Where(rows > k, column, zero)
        largest = op.ReduceMax(op.Abs(tail), axes=[-2], keepdims=1)
        is_done = op.Equal(largest, zero)
        scale = op.Where(is_done, one, op.Max(op.Abs(head), largest))
        scaled_tail, scaled_head = tail / scale, head / scale
        squares = op.ReduceSum(scaled_tail * scaled_tail, [-2], keepdims=1) + scaled_head * scaled_head
        norm = scale * op.Sqrt(squares)
        mirrored = op.Where(head < zero, norm, -norm)
        tau = op.Where(is_done, zero, (mirrored - head) / mirrored)
        vector = op.Where(op.Equal(rows, k), one, tail / op.Where(is_done, one, head - mirrored))
        changed = matrix - vector * (tau * op.ReduceSum(vector * matrix, [-2], keepdims=1))
        diagonal = op.Where(is_done, head, mirrored)
        stored = op.Where(op.Equal(rows, k), diagonal, op.Where(rows > k, vector, column))
        matrix = op.Where(columns > k, changed, op.Where(op.Equal(columns, k), stored, matrix))
        taus = op.Where(op.Equal(places, k), op.Squeeze(tau, [-1]), taus)
        return matrix, taus

    return op.loop(steps, step, matrix, taus)


@helper
def multiplied_by_reflections(op, tails, taus, right, is_transposed: bool):
    """H₁ · H₂ … · right, or … H₂ · H₁ · right, where the tails of the reflections stand below a diagonal."""
    rows = row_numbers(op, tails)
    count = op.size(taus, -1)
    last = op.Squeeze(count - 1, [0])

    def step(op, i, right):
        k = i if is_transposed else last - i
        here = op.Unsqueeze(k, [0])
        column, tau = op.Gather(tails, here, axis=-1), op.Unsqueeze(op.Gather(taus, here, axis=-1), [-1])
        zero, one = op.constant(0, like=tails), op.constant(1, like=tails)
        vector = op.Where(op.Equal(rows, k), one, op.Where(rows > k, column, zero))
        return right - vector * (tau * op.ReduceSum(vector * right, [-2], keepdims=1))

    return op.loop(count, step, right)


@helper
def orthogonal_factor(op, tails, taus, size):
    """The first columns of H₁ · H₂ …, as many as `size` says."""
    columns = op.Slice(identity(op, op.size(tails, -2), tails), [0], size, [1])
    return multiplied_by_reflections(op, tails, taus, like_batch_of(op, columns, tails), False)


@decomposition("aten::geqrf")
def geqrf(op, self):
    """R with the tails of the reflections below it, and their taus"""
    return reflected(op, self)


@decomposition("aten::linalg_householder_product")
def linalg_householder_product(op, input, tau):
    """H₁ · H₂ …, its first columns, as many as the input has"""
    return orthogonal_factor(op, input, tau, op.size(input, -1))


@decomposition("aten::ormqr")
def ormqr(op, self, input2, input3, left, transpose):
    """Q · C, Qᵀ · C, C · Q or C · Qᵀ, where Q = H₁ · H₂ …"""
    if left:
        return multiplied_by_reflections(op, self, input2, input3, transpose)
    flipped = multiplied_by_reflections(op, self, input2, swap_last_axes(op, input3), not transpose)
    return swap_last_axes(op, flipped)


@helper
def orthogonal_and_upper(op, matrix, is_complete: bool):
    """(Q, R) in matrix = Q · R; Q has as many columns as the matrix has rows, or only those that R needs."""
    factors, taus = reflected(op, matrix)
    size = op.size(matrix, -2) if is_complete else smaller_size(op, matrix)
    upper = op.Slice(upper_part(op, factors), [0], size, [-2])
    return orthogonal_factor(op, factors, taus, size), upper


@decomposition("aten::qr")
def qr(op, self, some):
    """Q and R in self = Q · R"""
    return orthogonal_and_upper(op, self, not some)


@decomposition("aten::linalg_qr")
def linalg_qr(op, A, mode):
    """Q and R in A = Q · R; in the mode "r" Q is empty"""
    if mode != "r":
        return orthogonal_and_upper(op, A, mode == "complete")
    factors, _ = reflected(op, A)
    size = smaller_size(op, A)
    return op.constant([], like=A), op.Slice(upper_part(op, factors), [0], size, [-2])
