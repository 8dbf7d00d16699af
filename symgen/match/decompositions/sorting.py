"""Sorted elements, those at a rank among them, and the most frequent one.

ONNX Runtime's TopK keeps the order of equal elements and takes nan for the largest, as torch does.
"""

import math

from symgen.match.decompositions.places import places_along, standing_along
from symgen.match.language import decomposition, helper, torch


@helper
def extremes(op, x, count, axis: int, largest: bool):
    """The largest or smallest elements along an axis in order, and where they stood; `count` has the shape [1]."""
    # TopK takes neither bool nor bfloat16.
    wider = {torch.bool: torch.uint8, torch.bfloat16: torch.float32}.get(op.dtype(x), op.dtype(x))
    comparable = op.cast(x, wider)
    values, places = op.TopK(comparable, count, axis=axis, largest=int(largest), sorted=1)
    return op.cast(values, op.dtype(x)), places


@helper
def sorted_along(op, x, dim: int, descending: bool):
    """All elements along an axis in order, and where they stood; equal ones keep theirs."""
    rank = op.rank(x)
    if rank == 0:
        return op.Identity(x), op.constant(0)
    axis = dim % rank
    return extremes(op, x, op.size(x, axis), axis, descending)


@helper
def last_along(op, x, axis: int, keepdim: bool):
    """The last element along an axis."""
    return op.Gather(x, op.constant([-1] if keepdim else -1), axis=axis)


@decomposition("aten::sort")
def sort(op, self, *args):
    """All elements along an axis in order, and where they stood; equal ones keep theirs."""
    dim, descending = op.told(args[-2], "dim"), op.told(args[-1], "descending")
    return sorted_along(op, self, dim, bool(descending))


@decomposition("aten::argsort")
def argsort(op, self, *args):
    """Where the elements along an axis stand if they are sorted."""
    dim, descending = op.told(args[-2], "dim"), op.told(args[-1], "descending")
    _, places = sorted_along(op, self, dim, bool(descending))
    return places


@decomposition("aten::msort")
def msort(op, self):
    """All elements along the first axis in order."""
    values, _ = sorted_along(op, self, 0, False)
    return values


@decomposition("aten::topk", values=["k"], ignore={"sorted": "elements in order are right also where any order is"})
def topk(op, self, k, dim, largest):
    """The k largest or smallest elements along an axis, and where they stood."""
    rank = op.rank(self)
    if rank == 0:
        return op.Identity(self), op.constant(0)
    return extremes(op, self, op.ints(k), dim % rank, largest)


@decomposition("aten::kthvalue", values=["k"])
def kthvalue(op, self, k, dim, keepdim):
    """The k-th smallest element along an axis, and where it stands."""
    rank = op.rank(self)
    if rank == 0:
        return op.Identity(self), op.constant(0)
    values, places = extremes(op, self, op.ints(k), dim % rank, False)
    return last_along(op, values, dim % rank, keepdim), last_along(op, places, dim % rank, keepdim)


@helper
def lower_median(op, x, axis: int, keepdim: bool):
    """The element with as many smaller ones as larger ones along an axis, or one more, and where it stands."""
    size = op.static_size(x, axis)
    count = op.constant([(size + 1) // 2]) if size is not None else (op.size(x, axis) + 1) / 2
    values, places = extremes(op, x, count, axis, False)
    value, place = last_along(op, values, axis, True), last_along(op, places, axis, True)
    if op.dtype(x).is_floating_point:
        # A nan is the median wherever there is one.
        largest, first = extremes(op, x, op.constant([1]), axis, True)
        has_nan = op.IsNaN(largest)
        value, place = op.Where(has_nan, largest, value), op.Where(has_nan, first, place)
    return (value, place) if keepdim else (op.Squeeze(value, [axis]), op.Squeeze(place, [axis]))


@helper
def median_of_nothing(op, x):
    """What torch gives where there are no elements: nan, or the smallest whole number."""
    dtype = op.dtype(x)
    return op.constant(math.nan if dtype.is_floating_point else torch.iinfo(dtype).min, dtype)


@helper
def at_least_one(op, vector):
    """The vector, or where it turns out to be empty the median of nothing."""
    if op.static_numel(vector) is not None:
        return vector
    missing = op.cast(op.Equal(op.Size(vector), 0), "int64")
    pads = op.Concat(op.constant([0]), op.Unsqueeze(missing, [0]), axis=0)
    return op.Pad(vector, pads, median_of_nothing(op, vector))


@decomposition("aten::median", promote=("self",))
def median(op, self, dim, keepdim):
    """The lower median of all elements, or along an axis and where it stands."""
    if op.static_numel(self) == 0 and dim is None:
        return median_of_nothing(op, self)
    if dim is None:
        value, _ = lower_median(op, at_least_one(op, op.Reshape(self, [-1])), 0, False)
        return value
    if op.rank(self) == 0:
        return op.Identity(self), op.constant(0)
    return lower_median(op, self, dim % op.rank(self), keepdim)


@helper
def lower_nanmedian(op, x, axis: int, keepdim: bool):
    """The lower median of what is not nan along an axis, and where it stands."""
    values, places = extremes(op, x, op.size(x, axis), axis, False)
    count = op.ReduceSum(op.cast(op.Not(op.IsNaN(x)), "int64"), [axis], keepdims=1)
    middle = op.Max(count - 1, 0) / 2
    value, place = op.GatherElements(values, middle, axis=axis), op.GatherElements(places, middle, axis=axis)
    return (value, place) if keepdim else (op.Squeeze(value, [axis]), op.Squeeze(place, [axis]))


@decomposition("aten::nanmedian", promote=("self",))
def nanmedian(op, self, dim, keepdim):
    """The lower median of what is not nan: of all elements, or along an axis and where it stands."""
    if op.static_numel(self) == 0 and dim is None:
        return median_of_nothing(op, self)
    vector = self if dim is not None else op.Reshape(self, [-1])
    if op.rank(vector) == 0:
        return op.Identity(self), op.constant(0)
    if dim is None:
        vector = at_least_one(op, vector)
    axis = 0 if dim is None else dim % op.rank(self)
    if op.dtype(self).is_floating_point:
        value, place = lower_nanmedian(op, vector, axis, keepdim)
    else:
        value, place = lower_median(op, vector, axis, keepdim)
    return value if dim is None else (value, place)


@decomposition("aten::mode", promote=("self",))
def mode(op, self, dim, keepdim):
    """The smallest of the most frequent elements along an axis, and the last place where it stands."""
    rank = op.rank(self)
    if rank == 0:
        return op.Identity(self), op.constant(0)
    axis = dim % rank
    # Each element is compared with each; a new axis behind the old one holds the second of a pair.
    first, second = op.Unsqueeze(self, [axis + 1]), op.Unsqueeze(self, [axis])
    frequency = op.ReduceSum(op.cast(op.Equal(first, second), "int32"), [axis + 1], keepdims=0)
    is_frequent = op.Equal(frequency, op.ReduceMax(frequency, [axis], keepdims=1))
    dtype = op.dtype(self)
    beyond = math.inf if dtype.is_floating_point else torch.iinfo(dtype).max
    value = op.ReduceMin(op.Where(is_frequent, self, op.constant(beyond, like=self)), [axis], keepdims=1)
    places = standing_along(op, places_along(op, self, axis), axis, rank)
    place = op.ReduceMax(op.Where(op.Equal(self, value), places, op.constant(-1)), [axis], keepdims=int(keepdim))
    return value if keepdim else op.Squeeze(value, [axis]), place
