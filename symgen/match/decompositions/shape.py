"""Views as copies: the elements of one tensor in another shape or order."""

from symgen.match.decompositions.complex_parts import own_rank
from symgen.match.decompositions.places import is_empty, nothing, places_along, reshaped, with_shape
from symgen.match.decompositions.reductions import summed_as, total_over
from symgen.match.language import decomposition, helper, torch

LAST = 9223372036854775807


@helper
def numbers_reshaped(op, x, size):
    """Complex numbers in another shape, their parts still along the last axis."""
    sizes = op.known(size)
    if sizes is not None and 0 in sizes:
        return nothing(op, op.constant([*sizes, 2]), op.dtype(x))
    if sizes is not None:
        return op.Reshape(x, op.constant([*sizes, 2]))
    return op.Reshape(x, op.Concat(op.ints(size), op.constant([2]), axis=0))


@helper
def shaped_like(op, vector, other):
    """The elements of a vector in the shape of another tensor."""
    if op.rank(other) == 0:
        return op.Squeeze(vector, [0])
    if op.opset >= 14 and op.static_numel(other) is None:
        return op.Reshape(vector, op.Shape(other), allowzero=1)
    return op.Reshape(vector, op.Shape(other))


@helper
def permuted(op, x, order: list[int]):
    """The axes in that order; no node where they are in it already."""
    return x if order == list(range(len(order))) else op.Transpose(x, perm=order)


@helper
def flipped(op, x, axes: list[int]):
    """The elements in reverse order along some axes."""
    turned = [axis for axis in axes if op.static_size(x, axis) not in (0, 1)]
    if not turned:
        return op.Identity(x)
    return op.Slice(x, [-1] * len(turned), [-LAST] * len(turned), turned, [-1] * len(turned))


@decomposition("aten::alias_copy", "aten::detach_copy", "aten::_lazy_clone", "aten::pin_memory", "aten::_pin_memory")
def alias_copy(op, self):
    """The tensor itself."""
    return op.Identity(self)


@decomposition(
    "aten::view",
    "aten::view_copy",
    values=["size"],
    limits=["reading the bits as another dtype has no ONNX operator"],
)
def view_copy(op, self, *args):
    """The same elements in another shape."""
    if isinstance(op.known(args[0]), int):
        op.fail("ONNX has no operator that reads the bits of a tensor as another dtype")
    if op.is_complex(self):
        return op.carried(numbers_reshaped(op, self, args[0]))
    return reshaped(op, self, args[0])


@decomposition("aten::reshape", values=["shape"])
def reshape(op, self, shape):
    """The same elements in another shape."""
    if op.is_complex(self):
        return op.carried(numbers_reshaped(op, self, shape))
    return reshaped(op, self, shape)


@decomposition("aten::ravel")
def ravel(op, self):
    """All elements in one axis."""
    return op.Reshape(self, [-1])


@decomposition(
    "aten::expand_copy", values=["size"], ignore={"implicit": "it only tells autograd who asked for the expansion"}
)
def expand_copy(op, self, size):
    """Axes of length 1 repeated, new ones in front; −1 leaves a length as it is."""
    sizes = op.ints(size)
    known = op.known(size)
    if known is not None and 0 in known:
        added = len(known) - op.rank(self)
        lengths = [op.size(self, axis - added) if length < 0 else length for axis, length in enumerate(known)]
        return nothing(op, op.ints(lengths), op.dtype(self))
    # Expand broadcasts both ways, so that 1 leaves every length alone.
    return op.Expand(self, op.Where(sizes < 0, op.constant([1]), sizes))


@decomposition("aten::permute", "aten::permute_copy")
def permute_copy(op, self, dims):
    """The axes in another order."""
    order = [dim % len(dims) for dim in dims]
    if op.is_complex(self):
        return op.carried(op.Identity(permuted(op, self, [*order, len(dims)])))
    return op.Identity(permuted(op, self, order))


