"""Sums over pairs of axes of two tensors."""

import math

from symgen.match.language import decomposition, helper


@helper
def as_matrix(op, x, count: int):
    """The first `count` axes as the rows, the others as the columns."""
    sizes = [op.static_size(x, axis) for axis in range(op.rank(x))]
    if None in sizes or 0 in sizes:
        return op.Flatten(x, axis=count)
    return op.Reshape(x, [math.prod(sizes[:count]), math.prod(sizes[count:])])


@decomposition("aten::tensordot", promote=("self", "other"))
def tensordot(op, self, other, dims_self, dims_other):
    """The sum over pairs of axes, as a product of two matrices; what is left of the axes keeps its order"""
    summed = [dim % op.rank(self) for dim in dims_self]
    other_summed = [dim % op.rank(other) for dim in dims_other]
    kept = [axis for axis in range(op.rank(self)) if axis not in summed]
    other_kept = [axis for axis in range(op.rank(other)) if axis not in other_summed]
    rows = as_matrix(op, op.Transpose(self, perm=[*kept, *summed]), len(kept))
    columns = as_matrix(op, op.Transpose(other, perm=[*other_summed, *other_kept]), len(other_summed))
    product = rows @ columns
    if not kept and not other_kept:
        return op.Squeeze(product, [0, 1])
    sizes = [op.size(self, axis) for axis in kept] + [op.size(other, axis) for axis in other_kept]
    return op.Reshape(product, op.ints(sizes))
