"""What undoes pooling, and pooling over windows drawn at random."""

from symgen.match.decompositions.places import with_shape
from symgen.match.language import decomposition, helper


@helper
def put_back(op, x, indices, output_size, axes: int):
    """Zeros with the elements at their places in the plane, or volume, of the last axes."""
    rank = op.rank(x)
    batch, plane = op.Slice(op.Shape(x), [0], [rank - axes]), op.Slice(op.Shape(x), [rank - axes], [rank])
    # Counted here, as a model cannot infer it where there are no elements.
    flat = op.Concat(batch, op.ReduceProd(plane, axes=[0], keepdims=1), axis=0)
    sizes = op.ints(output_size)
    if 0 in [op.static_size(x, axis) for axis in range(rank)]:
        return op.Expand(op.constant(0, like=x), op.Concat(batch, sizes, axis=0))
    whole = op.Concat(batch, op.ReduceProd(sizes, axes=[0], keepdims=1), axis=0)
    zeros = op.Expand(op.constant(0, like=x), whole)
    places, elements = [with_shape(op, part, flat, rank - axes + 1) for part in (indices, x)]
    planes = op.ScatterElements(zeros, places, elements, axis=rank - axes)
    return with_shape(op, planes, op.Concat(batch, sizes, axis=0), rank)


@decomposition("aten::max_unpool2d", values=["output_size"])
def max_unpool2d(op, self, indices, output_size):
    """Zeros with the largest elements at the places where they came from"""
    return put_back(op, self, indices, output_size, 2)


@decomposition(
    "aten::max_unpool3d",
    values=["output_size"],
    ignore={
        "stride": "output_size and the indices say where all stood",
        "padding": "output_size and the indices say where all stood",
    },
)
def max_unpool3d(op, self, indices, output_size):
    """Zeros with the largest elements at the places where they came from"""
    return put_back(op, self, indices, output_size, 3)


@helper
def window_starts(op, x, axis: int, kernel: int, count: int, sample):
    """Where the windows along an axis start, ⌊(i + u) · α⌋ − ⌊u · α⌋, the last one at the end.

    `sample` holds one u for each sample and channel; α = (length − kernel) / (count − 1).
    """
    room = op.size(x, axis) - kernel
    last = op.Expand(room, op.Shape(sample))
    if count == 1:
        return op.Unsqueeze(last, [-1])
    step = op.cast(room, like=sample) / (count - 1)
    u = op.Unsqueeze(sample, [-1])
    numbers = op.constant([float(i) for i in range(count - 1)], like=sample)
    starts = op.cast((numbers + u) * step, "int64") - op.cast(u * step, "int64")
    return op.Concat(starts, op.Unsqueeze(last, [-1]), axis=-1)


@helper
def fractional_max_pool(op, x, kernel_size: list[int], output_size: list[int], samples):
    """(The largest element of each window, its place in the plane or volume of the last axes)."""
    axes = len(output_size)
    rank = op.rank(x)
    batched = x if rank == axes + 2 else op.Unsqueeze(x, [0])
    places = op.constant([0])
    for k in range(axes):
        # torch draws for the last axis of a plane first, but for the first axis of a volume.
        drawn = op.Gather(samples, op.constant(axes - 1 - k if axes == 2 else k), axis=2)
        starts = window_starts(op, batched, k + 2, kernel_size[k], output_size[k], drawn)
        inside = op.Unsqueeze(starts, [-1]) + op.constant(list(range(kernel_size[k])))
        along = op.Unsqueeze(inside, [axis for axis in range(2, 2 + 2 * axes) if axis not in (2 + k, 2 + axes + k)])
        places = places * op.size(batched, k + 2) + along
    batch = op.Slice(op.Shape(batched), [0], [2])
    windows = op.Reshape(places, op.Concat(batch, op.constant([*output_size, -1]), axis=0))
    flat = op.Reshape(batched, op.Concat(batch, op.constant([-1]), axis=0))
    values = op.GatherElements(flat, op.Reshape(places, op.Concat(batch, op.constant([-1]), axis=0)), axis=2)
    grouped = op.Reshape(values, op.Shape(windows))
    best = op.ArgMax(grouped, axis=-1, keepdims=1)
    pooled = op.Squeeze(op.GatherElements(grouped, best, axis=-1), [2 + axes])
    indices = op.Squeeze(op.GatherElements(windows, best, axis=-1), [2 + axes])
    if rank == axes + 2:
        return pooled, indices
    return op.Squeeze(pooled, [0]), op.Squeeze(indices, [0])


@decomposition("aten::fractional_max_pool2d", "aten::fractional_max_pool3d")
def fractional_max_pool2d(op, self, kernel_size, output_size, random_samples):
    """The largest element of each window, and its place; the windows' starts depend on the random samples"""
    return fractional_max_pool(op, self, kernel_size, output_size, random_samples)
