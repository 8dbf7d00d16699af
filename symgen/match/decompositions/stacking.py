"""Several tensors made one: concatenated, stacked, padded to one length, combined with each other."""

from symgen.match.decompositions.places import nothing
from symgen.match.language import Values, decomposition, helper, torch


@helper
def at_least_1d(op, x):
    """A number as a vector."""
    return x if op.rank(x) else op.Unsqueeze(x, [0])


@helper
def at_least_2d(op, x):
    """A number or a vector as a matrix of one row."""
    rank = op.rank(x)
    return x if rank >= 2 else op.Unsqueeze(x, [[0, 1], [0]][rank])


@helper
def joined(op, tensors: Values, axis: int):
    """The tensors one behind the other."""
    return op.Concat(*tensors, axis=axis) if len(tensors) > 1 else op.Identity(tensors[0])


@helper
def total_of(op, sizes: Values):
    """The sum of lengths, each of shape [1]."""
    known = op.known(sizes)
    if known is not None:
        return op.constant([sum(known)])
    return op.ReduceSum(op.ints(sizes), keepdims=1)


@helper
def filled_up(op, x, pads, value: float):
    """The tensor with a number put around it."""
    if op.opset < 13 and op.dtype(x) == torch.bool:
        return op.cast(op.Pad(op.cast(x, "int32"), pads, op.constant(int(bool(value)), "int32")), "bool")
    return op.Pad(x, pads, op.constant(value, like=x))


@decomposition("aten::cat", "aten::concat", "aten::concatenate", promote=["tensors"], kind="COMMON")
def concat(op, tensors, dim):
    """The tensors one behind the other along an axis; vectors without elements are passed over."""
    rank = max([op.rank(x) for x in tensors])
    kept = [x for x in tensors if op.rank(x) == rank]
    return joined(op, kept, dim % rank)


@decomposition("aten::stack", "aten::_stack", promote=["tensors"], kind="COMMON")
def _stack(op, tensors, dim):
    """The tensors along a new axis."""
    axis = dim % (op.rank(tensors[0]) + 1)
    return joined(op, [op.Unsqueeze(x, [axis]) for x in tensors], axis)


@decomposition("aten::hstack", promote=["tensors"], kind="COMMON")
def hstack(op, tensors):
    """Vectors one behind the other, all else side by side."""
    vectors = [at_least_1d(op, x) for x in tensors]
    return joined(op, vectors, 0 if op.rank(vectors[0]) == 1 else 1)


@decomposition("aten::vstack", "aten::row_stack", promote=["tensors"], kind="COMMON")
def vstack(op, tensors):
    """Rows, or blocks of rows, one below the other."""
    return joined(op, [at_least_2d(op, x) for x in tensors], 0)


@decomposition("aten::dstack", promote=["tensors"], kind="COMMON")
def dstack(op, tensors):
    """Matrices one behind the other along a third axis."""
    missing = [[0, 1, 2], [0, 2], [2]]
    return joined(op, [x if op.rank(x) > 2 else op.Unsqueeze(x, missing[op.rank(x)]) for x in tensors], 2)


@decomposition("aten::column_stack", promote=["tensors"], kind="COMMON")
def column_stack(op, tensors):
    """Columns, or blocks of columns, side by side."""
    return joined(op, [x if op.rank(x) > 1 else op.Unsqueeze(at_least_1d(op, x), [1]) for x in tensors], 1)


@decomposition("aten::block_diag", promote=["tensors"], kind="COMMON")
def block_diag(op, tensors):
    """Matrices along a diagonal, zeros around them."""
    blocks = [at_least_2d(op, x) for x in tensors]
    widths = [op.size(block, 1) for block in blocks]
    rows = []
    for k, block in enumerate(blocks):
        before, after = total_of(op, widths[:k]), total_of(op, widths[k + 1 :])
        rows.append(filled_up(op, block, op.ints([0, before, 0, after]), 0))
    return joined(op, rows, 0)


