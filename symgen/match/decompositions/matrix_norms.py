"""Norms of matrices, and condition numbers."""

import math

from symgen.match.decompositions.distances import norm_as
from symgen.match.decompositions.extremes import extreme_over
from symgen.match.decompositions.jacobi import singular_values
from symgen.match.decompositions.solvers import first_zero_pivot, inverted
from symgen.match.decompositions.spectral import largest_of
from symgen.match.language import decomposition, helper, torch

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
    return extreme_over(op, sums, [op.rank(matrix) - 2], True, 1 if kind > 0 else -1)


@decomposition("aten::linalg_cond")
def linalg_cond(op, self, *args):
    """|A| · |A⁻¹|, or the ratio of the extreme singular values; infinite for singular matrices"""
    kind = op.told(args[0], "linalg_cond: p") if args else None
    if op.static_size(self, -1) == 0:
        return op.ReduceSum(self, [-2, -1], keepdims=0)
    if kind in (None, 2, -2):
        values = singular_values(op, self)
        largest, smallest = largest_of(op, values), smallest_of(op, values)
        return ratio_without_axis(op, smallest, largest) if kind == -2 else ratio_without_axis(op, largest, smallest)
    inverse, upper = inverted(op, self)
    product = matrix_norm(op, self, kind) * matrix_norm(op, inverse, kind)
    is_singular = op.Unsqueeze(first_zero_pivot(op, upper) > 0, [-1])
    condition = op.Where(is_singular, op.constant(math.inf, like=self), product)
    if op.static_size(self, -1) is None:
        condition = op.Where(op.size(self, -1) > 0, condition, op.constant(0.0, like=self))
    return op.Squeeze(condition, [-1])


@helper
def ratio_without_axis(op, dividend, divisor):
    """The ratio of two numbers for each matrix; 0 where there are none, as of empty matrices."""
    rank = op.rank(dividend)
    ratio = op.Pad(dividend / divisor, [0] * (2 * rank - 1) + [1])
    return op.Squeeze(op.Slice(ratio, [0], [1], [-1]), [-1])


@helper
def norm_of_matrices(op, self, kind: float | str, dim: list[int], keepdim: bool, dtype: torch.dtype | None):
    """The norm of the matrices along two axes, in a dtype."""
    x = self if dtype is None else op.cast(self, dtype)
    rank = op.rank(x)
    rows, columns = dim[0] % rank, dim[1] % rank
    others = [axis for axis in range(rank) if axis not in (rows, columns)]
    norm = op.Squeeze(matrix_norm(op, op.Transpose(x, perm=[*others, rows, columns]), kind), [rank - 2])
    return op.Unsqueeze(norm, sorted((rows, columns))) if keepdim else norm


@decomposition("aten::nuclear_norm")
def nuclear_norm(op, self, *args):
    """The sum of the singular values of the matrices along the last, or any, two axes"""
    dim = [-2, -1] if len(args) == 1 else op.told(args[0], "nuclear_norm: dim")
    return norm_of_matrices(op, self, "nuc", dim, bool(op.told(args[-1], "nuclear_norm: keepdim")), None)


@decomposition("aten::linalg_matrix_norm", promote=())
def linalg_matrix_norm(op, self, *args):
    """The norm of the matrices along two axes"""
    kind, dim = op.told(args[0], "linalg_matrix_norm: ord"), op.told(args[1], "linalg_matrix_norm: dim")
    keepdim = bool(op.told(args[2], "linalg_matrix_norm: keepdim"))
    return norm_of_matrices(op, self, kind, dim, keepdim, op.named_dtype(args[3]))


@decomposition("aten::linalg_norm", promote=())
def linalg_norm(op, self, *args):
    """The norm of vectors along one axis, of matrices along two, or of all elements"""
    kind, dim = op.told(args[0], "linalg_norm: ord"), op.told(args[1], "linalg_norm: dim")
    keepdim, dtype = bool(op.told(args[2], "linalg_norm: keepdim")), op.named_dtype(args[3])
    axes = dim if dim else list(range(op.rank(self)))
    if kind in ("fro", "nuc") or (kind is not None and len(axes) == 2):
        return norm_of_matrices(op, self, kind, axes, keepdim, dtype)
    return norm_as(op, self, 2 if kind is None else kind, axes, keepdim, dtype)


@decomposition("aten::frobenius_norm", promote=("self",))
def frobenius_norm(op, self, dim, keepdim):
    """√Σ x² over some axes or of all elements"""
    return norm_as(op, self, 2, dim, keepdim, None)
