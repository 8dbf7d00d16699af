"""Elements written to places: replaced, or combined with what is there."""

import math

from symgen.match.decompositions.places import part_of, places_along, standing_along
from symgen.match.decompositions.shape import shaped_like, strided_places
from symgen.match.decompositions.stacking import at_least_1d
from symgen.match.language import decomposition, helper, torch

LAST = 9223372036854775807


@helper
def placed(op, x, axis: int, places, source):
    """The tensor with its slices at some places along an axis replaced."""
    indices = op.Expand(standing_along(op, places, axis, op.rank(x)), op.Shape(source))
    return op.ScatterElements(x, indices, op.cast(source, like=x), axis=axis)


@helper
def combined(op, a, b, how: str):
    """Two tensors element by element: "add", "mul", "max" or "min"."""
    if how == "add":
        return a + b
    if how == "mul":
        return a * b
    return op.Max(a, b) if how == "max" else op.Min(a, b)


@helper
def scattered(op, x, axis: int, indices, updates, how: str):
    """The tensor with updates combined with what is at their places; a place named twice gets both."""
    if op.opset >= 16 and how in ("add", "mul"):
        return op.ScatterElements(x, indices, updates, axis=axis, reduction=how)
    if op.opset >= 18:
        return largest_or_smallest(op, x, axis, indices, updates, how)

    def next_updates(op, k, result):
        # Within one slice of the updates no place is named twice.
        place = op.Unsqueeze(k, [0])
        chosen = op.Gather(indices, place, axis=axis)
        update = op.Gather(updates, place, axis=axis)
        there = op.GatherElements(result, chosen, axis=axis)
        return op.ScatterElements(result, chosen, combined(op, there, update, how), axis=axis)

    return op.loop(op.size(indices, axis), next_updates, x)


@helper
def largest_or_smallest(op, x, axis: int, indices, updates, how: str):
    """The largest ("max") or smallest ("min") of the updates and of what is at their places; nan wins."""
    found = op.ScatterElements(x, indices, updates, axis=axis, reduction=how)
    if not op.dtype(x).is_floating_point:
        return found
    # ONNX Runtime passes a nan over where a number comes after it.
    nans = op.cast(op.IsNaN(x), "int32")
    nans = op.ScatterElements(nans, indices, op.cast(op.IsNaN(updates), "int32"), axis=axis, reduction="add")
    return op.Where(nans > 0, op.constant(math.nan, like=found), found)


@helper
def summable(op, x):
    """The tensor in a dtype in which scattered elements can be combined."""
    dtype = op.dtype(x)
    if dtype in (torch.float16, torch.bfloat16):
        return op.cast(x, "float32")
    return op.cast(x, "int32") if dtype in (torch.bool, torch.uint8, torch.int8, torch.int16) else x


@helper
def divided_down(op, a, b):
    """The quotient, of whole numbers rounded down; b is positive."""
    if op.dtype(a).is_floating_point:
        return a / b
    quotient = a / b
    return quotient - op.cast(a < quotient * b, like=quotient)


@helper
def reduced_at(op, self, axis: int, indices, source, reduce: str, include_self: bool):
    """The tensor with each named place reduced over the updates that name it, and over itself if `include_self`."""
    x, updates = summable(op, self), summable(op, op.cast(source, like=self))
    if not include_self:
        neutral = {"sum": 0, "mean": 0, "prod": 1}.get(reduce)
        # The largest or smallest of the updates is found from any of them.
        start = updates if neutral is None else op.Expand(op.constant(neutral, like=x), op.Shape(updates))
        x = op.ScatterElements(x, indices, start, axis=axis)
    how = {"sum": "add", "mean": "add", "prod": "mul", "amax": "max", "amin": "min"}[reduce]
    result = scattered(op, x, axis, indices, updates, how)
    if reduce == "mean":
        ones = op.Expand(op.constant(1, like=x), op.Shape(updates))
        counts = op.Expand(op.constant(1 if include_self else 0, like=x), op.Shape(x))
        counts = scattered(op, counts, axis, indices, ones, "add")
        if not include_self:
            counts = op.Max(counts, op.constant(1, like=counts))
        # Small whole numbers run over before they are divided, as they do in torch.
        total = op.cast(op.cast(result, like=self), like=counts)
        result = divided_down(op, total, counts)
    return op.cast(result, like=self)