@decomposition("aten::movedim", "aten::moveaxis")
def movedim(op, self, source, destination):
    """Some axes at other places, the rest in their order."""
    rank = op.rank(self)
    if rank == 0:
        return op.Identity(self)
    comes_from = {target % rank: axis % rank for axis, target in zip(source, destination, strict=True)}
    rest = [axis for axis in range(rank) if axis not in comes_from.values()]
    for place in sorted(comes_from):
        rest.insert(place, comes_from[place])
    return op.Identity(permuted(op, self, rest))


@decomposition("aten::transpose", "aten::transpose_copy", "aten::swapdims")
def transpose_copy(op, self, dim0, dim1):
    """Two axes exchanged."""
    if op.is_complex(self):
        rank = max(op.rank(self) - 1, 1)
        return op.carried(exchanged(op, self, dim0 % rank, dim1 % rank))
    return exchanged(op, self, dim0, dim1)


@decomposition("aten::swapaxes")
def swapaxes(op, self, axis0, axis1):
    """Two axes exchanged."""
    return exchanged(op, self, axis0, axis1)


@helper
def exchanged(op, x, first: int, second: int):
    """Two axes exchanged; a number has none."""
    rank = op.rank(x)
    if rank == 0:
        return op.Identity(x)
    swap = {first % rank: second % rank, second % rank: first % rank}
    return op.Identity(permuted(op, x, [swap.get(axis, axis) for axis in range(rank)]))


@decomposition("aten::t_copy")
def t_copy(op, self):
    """The transposed matrix; a vector and a number stay as they are."""
    return op.Transpose(self, perm=[1, 0]) if op.rank(self) == 2 else op.Identity(self)


@decomposition("aten::mT", "aten::mH")
def mT(op, self):
    """The transposed matrices in the last two axes; a number is its own."""
    rank = op.rank(self)
    if rank == 0:
        return op.Identity(self)
    return op.Transpose(self, perm=[*range(rank - 2), rank - 1, rank - 2])


@decomposition("aten::unsqueeze", "aten::unsqueeze_copy")
def unsqueeze_copy(op, self, dim):
    """A new axis of length 1."""
    longer = op.Unsqueeze(self, [dim % (own_rank(op, self, op.is_complex(self)) + 1)])
    return op.carried(longer) if op.is_complex(self) else longer


@decomposition("aten::flatten")
def flatten(op, self, start_dim, end_dim):
    """The axes from one to another as one."""
    rank = op.rank(self)
    first, last = (start_dim % rank, end_dim % rank) if rank else (0, 0)
    if first == last:
        return op.Identity(self) if rank else op.Unsqueeze(self, [0])
    shape = op.Shape(self)
    length = op.ReduceProd(op.Slice(shape, [first], [last + 1]), [0], keepdims=1)
    whole = op.Concat(op.Slice(shape, [0], [first]), length, op.Slice(shape, [last + 1], [rank]), axis=0)
    return with_shape(op, self, whole, rank - last + first)


@decomposition("aten::squeeze", "aten::squeeze_copy", since=11)
def squeeze_copy(op, self, dim):
    """Without the axes of length 1, all or the named ones."""
    if dim is None:
        return op.Squeeze(self)
    rank = op.rank(self)
    axes = sorted({d % rank for d in dim} if rank else set(), reverse=True)
    if op.opset >= 14 and sum(op.static_size(self, axis) is None for axis in axes) > 1:
        # The runtime takes one choice after the other for one of a known rank.
        is_named = op.constant([axis in axes for axis in range(rank)], "bool")
        shape = op.Shape(self)
        stays = op.Not(is_named & op.Equal(shape, 1))
        return op.Reshape(self, op.Compress(shape, stays, axis=0), allowzero=1)
    result = op.Identity(self)
    # From the last axis to the first, so that those in front keep their number.
    for axis in axes:
        size = op.static_size(self, axis)
        if size == 1:
            result = op.Squeeze(result, [axis])
        elif size is None:
            result = squeezed_if_possible(op, result, op.size(self, axis), axis)
    return result


