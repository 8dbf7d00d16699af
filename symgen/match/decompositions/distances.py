"""Lengths of vectors in any p-norm, distances between points."""

import math

from symgen.match.decompositions.extremes import extreme_over
from symgen.match.decompositions.matrices import swap_last_axes, with_rank
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
    if math.isinf(p):
        return extreme_over(op, size, axes, keepdim, 1 if p > 0 else -1)
    if p == 1:
        return op.ReduceSum(size, axes, keepdims=int(keepdim))
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
    p = op.told(args[0], "norm: p")
    has_axes = len(args) > 2
    dtype = op.named_dtype(args[-1]) if len(args) in (2, 4) else None
    dim = op.told(args[1], "norm: dim") if has_axes else None
    return norm_as(op, self, 2 if p is None else p, dim, has_axes and bool(op.told(args[2], "norm: keepdim")), dtype)


@helper
def distance_over(op, difference, p: float, axis: int):
    """The p-norm of differences along their last axis as torch's distances have it: for p = 0 a nan is itself."""
    if p == 0:
        return op.ReduceSum(op.Min(op.Ceil(op.Abs(difference)), 1.0), [axis], keepdims=0)
    if math.isinf(p) and op.static_size(difference, axis) is None:
        # The largest of nothing is 0: one more difference of 0 changes no other result.
        padded = op.Pad(difference, [0] * (2 * axis + 1) + [1], op.constant(0.0, like=difference))
        return norm_over(op, padded, p, [axis], False)
    return norm_over(op, difference, p, [axis], False)


@helper
def distance_by_product(op, a, b):
    """√(|a|² − 2 a · b + |b|²) for each point of one set and each of another, as one product of matrices."""
    a_axis, b_axis = op.rank(a) - 1, op.rank(b) - 1
    a_square = op.ReduceSum(a * a, [a_axis], keepdims=1)
    b_square = op.ReduceSum(b * b, [b_axis], keepdims=1)
    a_one = op.Expand(op.constant(1.0, like=a), op.Shape(a_square))
    b_one = op.Expand(op.constant(1.0, like=b), op.Shape(b_square))
    left = op.Concat(-2.0 * a, a_square, a_one, axis=a_axis)
    right = op.Concat(b, b_one, b_square, axis=b_axis)
    return op.Sqrt(op.Max(op.MatMul(left, swap_last_axes(op, right)), 0.0))


@decomposition("aten::cdist", "aten::_cdist_forward", promote=("x1", "x2"), kind="INT_TO_FLOAT")
def cdist(op, x1, x2, p, compute_mode):
    """The distance of each point of one set from each of another"""
    # Told to (mode 1) torch multiplies matrices, which an infinite coordinate makes nan.
    if p == 2 and compute_mode == 1:
        return distance_by_product(op, x1, x2)
    rank = op.rank(x1)
    difference = op.Unsqueeze(x1, [rank - 1]) - op.Unsqueeze(x2, [op.rank(x2) - 2])
    if math.isinf(p):
        # torch's kernel for the largest difference passes over a nan, as that of pdist does not.
        difference = op.Where(op.IsNaN(difference), op.constant(0.0, like=difference), difference)
    return distance_over(op, difference, p, max(rank, op.rank(x2)))


@decomposition("aten::_euclidean_dist", promote=("x1", "x2"), kind="INT_TO_FLOAT")
def _euclidean_dist(op, x1, x2):
    """The distance of each point of one set from each of another, by a product of matrices"""
    return distance_by_product(op, x1, x2)


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
    return distance_over(op, difference, p, 1)


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
    return norm_over(op, v, pow, [axis for axis in range(rank) if axis != dim % rank], True)


@helper
def shifted_difference(op, a, b, eps: float):
    """a − b + eps in float32 or float64; the difference of whole numbers wraps around in their dtype first."""
    dtype = op.dtype(a)
    if dtype == torch.float64:
        return a - b + eps
    if dtype.is_floating_point:
        return op.cast(a, "float32") - op.cast(b, "float32") + eps
    difference = op.cast(op.cast(a, "int64") - op.cast(b, "int64"), like=a)
    return op.cast(difference, "float32") + eps


@helper
def distance_of_rows(op, a, b, p: float, eps: float, keepdim: bool):
    """(Σ |a − b + eps|ᵖ)^(1/p) over the last axis, in the dtype in which torch has it"""
    dtype, rank = op.common_dtype(a, b), max(op.rank(a), op.rank(b))
    shifted = shifted_difference(op, op.cast(a, dtype), op.cast(b, dtype), eps)
    if rank == 0:
        distance = norm_as(op, shifted, p, None, keepdim, None)
    else:
        distance = norm_over(op, shifted, p, [rank - 1], keepdim)
    return op.cast(distance, dtype) if dtype.is_floating_point else distance


@decomposition("aten::pairwise_distance")
def pairwise_distance(op, x1, x2, p, eps, keepdim):
    """(Σ |a − b + eps|ᵖ)^(1/p) over the last axis"""
    return distance_of_rows(op, x1, x2, p, eps, keepdim)


@helper
def unit_vectors_of(op, x, other, axes: list[int], eps: float):
    """x, in a shape that fits another tensor, over its length, which is at least eps."""
    full = op.Expand(x, op.Shape(other))
    length = norm_over(op, full, 2, axes, True) if axes else op.Abs(full)
    return full / op.Max(length, eps)


@decomposition("aten::cosine_similarity", promote=("x1", "x2"), kind="BY_DTYPE")
def cosine_similarity(op, x1, x2, dim, eps):
    """Σ aᵢ / |a| · bᵢ / |b| along an axis, each length at least eps"""
    rank = max(op.rank(x1), op.rank(x2))
    axes = [dim % rank] if rank else []
    a, b = with_rank(op, x1, rank), with_rank(op, x2, rank)
    product = unit_vectors_of(op, a, b, axes, eps) * unit_vectors_of(op, b, a, axes, eps)
    return op.ReduceSum(product, axes, keepdims=0) if axes else product