@decomposition("aten::cartesian_prod", promote=["tensors"], kind="COMMON")
def cartesian_prod(op, tensors):
    """Every combination of elements of the vectors as a row; the last vector runs fastest."""
    if len(tensors) == 1:
        return op.Identity(tensors[0])
    vectors = [at_least_1d(op, x) for x in tensors]
    lengths = [op.size(vector, 0) for vector in vectors]
    if 0 in (op.known(lengths) or ()):
        return nothing(op, op.constant([0, len(vectors)]), op.dtype(vectors[0]))
    shape = op.ints(lengths)
    columns = []
    for k, vector in enumerate(vectors):
        others = [axis for axis in range(len(vectors)) if axis != k]
        grid = op.Expand(op.Unsqueeze(vector, others), shape)
        columns.append(op.Reshape(grid, [-1, 1]))
    return op.Concat(*columns, axis=1)


@decomposition("aten::combinations")
def combinations(op, self, r, with_replacement):
    """Every choice of r elements as a row, in the order of their places."""
    if r == 0:
        return op.Slice(self, [0], [0], [0])
    count = op.static_size(self, 0)
    if count is not None:
        places = torch.combinations(torch.arange(count), r, with_replacement)
        return op.Reshape(op.Gather(self, op.constant(places.reshape(-1).tolist()), axis=0), op.constant([-1, r]))
    # All tuples of places, of which the ascending ones are kept.
    along = op.Range(0, op.Squeeze(op.size(self, 0), [0]), 1)
    axes = [op.Unsqueeze(along, [k for k in range(r) if k != axis]) if r > 1 else along for axis in range(r)]
    chosen = op.Expand(op.constant([True], "bool"), op.ints([op.size(self, 0)] * r))
    for k in range(r - 1):
        chosen = chosen & (op.Not(axes[k] > axes[k + 1]) if with_replacement else axes[k] < axes[k + 1])
    return op.Gather(self, op.Transpose(op.NonZero(chosen), perm=[1, 0]), axis=0)


@decomposition("aten::pad_sequence")
def pad_sequence(op, sequences, batch_first, padding_value, padding_side):
    """The sequences along a new axis, the shorter ones filled up to the longest."""
    lengths = [op.size(sequence, 0) for sequence in sequences]
    known = op.known(lengths)
    longest = op.ReduceMax(op.ints(lengths), keepdims=1) if known is None else op.constant([max(known)])
    first = sequences[0]
    untouched = [0] * (op.rank(first) - 1)
    padded = []
    for sequence, length in zip(sequences, lengths, strict=True):
        before, after = op.constant([0]), longest - length
        if padding_side == "left":
            before, after = after, before
        pads = op.ints([before, *untouched, after, *untouched])
        filled = filled_up(op, op.cast(sequence, like=first), pads, padding_value)
        padded.append(op.Unsqueeze(filled, [0 if batch_first else 1]))
    return joined(op, padded, 0 if batch_first else 1)


@decomposition("aten::_chunk_cat")
def _chunk_cat(op, tensors, dim, num_chunks):
    """Each tensor in so many parts along an axis, padded with zeros, each part as a row; rows of one number joined."""
    parts = []
    for x in tensors:
        rank = op.rank(x)
        axis = dim % rank
        size = op.size(x, axis)
        missing = (size + (num_chunks - 1)) / num_chunks * num_chunks - size
        pads = op.ints([*[0] * rank, *(missing if k == axis else 0 for k in range(rank))])
        padded = filled_up(op, x, pads, 0)
        before = [op.size(x, k) for k in range(axis)]
        parts.append(op.Reshape(padded, op.ints([*before, num_chunks, -1])))
    return joined(op, parts, dim % op.rank(tensors[0]) + 1)


@decomposition("aten::flatten_dense_tensors")
def flatten_dense_tensors(op, tensors):
    """The elements of all tensors in one vector."""
    return joined(op, [op.Reshape(x, [-1]) for x in tensors], 0)
