"""Tensors indexed by tensors: `x[i, :, mask]` read, written and added to, or wholly overwritten."""

from symgen.match.decompositions.places import chosen, places_of_vector
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
def assigned(op, x, indices: Values) -> Values:
    """The indices of an assignment, one for each axis, such that they broadcast to the shape of what is assigned to.

    A slice takes an axis of that shape, an int none. Tensors and masks share theirs, which come where the tensors are
    if those are neighbours, else in front. An assignment without slices and ints keeps the model's own list.
    """
    kinds = op.index_kinds(indices)
    if "slice" not in kinds and "int" not in kinds:
        return indices
    parts, are, further = [], [], 0
    for place, kind in enumerate(kinds):
        if further:
            # The exporter adds a range for each axis of a mask but the first.
            further -= 1
        elif kind == "tensor":
            is_viewed = "slice" in kinds[place:] or "int" in kinds[place:]
            index = op.as_indexed(indices, place) if is_viewed else indices[place]
            if is_mask(op, index):
                if op.rank(index) > 1 and kinds.count("tensor") > 1:
                    # The exporter takes the mask for an index of one axis, and those behind it for ones of the next.
                    op.fail("a mask of several axes beside other indices can't be assigned to with slices", index)
                rows = op.NonZero(index)
                parts.extend([op.Gather(rows, op.constant(k), axis=0) for k in range(op.rank(index))])
                further = op.rank(index) - 1
                are.extend([kind] * further)
            else:
                parts.append(index)
            are.append(kind)
        elif kind == "all":
            end = op.Squeeze(op.size(x, len(parts)), [0])
            parts.append(op.Range(op.constant(0), end, op.constant(1)))
            are.append("slice")
        else:
            parts.append(op.Reshape(indices[place], [] if kind == "int" else [-1]))
            are.append(kind)
    slices = [axis for axis, kind in enumerate(are) if kind == "slice"]
    tensors = [axis for axis, kind in enumerate(are) if kind == "tensor"]
    shared = max([op.rank(parts[axis]) for axis in tensors]) if tensors else 0
    are_apart = any(tensors[0] < axis < tensors[-1] for axis in slices) if tensors else False
    placed = []
    for axis, part in enumerate(parts):
        behind = len([other for other in slices if other > axis])
        if are[axis] == "tensor":
            behind = len([other for other in slices if are_apart or other > tensors[-1]])
        elif are[axis] == "int":
            behind = 0
        elif tensors and not are_apart and axis < tensors[0]:
            behind += shared
        rank = op.rank(part)
        placed.append(op.Unsqueeze(part, list(range(rank, rank + behind))) if behind else part)
    return placed


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
        if is_mask(op, given[0]) and op.dtype(self) is torch.bfloat16:
            # Compress has no form for it.
            return op.Gather(self, op.Squeeze(op.NonZero(given[0]), [0]), axis=axes[0])
        if is_mask(op, given[0]):
            return op.Compress(self, op.cast(given[0], "bool"), axis=axes[0])
        return op.Gather(self, places_of_vector(op, given[0]), axis=axes[0])
    rank = op.rank(self)
    places = places_of(op, indices)
    found = op.GatherND(permuted(op, self, front_order(op, axes, rank)), places)
    broadcast = op.rank(places) - 1
    return permuted(op, found, result_order(op, axes, broadcast, broadcast + rank - len(axes)))


@decomposition("aten::index_put", "aten::_unsafe_index_put")
def index_put(op, self, indices, values, accumulate):
    """The tensor with the elements at the places that the indices name replaced, or added to."""
    return with_put(op, self, assigned(op, self, indices), values, accumulate)


@decomposition("aten::_index_put_impl", ignore={"unsafe": "it only leaves out a check"})
def _index_put_impl(op, self, indices, values, accumulate):
    """The tensor with the elements at the places that the indices name replaced, or added to."""
    return with_put(op, self, assigned(op, self, indices), values, accumulate)


@helper
def with_put(op, self, indices: Values, values, accumulate: bool):
    """The tensor with the elements at the places that the indices name replaced, or added to."""
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
    spare = op.rank(values) - len(back)
    fitting = op.Squeeze(values, list(range(spare))) if spare > 0 else values
    updates = op.Expand(op.cast(fitting, like=self), op.ints([lengths[axis] for axis in back]))
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
    behind = [axis - axes[0] for axis in range(axes[-1] + 1, op.rank(self))]
    is_meant = op.cast(op.Unsqueeze(mask, behind) if behind else mask, "bool")
    return chosen(op, is_meant, op.cast(value, like=self), self)


@decomposition("aten::copy", ignore={"non_blocking": "ONNX Runtime schedules copies itself"})
def copy(op, self, src):
    """The values of `src` in the shape and the dtype of `self`, as of `x[...] = v`"""
    return op.Expand(op.cast(src, like=self), op.Shape(self))


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
    return chosen(op, op.cast(mask, "bool"), found, op.constant(fill, like=found))


@decomposition("aten::_unsafe_masked_index_put_accumulate")
def _unsafe_masked_index_put_accumulate(op, self, mask, indices, values):
    """The tensor with values added at the places that the indices name, where the mask holds."""
    added = chosen(op, op.cast(mask, "bool"), values, op.constant(0, like=values))
    return with_put(op, self, within(op, self, indices), added, True)
