"""One tensor taken apart along an axis."""

from symgen.match.decompositions.places import with_shape
from symgen.match.language import Values, decomposition, helper, torch

LAST = 9223372036854775807


@helper
def in_parts(op, x, sizes: list[int], axis: int) -> Values:
    """The parts of those sizes."""
    if len(sizes) == 1:
        return [x]
    return op.Split(x, split=sizes, axis=axis, outputs=len(sizes))


@helper
def cut_at(op, x, places: list[int], axis: int) -> Values:
    """The parts between cuts; negative places count from the end, places out of order give empty parts."""
    length = op.static_size(x, axis)
    if length is not None:
        cuts = [min(max(place + length if place < 0 else place, 0), length) for place in places]
        sizes = [end - start for start, end in zip([0, *cuts], [*cuts, length], strict=True)]
        if min(sizes) >= 0:
            return in_parts(op, x, sizes, axis)
    return [op.Slice(x, [start], [end], [axis]) for start, end in zip([0, *places], [*places, LAST], strict=True)]


@helper
def in_sections(op, x, sections: int, axis: int) -> Values:
    """That many parts, the first ones longer by one where the length is no multiple."""
    length = op.static_size(x, axis)
    if length is not None:
        part, rest = length // sections, length % sections
        return in_parts(op, x, [part + 1] * rest + [part] * (sections - rest), axis)
    total = op.size(x, axis)
    part = total / sections
    rest = total - part * sections
    if op.opset >= 13:
        sizes = part + op.cast(op.constant(list(range(sections))) < rest, "int64")
        return op.Split(x, split=sizes, axis=axis, outputs=sections)
    cuts = [part * k + op.Where(rest < k, rest, op.constant([k])) for k in range(sections + 1)]
    return [op.Slice(x, cuts[k], cuts[k + 1], [axis]) for k in range(sections)]


@helper
def split_by(op, x, how, axis: int) -> Values:
    """In so many sections, or cut at those places: `how` is a number or a list."""
    known = op.known(how)
    if known is None:
        op.fail("tensor_split: indices_or_sections has to be known at export", x)
    if isinstance(known, int):
        return in_sections(op, x, known, axis)
    return cut_at(op, x, known, axis)


@decomposition("aten::tensor_split", returns_list=True)
def tensor_split(op, self, *args):
    """In so many sections, or cut at those places."""
    dim = op.told(args[1], "tensor_split: dim") if len(args) > 1 else 0
    return op.list(split_by(op, self, args[0], dim % op.rank(self)))


@decomposition("aten::hsplit", returns_list=True)
def hsplit(op, self, *args):
    """A vector along its only axis, all else along the second one."""
    return op.list(split_by(op, self, args[0], 0 if op.rank(self) == 1 else 1))


@decomposition("aten::vsplit", returns_list=True)
def vsplit(op, self, *args):
    """Along the first axis."""
    return op.list(split_by(op, self, args[0], 0))


@decomposition("aten::dsplit", returns_list=True)
def dsplit(op, self, *args):
    """Along the third axis."""
    return op.list(split_by(op, self, args[0], 2))


@helper
def so_many_parts(op, x, size: int, axis: int, count: int) -> Values:
    """So many parts of one size, the last one what is left, of an axis whose length need not be known."""
    starts = [size * k for k in range(count)]
    ends = [*starts[1:], LAST]
    return [op.Slice(x, [starts[k]], [ends[k]], [axis]) for k in range(count)]


@helper
def in_parts_of(op, x, size: int, axis: int) -> Values:
    """Parts of one size, the last one what is left, of an axis whose length is known."""
    length = op.static_size(x, axis)
    whole = length // size if size else 0
    rest = length - whole * size
    return in_parts(op, x, [size] * whole + [rest] * (rest > 0 or not whole), axis)


@helper
def as_sequence(op, x, size, axis: int):
    """Parts of one size, the last one what is left, as an ONNX sequence: only the run of the model knows how many."""
    if op.dtype(x) == torch.bfloat16:
        op.fail("ONNX has no sequences of bfloat16: the length and the size of its parts have to be known at export", x)
    length = op.size(x, axis)
    # Of nothing there is one part, which is empty; the runtime would make none.
    starts = op.Range(0, op.Squeeze(op.Max(length, op.constant([1])), [0]), size)
    return op.SplitToSequence(x, op.Min(length - starts, size), axis=axis)


