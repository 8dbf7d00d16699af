"""Elements found and taken: places of what is not zero, elements at places."""

from symgen.match.decompositions.places import chosen, is_empty, nothing, places_along, places_of_vector
from symgen.match.decompositions.shape import shaped_like
from symgen.match.decompositions.stacking import at_least_1d
from symgen.match.language import decomposition, helper, torch


@helper
def places_of_nonzero(op, x):
    """The places of the elements that are not zero, one a row, shape [n, rank]."""
    rank = op.rank(x)
    if rank == 0:
        found = op.Transpose(op.NonZero(op.cast(op.Unsqueeze(x, [0]), "bool")), perm=[1, 0])
        return op.Slice(found, [0], [0], [1])
    return op.Transpose(op.NonZero(op.cast(x, "bool")), perm=[1, 0])


@decomposition("aten::nonzero", "aten::argwhere")
def nonzero(op, self):
    """The places of the elements that are not zero, one a row."""
    return places_of_nonzero(op, self)


@decomposition("aten::nonzero_static")
def nonzero_static(op, self, size, fill_value):
    """The first places of elements that are not zero, one a row, then rows of `fill_value` until there are `size`."""
    filler = op.ConstantOfShape(op.constant([size, op.rank(self)]), value=torch.tensor([fill_value]))
    rows = op.Concat(places_of_nonzero(op, self), filler, axis=0)
    return op.Slice(rows, [0], [size], [0])


@helper
def expanded_beside(op, x, other, axis: int):
    """The tensor broadcast to the shape of another one in all axes but one."""
    rank = op.rank(x)
    sizes = [op.static_size(x, k) for k in range(rank)]
    if all(k == axis or (sizes[k] is not None and sizes[k] == op.static_size(other, k)) for k in range(rank)):
        return x
    return op.Expand(x, op.ints([1 if k == axis else op.size(other, k) for k in range(rank)]))


@decomposition("aten::take_along_dim")
def take_along_dim(op, self, indices, dim):
    """For each index the element at that place along an axis; other axes are broadcast."""
    if dim is None:
        places = op.Reshape(indices, [-1])
        return op.GatherElements(op.Reshape(self, [-1]), places, axis=0)
    axis = dim % op.rank(self)
    data = expanded_beside(op, self, indices, axis)
    return op.GatherElements(data, expanded_beside(op, indices, self, axis), axis=axis)


@decomposition("aten::gather", ignore={"sparse_grad": "it only changes the form of the gradient"})
def gather(op, self, dim, index):
    """For each index the element at that place along an axis."""
    x, places = at_least_1d(op, self), at_least_1d(op, op.cast(index, "int64"))
    if op.rank(x) != op.rank(places):
        # Torch takes an index of another rank where it is empty.
        return nothing(op, op.Shape(index), op.dtype(self))
    found = op.GatherElements(x, places, axis=dim % op.rank(places))
    return found if op.rank(index) else op.Squeeze(found, [0])


@decomposition("aten::index_select")
def index_select(op, self, dim, index):
    """The slices at some places along an axis."""
    rank = op.rank(self)
    if rank == 0:
        return op.Identity(self)
    return op.Gather(self, places_of_vector(op, at_least_1d(op, index)), axis=dim % rank)


@decomposition("aten::take")
def take(op, self, index):
    """The elements at some places of the flattened tensor."""
    return op.Gather(op.Reshape(self, [-1]), index, axis=0)


@helper
def elements_where(op, x, is_meant, axis: int):
    """The elements, or slices, for which a vector holds; Compress takes no bfloat16."""
    if op.dtype(x) == torch.bfloat16:
        return op.cast(op.Compress(op.cast(x, "float32"), is_meant, axis=axis), "bfloat16")
    return op.Compress(x, is_meant, axis=axis)


@decomposition("aten::masked_select")
def masked_select(op, self, mask):
    """The elements where the mask holds, both broadcast to one shape."""
    x = broadcast_beside(op, self, mask)
    is_meant = broadcast_beside(op, mask, self)
    return elements_where(op, op.Reshape(x, [-1]), op.Reshape(is_meant, [-1]), 0)


@helper
def broadcast_beside(op, x, other):
    """The tensor broadcast against the shape of another one."""
    rank = op.rank(x)
    sizes = [op.static_size(x, axis) for axis in range(rank)]
    if rank == op.rank(other) and None not in sizes and sizes == [op.static_size(other, k) for k in range(rank)]:
        return x
    return op.Expand(x, op.Shape(other))


@decomposition("aten::masked_fill")
def masked_fill(op, self, mask, value):
    """The tensor with a number where the mask holds."""
    return chosen(op, mask, op.cast(value, like=self), self)