@helper
def squeezed_if_possible(op, x, size, axis: int):
    """The tensor without an axis if that has the length 1."""
    # If gives bfloat16 since opset 16 only.
    y = op.cast(x, torch.float32) if op.opset < 16 and op.dtype(x) == torch.bfloat16 else x

    def squeeze(op):
        return op.Squeeze(y, [axis])

    def leave(op):
        return op.Identity(y)

    found = op.cond(op.Equal(op.Squeeze(size, [0]), 1), squeeze, leave)
    return op.cast(found, like=x) if op.opset < 16 else found


@decomposition("aten::narrow", "aten::narrow_copy", values=["start", "length"])
def narrow_copy(op, self, dim, start, length):
    """self[start : start + length] along an axis"""
    axis = dim % op.rank(self)
    first = op.ints(start)
    known = op.known(start)
    if known is None or known < 0:
        first = op.Where(first < 0, first + op.size(self, axis), first)
    return op.Slice(self, first, first + op.ints(length), [axis])


@decomposition("aten::slice_copy", "aten::slice", values=["start", "end", "step"])
def slice_copy(op, self, dim, start, end, step):
    """self[start:end:step] along an axis"""
    first = op.constant([0]) if start is None else op.ints(start)
    last = op.constant([LAST]) if end is None else op.ints(end)
    part = op.Slice(self, first, last, [dim % own_rank(op, self, op.is_complex(self))], op.ints(step))
    return op.carried(part) if op.is_complex(self) else part


@decomposition("aten::select", "aten::select_copy", values=["index"])
def select_copy(op, self, dim, index):
    """self[index] along an axis"""
    axis = dim % own_rank(op, self, op.is_complex(self))
    part = op.Gather(self, op.Squeeze(op.ints(index), [0]), axis=axis)
    return op.carried(part) if op.is_complex(self) else part


@decomposition("aten::unflatten", values=["sizes"])
def unflatten(op, self, dim, sizes):
    """One axis as several."""
    rank = op.rank(self)
    axis = dim % rank
    before = [op.size(self, k) for k in range(axis)]
    behind = [op.size(self, k) for k in range(axis + 1, rank)]
    return op.Reshape(self, op.ints([*before, sizes, *behind]))


@decomposition("aten::flip")
def flip(op, self, dims):
    """Some axes in reverse order."""
    rank = op.rank(self)
    return flipped(op, self, [axis % rank for axis in dims] if rank else [])


@decomposition("aten::fliplr")
def fliplr(op, self):
    """The second axis in reverse order."""
    return flipped(op, self, [1])


@decomposition("aten::flipud")
def flipud(op, self):
    """The first axis in reverse order."""
    return flipped(op, self, [0])


@decomposition("aten::roll", values=["shifts"])
def roll(op, self, shifts, dims):
    """The elements moved along some axes; those that leave at one end come in at the other."""
    if is_empty(op, self):
        return op.Identity(self)
    result = self if dims else op.Reshape(self, [-1])
    axes = dims or [0]
    for k in range(len(axes)):
        axis = axes[k] % max(op.rank(result), 1)
        if op.rank(result):
            result = op.Gather(result, rolled_places(op, result, shifts, k, axis), axis=axis)
    return result if dims else shaped_like(op, result, self)


@helper
def rolled_places(op, x, shifts, k: int, axis: int):
    """From where the elements along an axis come that moves by so many places as shift k says."""
    known, size = op.known(shifts), op.static_size(x, axis)
    if known is not None and size is not None:
        return op.constant([(place - known[k]) % size for place in range(size)])
    # The runtime divides by the length also where there is nothing to move.
    return op.Mod(
        places_along(op, x, axis) - op.Slice(op.ints(shifts), [k], [k + 1]),
        op.Max(op.size(x, axis), op.constant([1])),
    )


