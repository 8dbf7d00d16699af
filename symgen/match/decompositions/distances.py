"""Lengths of vectors in any p-norm, distances between points."""

import math

from symgen.match.decompositions.places import places_along
from symgen.match.decompositions.reductions import axes_of, without
from symgen.match.language import decomposition, helper, torch


@helper
def norm_over(op, x, p: float, axes: list[int], keepdim: bool):
    """(Σ |x|ᵖ)^(1/p) over some axes; for p = 0 how many elements are not zero, for p = ∞ the largest |x|"""
    if any(op.static_size(x, axis) == 0 for axis in axes):
        return op.ReduceSum(x, axes, keepdims=int(keepdim))
    if p == 0:
        return op.ReduceSum(op.cast(op.cast(x, "bool"), like=x), axes, keepdims=int(keepdim))
    if p == 2:
        return op.Sqrt(op.ReduceSum(x * x, axes, keepdims=int(keepdim)))
    size = op.Abs(x)
    if p == math.inf:
        return op.ReduceMax(size, axes, keepdims=int(keepdim))
    if p == 1:
        return op.ReduceSum(size, axes, keepdims=int(keepdim))
    if p == -math.inf:
        return op.ReduceMin(size, axes, keepdims=int(keepdim))
    total = op.ReduceSum(op.Pow(size, p), axes, keepdims=1)
    return without(op, op.Pow(total, 1.0 / p), axes, keepdim)


@helper
def norm_as(op, self, p: float, dim: list[int] | None, keepdim: bool, dtype: torch.dtype | None):
    """The norm over some axes or of all elements, in a dtype."""
    x = self if dtype is None else op.cast(self, dtype)
    axes = axes_of(op, x, dim)
    if not axes:
        return op.cast(op.cast(x, "bool"), like=x) if p == 0 else op.Abs(x)
    wide = op.cast(x, "float32") if op.dtype(x) in (torch.float16, torch.bfloat16) else x
    return op.cast(norm_over(op, wide, p, axes, keepdim), like=x)


@decomposition("aten::linalg_vector_norm")
def linalg_vector_norm(op, self, ord, dim, keepdim, dtype):
    """(Σ |x|ᵖ)^(1/p) over some axes or of all elements"""
    return norm_as(op, self, ord, dim, keepdim, dtype)


@decomposition("aten::norm")
def norm(op, self, *args):
    """(Σ |x|ᵖ)^(1/p) over some axes or of all elements"""
    p = op.known(args[0])
    has_axes = len(args) > 2
    dtype = op.named_dtype(args[-1]) if len(args) in (2, 4) else None
    dim = op.known(args[1]) if has_axes else None
    return norm_as(op, self, 2 if p is None else p, dim, has_axes and bool(op.known(args[2])), dtype)


@decomposition(
    "aten::cdist",
    "aten::_cdist_forward",
    promote=("x1", "x2"),
    kind="INT_TO_FLOAT",
    ignore={"compute_mode": "it chooses between ways to compute the same"},
)
def cdist(op, x1, x2, p):
    """The distance of each point of one set from each of another"""
    rank = op.rank(x1)
    difference = op.Unsqueeze(x1, [rank - 1]) - op.Unsqueeze(x2, [op.rank(x2) - 2])
    return norm_over(op, difference, p, [max(rank, op.rank(x2))], False)


@decomposition("aten::_euclidean_dist", promote=("x1", "x2"), kind="INT_TO_FLOAT")
def _euclidean_dist(op, x1, x2):
    """The distance of each point of one set from each of another"""
    rank = op.rank(x1)
    difference = op.Unsqueeze(x1, [rank - 1]) - op.Unsqueeze(x2, [op.rank(x2) - 2])
    return norm_over(op, difference, 2, [rank], False)


@decomposition("aten::pdist", promote=("self",), kind="INT_TO_FLOAT")
def pdist(op, self, p):
    """The distances between the points of one set, each pair once"""
    count = op.static_size(self, 0)
    if count is None:
        places = places_along(op, self, 0)
        pairs = op.NonZero(op.Unsqueeze(places, [1]) < places)
        first, second = op.Gather(pairs, op.constant(0), axis=0), op.Gather(pairs, op.constant(1), axis=0)
    else:
        first, second = [op.constant(row.tolist()) for row in torch.triu_indices(count, count, 1)]
    difference = op.Gather(self, first, axis=0) - op.Gather(self, second, axis=0)
    return norm_over(op, difference, p, [1], False)


@decomposition("aten::renorm", promote=("self",), kind="INT_TO_FLOAT")
def renorm(op, self, p, dim, maxnorm):
    """The slices along an axis whose norm is above `maxnorm` scaled down to it"""
    rank = op.rank(self)
    norm = norm_over(op, self, p, [axis for axis in range(rank) if axis != dim % rank], True)
    scale = maxnorm / (norm + 1e-7)
    return self * op.Where(norm > maxnorm, scale, op.constant(1.0, like=norm))


@decomposition("aten::norm_except_dim", promote=("v",), kind="INT_TO_FLOAT")
def norm_except_dim(op, v, pow, dim):
    """(Σ |x|ᵖ)^(1/p) over all axes but one, or for -1 over all"""
    rank = op.rank(v)
    if dim == -1:
        return norm_over(op, v, pow, list(range(rank)), False)
    return norm_over(op, v, pow, [axis for axis in range(rank) if axis != dim], True)