@helper
def in_sizes(op, x, sizes, axis: int) -> Values:
    """The parts of those sizes, also where only the run of the model knows them."""
    known = op.known(sizes)
    if known is not None:
        return in_parts(op, x, known, axis)
    if op.opset >= 13:
        return op.Split(x, split=op.ints(sizes), axis=axis, outputs=len(op.items(sizes)))
    parts, end = [], op.constant([0])
    for size in op.items(sizes):
        start, end = end, end + op.ints(size)
        parts.append(op.Slice(x, start, end, [axis]))
    return parts


@decomposition("aten::split_copy", returns_list=True)
def split_copy(op, self, split_size, dim):
    """Parts of one size, the last one what is left."""
    axis = dim % op.rank(self)
    if op.static_size(self, axis) is not None:
        return op.list(in_parts_of(op, self, split_size, axis))
    count = op.unpacked_count()
    if count is None:
        return as_sequence(op, self, op.constant(split_size), axis)
    return op.list(so_many_parts(op, self, split_size, axis, count))


@decomposition("aten::split", "aten::unsafe_split", values=["split_size"], returns_list=True)
def split(op, self, split_size, dim):
    """Parts of one size, the last one what is left, or parts of the sizes in a list."""
    axis = dim % op.rank(self)
    size = op.known(split_size)
    count = op.outputs
    if isinstance(size, list):
        parts = in_parts(op, self, size, axis)
    elif op.is_list(split_size):
        parts = in_sizes(op, self, split_size, axis)
    elif size is not None and op.static_size(self, axis) is not None:
        parts = in_parts_of(op, self, size, axis)
    elif size is not None and count is not None:
        parts = so_many_parts(op, self, size, axis, count)
    elif count is not None:
        sequence = as_sequence(op, self, split_size, axis)
        return [op.SequenceAt(sequence, k) for k in range(count)]
    else:
        return as_sequence(op, self, split_size, axis)
    return op.list(parts) if count is None else parts


@decomposition("aten::split_with_sizes_copy", values=["split_sizes"], returns_list=True)
def split_with_sizes_copy(op, self, split_sizes, dim):
    """Parts of those sizes."""
    return op.list(in_sizes(op, self, split_sizes, dim % op.rank(self)))


@decomposition("aten::split_with_sizes", "aten::unsafe_split_with_sizes", values=["split_sizes"], returns_list=True)
def split_with_sizes(op, self, split_sizes, dim):
    """Parts of those sizes."""
    parts = in_sizes(op, self, split_sizes, dim % op.rank(self))
    return op.list(parts) if op.outputs is None else parts


@decomposition("aten::unbind_copy", returns_list=True)
def unbind_copy(op, self, dim):
    """The slices along an axis, which is gone."""
    axis = dim % op.rank(self)
    length = op.static_size(self, axis)
    count = op.unpacked_count() if length is None else length
    if count is None:
        if op.dtype(self) == torch.bfloat16:
            op.fail("ONNX has no sequences of bfloat16: the length of the axis to unbind has to be known at export")
        return op.SplitToSequence(self, axis=axis, keepdims=0)
    return op.list([op.Gather(self, op.constant(k), axis=axis) for k in range(count)])


@decomposition("aten::unbind", returns_list=True)
def unbind(op, self, dim):
    """The slices along an axis, which is gone."""
    axis = dim % op.rank(self)
    length = op.static_size(self, axis)
    count = op.outputs if length is None else length
    if count is not None:
        slices = [op.Gather(self, op.constant(k), axis=axis) for k in range(count)]
        return op.list(slices) if op.outputs is None else slices
    if op.dtype(self) == torch.bfloat16:
        op.fail("ONNX has no sequences of bfloat16: the length of the axis to unbind has to be known at export", self)
    return op.SplitToSequence(self, axis=axis, keepdims=0)


@decomposition("aten::unflatten_dense_tensors", returns_list=True, since=11)
def unflatten_dense_tensors(op, flat, tensors):
    """The vector cut into pieces that have the shapes of other tensors."""
    parts, end = [], op.constant([0])
    for tensor in tensors:
        start, end = end, end + op.numel(tensor)
        parts.append(with_shape(op, op.Slice(flat, start, end, [0]), op.Shape(tensor), op.rank(tensor)))
    return op.list(parts)


@decomposition("aten::_to_cpu", returns_list=True, since=11)
def _to_cpu(op, tensors):
    """The tensors themselves: ONNX Runtime places them."""
    return op.list([op.Identity(x) for x in tensors])