@decomposition("aten::tile", values=["dims"])
def tile(op, self, dims):
    """The tensor repeated along its axes, counted from the last one; new axes come in front."""
    known = op.known(dims)
    repeats = op.items(dims) if known is None else known
    if not repeats:
        return op.Identity(self)
    rank, count = op.rank(self), len(repeats)
    x = op.Unsqueeze(self, list(range(count - rank))) if count > rank else self
    return op.Tile(x, op.ints([*([1] * (rank - count)), *repeats]))


@decomposition("aten::rot90")
def rot90(op, self, k, dims):
    """Quarter turns in the plane of two axes, from the first towards the second."""
    rank = op.rank(self)
    first, second = dims[0] % rank, dims[1] % rank
    turned_axes = [[], [second], [first, second], [first]][k % 4]
    turned = flipped(op, self, turned_axes)
    return turned if k % 2 == 0 else exchanged(op, turned, first, second)


@decomposition("aten::channel_shuffle", "aten::native_channel_shuffle", quantized=("self",))
def channel_shuffle(op, self, groups):
    """The channels, seen as `groups` rows, read by columns."""
    channels = op.static_size(self, 1)
    if channels is not None:
        width = channels // groups
        places = op.constant([place % groups * width + place // groups for place in range(channels)])
    else:
        count = places_along(op, self, 1)
        column = count / groups
        places = (count - column * groups) * (op.size(self, 1) / groups) + column
    return op.Gather(self, places, axis=1)


@decomposition("aten::unfold", "aten::unfold_copy")
def unfold(op, self, dimension, size, step):
    """Windows of a length along an axis, a step apart; what is in a window becomes the last axis."""
    rank = op.rank(self)
    if rank == 0:
        return op.Unsqueeze(self, [0]) if size else op.constant([], like=self)
    axis = dimension % rank
    length = op.static_size(self, axis)
    if length is None:
        starts = op.Range(0, op.Squeeze(op.size(self, axis), [0]) - (size - 1), step)
        places = op.Unsqueeze(starts, [1]) + op.constant(list(range(size)))
    else:
        starts = range(0, length - size + 1, step)
        places = op.constant([list(range(start, start + size)) for start in starts])
    windows = op.Gather(self, places, axis=axis)
    return permuted(op, windows, [*range(axis + 1), *range(axis + 2, rank + 1), axis + 1])


@decomposition("aten::as_strided", "aten::as_strided_copy")
def as_strided_copy(op, self, size, stride, storage_offset):
    """The elements at offset + Σ index · stride of the memory"""
    if not op.was_contiguous():
        op.fail("as_strided: the memory of a tensor that is not contiguous is not there in ONNX", self)
    return op.Gather(op.Reshape(self, [-1]), strided_places(op, size, stride, storage_offset or 0), axis=0)


@decomposition("aten::_reshape_alias_copy")
def _reshape_alias_copy(op, self, size, stride):
    """The elements at Σ index · stride of the memory"""
    if not op.was_contiguous():
        op.fail("_reshape_alias_copy: the memory of a tensor that is not contiguous is not there in ONNX", self)
    return op.Gather(op.Reshape(self, [-1]), strided_places(op, size, stride, 0), axis=0)


@helper
def strided_places(op, size: list[int], stride: list[int], offset: int):
    """offset + Σ index · stride, for all indices into a tensor of that size"""
    if 0 in size:
        return nothing(op, op.constant(list(size)), torch.int64)
    needed = offset + 1 + sum(step * max(length - 1, 0) for length, step in zip(size, stride, strict=True))
    return op.constant(torch.arange(needed).as_strided(list(size), list(stride), offset).tolist())


@decomposition("aten::sum_to_size")
def sum_to_size(op, self, size):
    """Summed over the axes that broadcasting to this tensor would have added or repeated."""
    added = op.rank(self) - len(size)
    repeated = [added + k for k, length in enumerate(size) if length == 1 and op.static_size(self, added + k) != 1]
    axes = [*range(added), *repeated]
    if not axes:
        # Of a number torch takes the sum, which may have another dtype.
        return op.Identity(self if size else summed_as(op, self, None))
    summed = total_over(op, self, axes, True)
    return op.Squeeze(summed, list(range(added))) if added else summed
