"""Tensors indexed by tensors: `x[i, :, mask]` read, written and added to."""

from symgen.match.decompositions.places import chosen
from symgen.match.decompositions.scattering import summable
from symgen.match.decompositions.shape import permuted
from symgen.match.language import Values, decomposition, helper, torch


@helper
def is_mask(op, index) -> bool:
    """Whether an index says of each element whether it is meant, instead of where they are."""
    return op.dtype(index) in (torch.bool, torch.uint8)


@helper
def indexed_axes(op, indices: Values) -> list[int]:
    """The axes that the indices stand for; a mask stands for as many as it has."""
    axes, axis = [], 0
    for index in indices:
        if index is None:
            axis += 1
        elif is_mask(op, index):
            if op.rank(index) == 0:
                op.fail("an index that is a single bool is not supported", index)
            axes.extend(range(axis, axis + op.rank(index)))
            axis += op.rank(index)
        else:
            axes.append(axis)
            axis += 1
    return axes


@helper
def places_of(op, indices: Values):
    """The places that the indices name, broadcast against each other; along the last axis one number for each axis."""
    given = [index for index in indices if index is not None]
    if len(given) == 1 and is_mask(op, given[0]):
        return op.Transpose(op.NonZero(given[0]), perm=[1, 0])
    parts = []
    for index in given:
        if is_mask(op, index):
            rows = op.NonZero(index)
            parts.extend([op.Gather(rows, op.constant(k), axis=0) for k in range(op.rank(index))])
        else:
            parts.append(op.cast(index, "int64"))
    rank = max([op.rank(part) for part in parts])
    shapes = [[op.static_size(part, axis) for axis in range(op.rank(part))] for part in parts]
    if any(None in shape or shape != shapes[0] for shape in shapes):
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        shape = op.Shape(total)
        parts = [op.Expand(part, shape) for part in parts]
    return op.Concat(*[op.Unsqueeze(part, [rank]) for part in parts], axis=rank)


@helper
def masks_as_places(op, indices: Values) -> Values:
    """The indices of an assignment with places instead of masks.

    The exporter makes one list of indices of `x[mask][:, 1:3] = v`: each is reshaped to lie along an axis of its own,
    masks as well, and a mask of several axes is followed by a range for each but the first.
    """
    places, ranges = [], 0
    for k, index in enumerate(indices):
        if ranges:
            ranges -= 1
        elif index is None or not is_mask(op, index):
            places.append(index)
        else:
            behind = len(indices) - 1 - k
            reshaped_mask = op.before_reshape(index, [-1] + [1] * behind)
            mask = index if reshaped_mask is None else reshaped_mask
            ranges = 0 if reshaped_mask is None else op.rank(mask) - 1
            others = list(range(1, behind - ranges + 1)) if reshaped_mask is not None else []
            rows = op.NonZero(mask)
            parts = [op.Gather(rows, op.constant(axis), axis=0) for axis in range(op.rank(mask))]
            places.extend([op.Unsqueeze(part, others) if others else part for part in parts])
    return places


@helper
def broadcast_sizes(op, indices: Values) -> list[int | None]:
    """The lengths of the axes of the indices broadcast against each other, None where only the run knows."""
    shapes = []
    for index in indices:
        if index is not None:
            counted = 0 if is_mask(op, index) else op.rank(index)
            known = [op.static_size(index, axis) for axis in range(counted)]
            shapes.append([None] if is_mask(op, index) else known)
    rank = max([len(shape) for shape in shapes])
    rows = [[1] * (rank - len(shape)) + shape for shape in shapes]
    columns = [[row[axis] for row in rows if row[axis] != 1] for axis in range(rank)]
    return [column[0] if column else 1 for column in columns]


@helper
def fitted(op, values, sizes: list[int | None]):
    """Values to be broadcast to a shape, with the axes of length 1 that they lack.

    The exporter says `x[1:, 2] = v` as an index of shape [1] for the second axis, but leaves `v` without that axis.
    """
    rank = op.rank(values)
    kept = [axis for axis, size in enumerate(sizes) if size != 1]
    behind = sizes[len(sizes) - rank :]
    fits = all(size != 1 or op.static_size(values, axis) == 1 for axis, size in enumerate(behind))
    if fits or rank > len(kept):
        return values
    first = kept[len(kept) - rank]
    return op.Unsqueeze(values, [axis - first for axis in range(first, len(sizes)) if sizes[axis] == 1])


@helper
def result_order(op, axes: list[int], broadcast: int, rank: int) -> list[int]:
    """The order that puts axes of indices, which stand first, where they belong among the other axes.

    That is where the indexed axes were if those are neighbours, else they stay in front.
    """
    before = axes[0] if axes == list(range(axes[0], axes[0] + len(axes))) else 0
    return [*range(broadcast, broadcast + before), *range(broadcast), *range(broadcast + before, rank)]


@helper
def front_order(op, axes: list[int], rank: int) -> list[int]:
    """The order that puts some axes first."""
    return [*axes, *(axis for axis in range(rank) if axis not in axes)]


