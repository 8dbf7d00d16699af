"""Running sums, products and extremes along an axis.

Where ONNX has no operator, the axis is combined with itself shifted by 1, 2, 4 … places, so that log₂ n turns of a loop
do: after the k-th every place holds the combination of the 2ᵏ elements up to it (Hillis and Steele 1986).
"""

from symgen.match.decompositions.numerics import softplus_of
from symgen.match.decompositions.places import places_along, standing_along
from symgen.match.decompositions.reductions import any_over, axes_of, summed_as
from symgen.match.decompositions.sorting import last_along
from symgen.match.language import decomposition, helper, torch

_POWERS_OF_TWO = [2**n for n in range(62)]


@helper
def doublings(op, x, axis: int):
    """How often 1 has to be doubled to reach the length of an axis."""
    length = op.static_size(x, axis)
    if length is not None:
        return op.constant(max(length - 1, 0).bit_length())
    is_short = op.constant(_POWERS_OF_TWO) < op.size(x, axis)
    return op.ReduceSum(op.cast(is_short, "int64"), keepdims=0)


@helper
def running_sum(op, x, axis: int):
    """Σ of the elements up to each place, in the dtype of the tensor"""
    dtype = op.dtype(x)
    if dtype == torch.float16:
        return op.cast(op.CumSum(op.cast(x, "float32"), op.constant(axis)), dtype)
    if dtype in (torch.bool, torch.uint8, torch.int8, torch.int16):
        return op.cast(op.CumSum(op.cast(x, "int32"), op.constant(axis)), dtype)
    return op.CumSum(x, op.constant(axis))


@decomposition("aten::cumsum")
def cumsum(op, self, dim, dtype):
    """Σ of the elements up to each place"""
    x = summed_as(op, self, dtype)
    rank = op.rank(self)
    return running_sum(op, x, dim % rank) if rank else op.Identity(x)


@helper
def running_product(op, x, axis: int):
    """Π of the elements up to each place, in the dtype of the tensor"""
    dtype = op.dtype(x)
    # Products of parts may overflow where the whole does not, hence the wider type.
    products = op.cast(x, torch.float64 if dtype.is_floating_point else torch.int64)
    places = places_along(op, x, axis)

    def double(op, k, product, shift):
        # Where nothing is that far before, the places wrap around; what stands there does not count.
        earlier = op.Gather(product, places - shift, axis=axis)
        has_earlier = standing_along(op, op.Not(places < shift), axis, op.rank(x))
        return op.Where(has_earlier, product * earlier, product), shift + shift

    products, _ = op.loop(doublings(op, x, axis), double, products, op.constant([1]))
    return op.cast(products, dtype)


@decomposition("aten::cumprod")
def cumprod(op, self, dim, dtype):
    """Π of the elements up to each place"""
    x = summed_as(op, self, dtype)
    rank = op.rank(self)
    return running_product(op, x, dim % rank) if rank else op.Identity(x)


@helper
def whole_product(op, x, axis: int, keepdim: bool):
    """The product of whole numbers along an axis, exact and with torch's overflow."""
    # ONNX Runtime's ReduceProd multiplies whole numbers as float64. The 1 in front is the product of an empty axis.
    one = op.ReduceSum(x, [axis], keepdims=1) * 0 + 1
    return last_along(op, running_product(op, op.Concat(one, x, axis=axis), axis), axis, keepdim)


@decomposition("aten::prod")
def prod(op, self, *args):
    """The product of all elements, or along an axis; whole numbers are multiplied as int64."""
    x = summed_as(op, self, op.named_dtype(args[-1]))
    axes = axes_of(op, x, op.told(args[0], "dim") if len(args) == 3 else None)
    if not axes:
        return op.Identity(x)
    keepdim = len(args) == 3 and bool(op.told(args[1], "keepdim"))
    if op.dtype(x) == torch.bool:
        return op.Not(any_over(op, op.Not(x), axes, keepdim))
    if op.dtype(x).is_floating_point:
        return op.ReduceProd(x, axes, keepdims=int(keepdim))
    wide = op.cast(x, "int64")
    if len(args) == 3:
        return op.cast(whole_product(op, wide, axes[0], keepdim), like=x)
    return op.cast(whole_product(op, op.Reshape(wide, [-1]), 0, False), like=x)


@decomposition("aten::logcumsumexp", "aten::_logcumsumexp", promote=("self",))
def logcumsumexp(op, self, dim):
    """log Σ exp of the elements up to each place, without overflow"""
    rank = op.rank(self)
    if rank == 0:
        return op.Identity(self)
    axis = dim % rank
    places = places_along(op, self, axis)

    def double(op, k, total, shift):
        earlier = op.Gather(total, places - shift, axis=axis)
        # Equal infinities have no difference.
        distance = op.Where(op.Equal(total, earlier), op.constant(0.0, like=total), op.Abs(total - earlier))
        both = op.Max(total, earlier) + softplus_of(op, -distance)
        has_earlier = standing_along(op, op.Not(places < shift), axis, rank)
        return op.Where(has_earlier, both, total), shift + shift

    total, _ = op.loop(doublings(op, self, axis), double, self, op.constant([1]))
    return total


@decomposition("aten::cummax", promote=("self",))
def cummax(op, self, dim):
    """The largest element up to each place, and the last place where it stands"""
    return running_extreme(op, self, dim, 1)


@decomposition("aten::cummin", promote=("self",))
def cummin(op, self, dim):
    """The smallest element up to each place, and the last place where it stands"""
    return running_extreme(op, self, dim, -1)


@helper
def running_extreme(op, x, dim: int, sign: int):
    """The largest (1) or smallest (-1) element up to each place, and the last place where it stands; nan wins."""
    rank = op.rank(x)
    if rank == 0:
        return op.Identity(x), op.constant(0)
    axis = dim % rank
    places = places_along(op, x, axis)
    indices = op.Expand(standing_along(op, places, axis, rank), op.Shape(x))

    def double(op, k, extreme, index, shift):
        earlier_places = op.Max(places - shift, 0)
        earlier = op.Gather(extreme, earlier_places, axis=axis)
        stays = extreme >= earlier if sign > 0 else extreme <= earlier
        if op.dtype(extreme).is_floating_point:
            stays = stays | op.IsNaN(extreme)
        extreme = op.Where(stays, extreme, earlier)
        return extreme, op.Where(stays, index, op.Gather(index, earlier_places, axis=axis)), shift + shift

    extreme, index, _ = op.loop(doublings(op, x, axis), double, x, indices, op.constant([1]))
    return extreme, index
