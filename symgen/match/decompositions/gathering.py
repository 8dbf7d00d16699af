"""Elements found and taken: places of what is not zero, elements at places."""

from symgen.match.language import decomposition, helper, torch


@helper
def places_of_nonzero(op, x):
    """The places of the elements that are not zero, one a row, shape [n, rank]."""
    rank = op.rank(x)
    if rank == 0:
        found = op.Transpose(op.NonZero(op.cast(op.Unsqueeze(x, [0]), "bool")), perm=[1, 0])
        return op.Slice(found, [0], [0], [1])
    return op.Transpose(op.NonZero(op.cast(x, "bool")), perm=[1, 0])


@decomposition("aten::argwhere")
def argwhere(op, self):
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