@helper
def cut_to(op, x, other):
    """The part of a tensor that has the shape of another one."""
    rank = op.rank(x)
    sizes = [op.static_size(x, axis) for axis in range(rank)]
    if None not in sizes and sizes == [op.static_size(other, axis) for axis in range(rank)]:
        return x
    return op.Slice(x, [0] * rank, op.Shape(other), list(range(rank)))


@decomposition("aten::scatter_reduce")
def scatter_reduce(op, self, dim, index, src, reduce, include_self):
    """The sum, product, mean, largest or smallest of the updates that name a place."""
    if op.static_numel(index) == 0:
        return op.Identity(self)
    if op.rank(self) == 0:
        x, indices, updates = [op.Reshape(value, [-1]) for value in (self, index, src)]
        return op.Squeeze(reduced_at(op, x, 0, indices, updates, reduce, include_self), [0])
    axis = dim % op.rank(self)
    return reduced_at(op, self, axis, index, cut_to(op, src, index), reduce, include_self)


@decomposition("aten::scatter")
def scatter(op, self, dim, index, src, reduce):
    """The elements at places along an axis replaced by a number or by others, or combined with them."""
    how = {"add": "add", "multiply": "mul"}[reduce] if reduce else ""
    return scattered_anywhere(op, self, dim, index, src, how)


@decomposition("aten::scatter_add")
def scatter_add(op, self, dim, index, src):
    """The elements at places along an axis with others added to them."""
    return scattered_anywhere(op, self, dim, index, src, "add")


@helper
def scattered_anywhere(op, self, dim: int, index, source, how: str):
    """The elements at places along an axis replaced, or combined with others; of any rank."""
    if op.static_numel(index) == 0:
        return op.Identity(self)
    x, indices = at_least_1d(op, self), at_least_1d(op, index)
    updates = op.cast(source, like=self)
    updates = cut_to(op, updates, indices) if op.rank(source) else op.Expand(updates, op.Shape(indices))
    axis = dim % op.rank(x)
    if how:
        written = op.cast(scattered(op, summable(op, x), axis, indices, summable(op, updates), how), like=self)
    else:
        written = op.ScatterElements(x, indices, updates, axis=axis)
    return written if op.rank(self) else op.Squeeze(written, [0])


@helper
def written_along(op, self, dim: int, index, source, how: str):
    """The slices at places along an axis replaced, or combined with others; of any rank."""
    if op.static_numel(index) == 0 or op.static_numel(self) == 0:
        return op.Identity(self)
    x, places, updates = at_least_1d(op, self), at_least_1d(op, index), at_least_1d(op, source)
    axis = dim % op.rank(x)
    indices = op.Expand(standing_along(op, places, axis, op.rank(x)), op.Shape(updates))
    return scattered_anywhere(op, self, dim, indices, op.cast(updates, like=self), how)


@decomposition("aten::index_add")
def index_add(op, self, dim, index, source, alpha):
    """The slices at places along an axis with alpha times others added to them."""
    if op.dtype(self) == torch.bool and alpha:
        # Any number but 0 is true.
        alpha = 1
    return written_along(op, self, dim, index, source if alpha == 1 else source * alpha, "add")


@decomposition("aten::index_copy")
def index_copy(op, self, dim, index, source):
    """The slices at places along an axis replaced."""
    return written_along(op, self, dim, index, source, "")


@decomposition("aten::index_fill")
def index_fill(op, self, dim, index, value):
    """The slices at places along an axis replaced by a number."""
    x, places = at_least_1d(op, self), at_least_1d(op, index)
    axis = dim % op.rank(x)
    shape = op.ints([op.size(places, 0) if k == axis else op.size(x, k) for k in range(op.rank(x))])
    return written_along(op, self, dim, index, op.Expand(op.cast(value, like=self), shape), "")