@decomposition("aten::masked_scatter")
def masked_scatter(op, self, mask, source):
    """The tensor with the elements of another one, in order, where the mask holds; both broadcast to one shape."""
    x = self if op.rank(mask) < op.rank(self) else broadcast_beside(op, self, mask)
    if is_empty(op, self) or is_empty(op, mask):
        return op.Identity(x)
    is_meant = op.Reshape(op.Expand(mask, op.Shape(x)), [-1])
    vector = op.Reshape(x, [-1])
    places = op.Reshape(op.NonZero(is_meant), [-1])
    updates = op.Slice(op.Reshape(source, [-1]), [0], op.Shape(places), [0])
    return shaped_like(op, op.ScatterElements(vector, places, updates, axis=0), x)


@decomposition("aten::where", returns_list=True)
def where(op, condition, self, other):
    """The elements of one tensor where a condition holds, else of another one; of a condition alone the places."""
    is_meant = op.cast(condition, "bool")
    if self is None:
        rows = places_of_nonzero(op, is_meant)
        places = [op.Gather(rows, op.constant(k), axis=1) for k in range(op.rank(condition))]
        return op.list(places) if op.outputs is None else places
    dtype = op.common_dtype(self, other)
    return chosen(op, is_meant, op.cast(self, dtype), op.cast(other, dtype))


@decomposition("aten::repeat_interleave", values=["repeats", "output_size"])
def repeat_interleave(op, repeats, *args):
    """Each slice along an axis, or each element, repeated next to itself so many times."""
    if len(args) < 3:
        return repeated_places(op, repeats, op.size(repeats, 0))
    x, times, dim = repeats, args[0], op.known(args[1])
    x = op.Reshape(x, [-1]) if dim is None or op.rank(x) == 0 else x
    axis = 0 if dim is None else dim % op.rank(x)
    number = op.known(times)
    if isinstance(number, list) and len(number) == 1:
        number = number[0]
    size = op.static_size(x, axis)
    if not isinstance(number, int):
        places = repeated_places(op, op.Expand(at_least_1d(op, times), op.size(x, axis)), op.size(x, axis))
    elif size is not None:
        places = op.constant([place for place in range(size) for _ in range(number)])
    elif number == 0:
        places = op.constant([], "int64")
    else:
        places = op.Range(0, op.Squeeze(op.size(x, axis) * number, [0]), 1) / number
    return op.Gather(x, places, axis=axis)


@helper
def repeated_places(op, repeats, count):
    """Each of the numbers up to `count` as often as `repeats` says."""
    ends = op.CumSum(op.cast(repeats, "int64"), op.constant(0))
    total = op.ReduceSum(op.cast(repeats, "int64"), keepdims=0)
    # A place comes from the first number whose repeats reach beyond it: as many end before.
    is_over = op.Not(ends > op.Unsqueeze(op.Range(0, total, 1), [1]))
    return op.ReduceSum(op.cast(is_over, "int64"), [1], keepdims=0)


@decomposition("aten::tril", values=["diagonal"])
def tril(op, self, diagonal):
    """The matrices with zeros above a diagonal."""
    return triangle(op, self, diagonal, False)


@decomposition("aten::triu", values=["diagonal"])
def triu(op, self, diagonal):
    """The matrices with zeros below a diagonal."""
    return triangle(op, self, diagonal, True)


@helper
def triangle(op, x, diagonal, upper: bool):
    """The matrices with zeros on one side of a diagonal."""
    dtype, first = op.dtype(x), op.Squeeze(op.ints(diagonal), [0])
    if op.opset >= 14:
        small = dtype in (torch.uint8, torch.int8, torch.int16)
        kept = op.Trilu(op.cast(x, "int32") if small else x, first, upper=int(upper))
        return op.cast(kept, dtype)
    rank = op.rank(x)
    rows = op.Unsqueeze(places_along(op, x, rank - 2), [1]) + first
    columns = places_along(op, x, rank - 1)
    is_kept = op.Not(columns < rows) if upper else op.Not(columns > rows)
    return chosen(op, is_kept, x, op.constant(0, like=x))


@decomposition("aten::one_hot")
def one_hot(op, self, num_classes):
    """A new last axis with 1 at the place that the element names and else 0."""
    places = at_least_1d(op, self)
    found = op.ReduceMax(op.Reshape(self, [-1]), keepdims=1)
    depth = op.constant([num_classes]) if num_classes >= 0 else found + 1
    hot = op.OneHot(places, depth, op.constant([0, 1]), axis=-1)
    return hot if op.rank(self) else op.Squeeze(hot, [0])
