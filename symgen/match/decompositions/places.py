"""What entries on places along an axis share: counting them, finding and filling them."""

from symgen.match.language import helper, torch

LAST = 9223372036854775807


@helper
def places_along(op, x, axis: int):
    """0, 1 … n − 1 for an axis of length n."""
    size = op.static_size(x, axis)
    if size is not None:
        return op.constant(list(range(size)))
    return op.Range(0, op.Squeeze(op.size(x, axis), [0]), 1)


@helper
def standing_along(op, vector, axis: int, rank: int):
    """A vector as a tensor of that rank, lying along one axis."""
    others = [other for other in range(rank) if other != axis]
    return op.Unsqueeze(vector, others) if others else vector


@helper
def chosen(op, condition, a, b):
    """The elements of one tensor where a condition holds, else of another one of the same dtype."""
    dtype = op.dtype(a)
    is_number = max(op.rank(condition), op.rank(a), op.rank(b)) == 0
    if is_number:
        # The exporter takes 0-d float64 tensors for Python numbers and would make them float32.
        condition, a, b = [op.Unsqueeze(value, [0]) for value in (condition, a, b)]
    if dtype in (torch.bool, torch.int16):
        found = op.cast(op.Where(condition, op.cast(a, "int32"), op.cast(b, "int32")), dtype)
    elif dtype == torch.bfloat16:
        # Where takes it since opset 16 only.
        found = op.cast(op.Where(condition, op.cast(a, "float32"), op.cast(b, "float32")), dtype)
    else:
        found = op.Where(condition, a, b)
    return op.Squeeze(found, [0]) if is_number else found


@helper
def part_of(op, x, axis: int, start: int, end: int | None):
    """x[start:end] along an axis; negative places count from the end."""
    return op.Slice(x, [start], [LAST if end is None else end], [axis])


@helper
def is_empty(op, x) -> bool:
    """Whether an axis is known to have no elements, also where the others are dynamic."""
    return 0 in [op.static_size(x, axis) for axis in range(op.rank(x))]


@helper
def with_shape(op, x, shape, rank: int):
    """The tensor in a shape of that rank, which is counted out; a 0 in it is a length."""
    if op.opset >= 14:
        return op.Reshape(x, shape, allowzero=1)
    if op.static_numel(x) or op.opset < 10:
        return op.Reshape(x, shape)
    # Before opset 14 a 0 takes the length from x: where there is nothing, 0 is made the length of all its axes.
    flat = op.Reshape(x, [-1])
    others = list(range(1, rank))
    if not others:
        return flat
    counts = op.Concat(*[op.Shape(flat) for _ in others], axis=0)
    return op.Reshape(op.Slice(op.Unsqueeze(flat, others), [0] * len(others), counts, others), shape)


@helper
def places_of_vector(op, index):
    """Places for a Gather, to which no Range goes at once: the runtime makes a Slice of the two, and loses a last 0."""
    return op.Reshape(index, [-1]) if op.rank(index) == 1 else index


@helper
def nothing(op, shape, dtype: torch.dtype):
    """A tensor without elements: where a length is 0, shape operators take it for another's."""
    return op.ConstantOfShape(shape, value=torch.tensor([0], dtype=dtype))


@helper
def reshaped(op, x, size):
    """The tensor in a shape of which one length may be −1 and any may be 0; `size` is a list of integers."""
    sizes = op.known(size)
    if sizes is not None and 0 in sizes:
        return nothing(op, op.constant(sizes), op.dtype(x))
    if sizes is None and is_empty(op, x):
        # What is −1 can only be 0.
        return nothing(op, op.Max(op.ints(size), op.constant([0])), op.dtype(x))
    if sizes is None and op.opset >= 14:
        return op.Reshape(x, op.ints(size), allowzero=1)
    return op.Reshape(x, op.ints(size))