@decomposition("aten::index_reduce")
def index_reduce(op, self, dim, index, source, reduce, include_self):
    """The product, mean, largest or smallest of the slices that name a place along an axis."""
    if op.static_numel(source) == 0:
        return op.Identity(self)
    places = op.Reshape(index, [-1])
    if op.rank(self) == 0:
        x, updates = op.Unsqueeze(self, [0]), op.Reshape(source, [-1])
        return op.Squeeze(reduced_at(op, x, 0, places, updates, reduce, include_self), [0])
    axis = dim % op.rank(self)
    indices = op.Expand(standing_along(op, places, axis, op.rank(self)), op.Shape(source))
    return reduced_at(op, self, axis, indices, source, reduce, include_self)


@decomposition("aten::put")
def put(op, self, index, source, accumulate):
    """Elements of the flattened tensor replaced, or added to."""
    if op.static_numel(index) == 0:
        return op.Identity(self)
    x, places, updates = [op.Reshape(value, [-1]) for value in (self, index, source)]
    if accumulate:
        added = scattered(op, summable(op, x), 0, places, summable(op, updates), "add")
        written = op.cast(added, like=self)
    else:
        written = op.ScatterElements(x, places, updates, axis=0)
    return shaped_like(op, written, self)


@decomposition("aten::select_scatter", values=["index"])
def select_scatter(op, self, src, dim, index):
    """The tensor with one slice replaced."""
    axis = dim % op.rank(self)
    return placed(op, self, axis, op.ints(index), op.Unsqueeze(src, [axis]))


@decomposition("aten::slice_scatter", values=["start", "end", "step"])
def slice_scatter(op, self, src, dim, start, end, step):
    """The tensor with self[start:end:step] along an axis replaced."""
    axis = dim % op.rank(self)
    first = op.constant([0]) if start is None else op.ints(start)
    last = op.constant([LAST]) if end is None else op.ints(end)
    places = op.Slice(places_along(op, self, axis), first, last, [0], op.ints(step))
    return placed(op, self, axis, places, src)


@decomposition("aten::as_strided_scatter")
def as_strided_scatter(op, self, src, size, stride, storage_offset):
    """The elements at offset + Σ index · stride of the memory replaced."""
    if not op.was_contiguous():
        op.fail("as_strided_scatter: the memory of a tensor that is not contiguous is not there in ONNX", self)
    if 0 in size:
        return op.Identity(self)
    places = op.Reshape(strided_places(op, size, stride, storage_offset or 0), [-1])
    written = op.ScatterElements(op.Reshape(self, [-1]), places, op.Reshape(op.cast(src, like=self), [-1]), axis=0)
    return shaped_like(op, written, self)


@decomposition("aten::segment_reduce", only={"indices": None}, ignore={"unsafe": "it only leaves out a check"})
def segment_reduce(op, data, reduce, lengths, offsets, axis, initial):
    """The sum, mean, product, largest or smallest of each segment of an axis, of given lengths or between offsets."""
    rank = op.rank(data)
    if lengths is not None:
        sizes = op.cast(lengths, "int64")
        ends = op.CumSum(sizes, op.constant(axis))
    else:
        bounds = op.cast(offsets, "int64")
        ends = part_of(op, bounds, axis, 1, None)
        sizes = ends - part_of(op, bounds, axis, 0, -1)
    # An element belongs to the segment before which as many segments end as do not lie behind it.
    ends_before = op.Not(op.Unsqueeze(ends, [axis]) > op.Unsqueeze(places_along(op, data, axis), [1]))
    segments = op.ReduceSum(op.cast(ends_before, "int64"), [axis + 1], keepdims=0)
    rest = list(range(axis + 1, rank))
    indices = op.Expand(op.Unsqueeze(segments, rest) if rest else segments, op.Shape(data))
    x = summable(op, data)
    neutral = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf}[reduce]
    lengths_of_rest = [op.size(data, k) for k in rest]
    shape = op.ints([*(op.size(sizes, k) for k in range(axis + 1)), *lengths_of_rest])
    start = op.Expand(op.constant(neutral if initial is None else initial, like=x), shape)
    how = {"sum": "add", "mean": "add", "prod": "mul", "max": "max", "min": "min"}[reduce]
    result = scattered(op, start, axis, indices, x, how)
    if reduce == "mean":
        counts = op.cast(op.Unsqueeze(sizes, rest) if rest else sizes, like=x)
        # Without a start the mean of nothing is nan, which 0 / 0 is.
        result = result / (counts if initial is None else op.Max(counts, 1.0))
    return op.cast(result, like=data)