@decomposition("aten::index", "aten::_unsafe_index")
def index(op, self, indices):
    """The elements at the places that the indices name; an absent index leaves an axis as it is."""
    axes = indexed_axes(op, indices)
    if not axes:
        return op.Identity(self)
    given = [index for index in indices if index is not None]
    if len(given) == 1 and len(axes) == 1:
        if is_mask(op, given[0]):
            return op.Compress(self, op.cast(given[0], "bool"), axis=axes[0])
        return op.Gather(self, given[0], axis=axes[0])
    rank = op.rank(self)
    places = places_of(op, indices)
    found = op.GatherND(permuted(op, self, front_order(op, axes, rank)), places)
    broadcast = op.rank(places) - 1
    return permuted(op, found, result_order(op, axes, broadcast, broadcast + rank - len(axes)))


@decomposition("aten::index_put", "aten::_unsafe_index_put")
def index_put(op, self, indices, values, accumulate):
    """The tensor with the elements at the places that the indices name replaced, or added to."""
    return with_values(op, self, indices, values, accumulate)


@decomposition("aten::_index_put_impl", ignore={"unsafe": "it only leaves out a check"})
def _index_put_impl(op, self, indices, values, accumulate):
    """The tensor with the elements at the places that the indices name replaced, or added to."""
    return with_values(op, self, indices, values, accumulate)


@helper
def with_values(op, self, indices: Values, values, accumulate: bool):
    """The tensor with the elements at the places that the indices name replaced, or added to."""
    indices = masks_as_places(op, indices) if len(indices) > 1 else indices
    axes = indexed_axes(op, indices)
    rank = op.rank(self)
    if not axes:
        updates = op.Expand(op.cast(values, like=self), op.Shape(self))
        return self + updates if accumulate else updates
    given = [index for index in indices if index is not None]
    mask = given[0]
    if op.static_numel(values) == 1 and len(axes) == op.rank(mask) and is_mask(op, mask) and not accumulate:
        return with_one_value(op, self, mask, axes, values)
    places = places_of(op, indices)
    broadcast = op.rank(places) - 1
    order = front_order(op, axes, rank)
    # The values have the shape of what indexing would read.
    back = result_order(op, axes, broadcast, broadcast + rank - len(axes))
    lengths = [op.size(places, axis) for axis in range(broadcast)]
    lengths.extend([op.size(self, axis) for axis in order[len(axes) :]])
    known = broadcast_sizes(op, indices) + [op.static_size(self, axis) for axis in order[len(axes) :]]
    values = fitted(op, op.cast(values, like=self), [known[axis] for axis in back])
    updates = op.Expand(values, op.ints([lengths[axis] for axis in back]))
    updates = permuted(op, updates, [back.index(axis) for axis in range(len(back))])
    target = permuted(op, self, order)
    if accumulate:
        written = op.cast(added_at(op, summable(op, target), places, summable(op, updates), broadcast), like=self)
    else:
        written = op.ScatterND(target, places, updates)
    return permuted(op, written, [order.index(axis) for axis in range(rank)])


@helper
def with_one_value(op, self, mask, axes: list[int], value):
    """The tensor with the elements replaced that a mask over some of its axes means."""
    behind = list(range(axes[-1] + 1, op.rank(self)))
    is_meant = op.cast(op.Unsqueeze(mask, behind) if behind else mask, "bool")
    return chosen(op, is_meant, op.cast(value, like=self), self)


@helper
def added_at(op, x, places, updates, broadcast: int):
    """The tensor with the updates added at their places; a place named twice gets both."""
    if op.opset >= 16:
        return op.ScatterND(x, places, updates, reduction="add")
    depth = op.size(places, broadcast)
    rows = op.Reshape(places, op.ints([-1, depth]))
    rest = [op.size(updates, axis) for axis in range(broadcast, op.rank(updates))]
    row_updates = op.Reshape(updates, op.ints([-1, *rest]))

    def add_next(op, k, result):
        place = op.Unsqueeze(k, [0])
        row = op.Gather(rows, place, axis=0)
        update = op.Gather(row_updates, place, axis=0)
        return op.ScatterND(result, row, op.GatherND(result, row) + update)

    return op.loop(op.size(rows, 0), add_next, x)


@helper
def within(op, x, indices: Values) -> Values:
    """The indices moved to the nearest places that there are."""
    bounded = []
    for axis, index in enumerate(indices):
        if index is None:
            bounded.append(index)
        else:
            last = op.size(x, axis) - 1
            place = op.cast(index, "int64")
            bounded.append(op.Max(op.Min(place, last), -op.size(x, axis)))
    return bounded


@decomposition("aten::_unsafe_masked_index")
def _unsafe_masked_index(op, self, mask, indices, fill):
    """The elements at the places that the indices name, a number where the mask does not hold."""
    places = places_of(op, within(op, self, indices))
    axes = indexed_axes(op, indices)
    if axes != list(range(len(axes))):
        op.fail("_unsafe_masked_index: only the first axes can be indexed", self)
    found = op.GatherND(self, places)
    return chosen(op, mask, found, op.constant(fill, like=found))


@decomposition("aten::_unsafe_masked_index_put_accumulate")
def _unsafe_masked_index_put_accumulate(op, self, mask, indices, values):
    """The tensor with values added at the places that the indices name, where the mask holds."""
    added = chosen(op, mask, values, op.constant(0, like=values))
    return with_values(op, self, within(op, self, indices), added, True)
