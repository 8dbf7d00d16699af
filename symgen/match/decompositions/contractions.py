"""Sums over pairs of axes of two tensors."""

import math

from symgen.match.decompositions.shape import reshaped
from symgen.match.language import decomposition, helper


@helper
def as_matrix(op, x, count: int):
    """The first `count` axes as the rows, the others as the columns."""
    sizes = [op.static_size(x, axis) for axis in range(op.rank(x))]
    if None in sizes:
        return op.Flatten(x, axis=count)
    return op.Reshape(x, [math.prod(sizes[:count]), math.prod(sizes[count:])])


@decomposition("aten::tensordot", promote=("self", "other"))
def tensordot(op, self, other, dims_self, dims_other):
    """The sum over pairs of axes, as a product of two matrices; what is left of the axes keeps its order"""
    summed = [dim % op.rank(self) for dim in dims_self]
    other_summed = [dim % op.rank(other) for dim in dims_other]
    kept = [axis for axis in range(op.rank(self)) if axis not in summed]
    other_kept = [axis for axis in range(op.rank(other)) if axis not in other_summed]
    sizes = [op.size(self, axis) for axis in kept] + [op.size(other, axis) for axis in other_kept]
    if op.static_numel(self) == 0 or op.static_numel(other) == 0:
        return op.Expand(op.constant(0, like=self), op.ints(sizes))
    left, right = self, other
    for axis, other_axis in zip(summed, other_summed, strict=True):
        # An axis of length 1 goes with one of any length.
        if op.static_size(right, other_axis) == 1:
            left = op.ReduceSum(left, [axis], keepdims=1)
        elif op.static_size(left, axis) == 1:
            right = op.ReduceSum(right, [other_axis], keepdims=1)
    rows = as_matrix(op, op.Transpose(left, perm=[*kept, *summed]), len(kept))
    columns = as_matrix(op, op.Transpose(right, perm=[*other_summed, *other_kept]), len(other_summed))
    return op.Squeeze(rows @ columns, [0, 1]) if not sizes else reshaped(op, rows @ columns, sizes)
