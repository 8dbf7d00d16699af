"""Norms of matrices, and condition numbers."""

import math

from symgen.match.decompositions.jacobi import singular_values
from symgen.match.decompositions.solvers import first_zero_pivot, inverted
from symgen.match.decompositions.spectral import largest_of
from symgen.match.language import decomposition, helper

LAST = 9223372036854775807


@helper
def smallest_of(op, values):
    """The smallest of the singular values, which is the last; the axis stays."""
    return op.Slice(values, [-1], [LAST], [-1])


@helper
def matrix_norm(op, matrix, kind: float | str):
    """The norm of each matrix, in the shape [..., 1].

    `kind` is "fro" (the root of all squares), "nuc" (the sum of the singular values), 2 or −2 (the largest or smallest
    singular value), 1 or −1 (the largest or smallest sum of a column), inf or −inf (of a row).
    """
    if kind == "fro":
        return op.Squeeze(op.ReduceL2(matrix, axes=[-2, -1], keepdims=1), [-1])
    if kind == "nuc":
        return op.ReduceSum(singular_values(op, matrix), [-1], keepdims=1)
    if kind == 2:
        return largest_of(op, singular_values(op, matrix))
    if kind == -2:
        return smallest_of(op, singular_values(op, matrix))
    if kind not in (1, -1, math.inf, -math.inf):
        op.fail("linalg_matrix_norm: there is no such norm", matrix)
    sums = op.ReduceSum(op.Abs(matrix), [-2 if abs(kind) == 1 else -1], keepdims=0)
    return largest_of(op, sums) if kind > 0 else op.ReduceMin(sums, axes=[-1], keepdims=1)


@decomposition("aten::linalg_cond")
def linalg_cond(op, self, *args):
    """|A| · |A⁻¹|, or the ratio of the extreme singular values; infinite for singular matrices"""
    kind = op.known(args[0]) if args else None
    if kind in (None, 2, -2):
        values = singular_values(op, self)
        largest, smallest = largest_of(op, values), smallest_of(op, values)
        return ratio_without_axis(op, smallest, largest) if kind == -2 else ratio_without_axis(op, largest, smallest)
    inverse, upper = inverted(op, self)
    product = matrix_norm(op, self, kind) * matrix_norm(op, inverse, kind)
    is_singular = op.Unsqueeze(first_zero_pivot(op, upper) > 0, [-1])
    return op.Squeeze(op.Where(is_singular, op.constant(math.inf, like=self), product), [-1])


@helper
def ratio_without_axis(op, dividend, divisor):
    """The ratio of two numbers for each matrix; 0 where there are none, as of empty matrices."""
    rank = op.rank(dividend)
    ratio = op.Pad(dividend / divisor, [0] * (2 * rank - 1) + [1])
    return op.Squeeze(op.Slice(ratio, [0], [1], [-1]), [-1])


@decomposition("aten::nuclear_norm")
def nuclear_norm(op, self, *args):
    """The sum of the singular values of the matrices along the last, or any, two axes"""
    rank = op.rank(self)
    asked = [-2, -1] if len(args) == 1 else op.known(args[0])
    rows, columns = asked[0] % rank, asked[1] % rank
    others = [axis for axis in range(rank) if axis not in (rows, columns)]
    norm = op.Squeeze(matrix_norm(op, op.Transpose(self, perm=[*others, rows, columns]), "nuc"), [rank - 2])
    return op.Unsqueeze(norm, sorted((rows, columns))) if op.known(args[-1]) else norm
