"""Where values belong in a sorted sequence, which are in a set, which repeat their predecessor."""

import math

from symgen.match.decompositions.gathering import elements_where
from symgen.match.decompositions.places import part_of, places_along
from symgen.match.decompositions.shape import shaped_like
from symgen.match.language import decomposition, helper, torch


@helper
def places_in(op, sequence, values, right: bool, dtype: torch.dtype):
    """The first place in a sorted last axis whose element is not smaller, or with `right` larger, than each value."""
    rank, last = op.rank(values), op.rank(sequence) - 1
    common = op.common_dtype(sequence, values)
    if common != torch.float64:
        common = torch.float32 if common.is_floating_point else torch.int64
    sought = op.Unsqueeze(op.cast(values, common), [rank])
    elements = op.cast(sequence, common)
    beside = op.Unsqueeze(elements, [rank - 1]) if last > 0 else elements
    is_reached = beside > sought if right else beside >= sought
    # As many elements stand before the place as are not reached; nan, which reaches none, comes last.
    return op.cast(op.ReduceSum(op.cast(op.Not(is_reached), "int64"), [rank], keepdims=0), dtype)


@decomposition("aten::searchsorted")
def searchsorted(op, sorted_sequence, self, out_int32, right, side, sorter):
    """Where each value belongs in the sorted last axis, before or with `right` behind the equal ones."""
    sequence = sorted_sequence
    if sorter is not None:
        sequence = op.GatherElements(sequence, sorter, axis=op.rank(sequence) - 1)
    dtype = torch.int32 if out_int32 else torch.int64
    return places_in(op, sequence, self, right or side == "right", dtype)


@decomposition("aten::bucketize")
def bucketize(op, self, boundaries, out_int32, right):
    """Between which of the sorted boundaries each value lies."""
    return places_in(op, boundaries, self, right, torch.int32 if out_int32 else torch.int64)


@decomposition(
    "aten::isin",
    promote=("elements", "test_elements"),
    kind="COMMON",
    ignore={"assume_unique": "it only allows a faster way"},
)
def isin(op, elements, test_elements, invert):
    """Whether each element is among the others."""
    others = op.Reshape(test_elements, [-1])
    rank = op.rank(elements)
    is_same = op.Equal(op.Unsqueeze(elements, [rank]), others)
    count = op.ReduceSum(op.cast(is_same, "int32"), [rank], keepdims=0)
    return op.Equal(count, 0) if invert else count > 0


@decomposition("aten::_convert_indices_from_coo_to_csr")
def _convert_indices_from_coo_to_csr(op, self, size, out_int32):
    """For each row, and behind the last one, how many of the sorted row numbers are smaller"""
    is_before = op.Unsqueeze(op.cast(self, "int64"), [0]) < op.constant([[row] for row in range(size + 1)])
    dtype = torch.int32 if out_int32 else torch.int64
    return op.ReduceSum(op.cast(is_before, dtype), [1], keepdims=0)


@decomposition("aten::_convert_indices_from_csr_to_coo")
def _convert_indices_from_csr_to_coo(op, crow_indices, col_indices, out_int32, transpose):
    """The row and the column of each element, from where the rows start."""
    columns = op.cast(col_indices, "int64")
    ends = op.Unsqueeze(part_of(op, op.cast(crow_indices, "int64"), 0, 1, None), [0])
    is_over = op.Not(ends > op.Unsqueeze(places_along(op, columns, 0), [1]))
    rows = op.ReduceSum(op.cast(is_over, "int64"), [1], keepdims=0)
    first, second = (columns, rows) if transpose else (rows, columns)
    pairs = op.Concat(op.Unsqueeze(first, [0]), op.Unsqueeze(second, [0]), axis=0)
    return op.cast(pairs, torch.int32 if out_int32 else torch.int64)


@helper
def sortable(op, x):
    """The tensor in a dtype in which ONNX Runtime finds the different elements."""
    if op.dtype(x) in (torch.float16, torch.bfloat16):
        return op.cast(x, "float32")
    return op.cast(x, "int64") if op.dtype(x) in (torch.bool, torch.uint8, torch.int16, torch.int32) else x


@helper
def different_elements(op, vector):
    """(The different elements in order, to which of them each belongs, how often each occurs).

    Each nan is one of its own, behind all numbers; ONNX Runtime loses elements beside one. So numbers become the pairs
    (0, x), and the k-th nan (k, 0), with k counted from 1.
    """
    x = sortable(op, vector)
    if not op.dtype(x).is_floating_point:
        unique, _, inverse, counts = op.Unique(x, sorted=1)
        return op.cast(unique, like=vector), inverse, counts
    is_nan = op.IsNaN(x)
    nth = op.cast(op.CumSum(op.cast(is_nan, "int64"), op.constant(0)), like=x)
    zero = op.constant(0.0, like=x)
    pairs = [op.Where(is_nan, nth, zero), op.Where(is_nan, zero, x)]
    unique, _, inverse, counts = op.Unique(
        op.Concat(*[op.Unsqueeze(part, [1]) for part in pairs], axis=1), axis=0, sorted=1
    )
    order, numbers = op.Squeeze(part_of(op, unique, 1, 0, 1), [1]), op.Squeeze(part_of(op, unique, 1, 1, 2), [1])
    return op.cast(op.Where(order > 0.0, op.constant(math.nan, like=x), numbers), like=vector), inverse, counts


@decomposition("aten::_unique2", ignore={"sorted": "elements in order are right also where any order is"})
def _unique2(op, self, return_inverse, return_counts):
    """The different elements in order; to which of them each belongs; how often each occurs."""
    unique, inverse, counts = different_elements(op, op.Reshape(self, [-1]))
    nothing = op.constant([], "int64")
    inverse = shaped_like(op, inverse, self) if return_inverse else nothing
    return unique, inverse, counts if return_counts else nothing


@decomposition("aten::_unique", ignore={"sorted": "elements in order are right also where any order is"})
def _unique(op, self, return_inverse):
    """The different elements in order, and to which of them each belongs."""
    unique, inverse, _ = different_elements(op, op.Reshape(self, [-1]))
    return unique, shaped_like(op, inverse, self) if return_inverse else op.constant([], "int64")


@decomposition(
    "aten::unique_dim",
    ignore={
        "sorted": "slices in order are right also where any order is",
        "return_inverse": "all three results are always there",
        "return_counts": "all three results are always there",
    },
)
def unique_dim(op, self, dim):
    """The different slices along an axis in order; to which of them each belongs; how often each occurs."""
    unique, _, inverse, counts = op.Unique(sortable(op, self), axis=dim % op.rank(self), sorted=1)
    return op.cast(unique, like=self), inverse, counts


@decomposition("aten::unique_consecutive")
def unique_consecutive(op, self, return_inverse, return_counts, dim):
    """The elements, or slices along an axis, that differ from their predecessor; to which each belongs; how often."""
    if op.is_captured and dim == -1:
        # Its shape is *shape[:dim], n, *shape[dim + 1 :], which is right for every other axis.
        op.fail("unique_consecutive: with dim=-1 torch.export takes all axes of self twice; count dim from the front")
    rank = op.rank(self)
    axis = 0 if dim is None else dim % rank
    x = op.Reshape(self, [-1]) if dim is None else self
    if dim is not None and (dim, rank) != (0, 1):
        # Along an axis torch always gives all three results.
        return_inverse, return_counts = True, True
    nothing = op.constant([], "int64")
    if op.static_numel(self) == 0:
        return x, op.cast(self, "int64") if return_inverse else nothing, nothing
    differs = op.Not(op.Equal(part_of(op, x, axis, 1, None), part_of(op, x, axis, 0, -1)))
    others = [k for k in range(op.rank(x)) if k != axis]
    if others:
        differs = op.ReduceSum(op.cast(differs, "int32"), others, keepdims=0) > 0
    # The first one has no predecessor; there may be no first one.
    is_first = op.Slice(op.Concat(op.constant([True], "bool"), differs, axis=0), [0], op.size(x, axis), [0])
    unique = elements_where(op, x, is_first, axis)
    inverse = op.CumSum(op.cast(is_first, "int64"), op.constant(0)) - 1 if return_inverse else nothing
    if return_inverse and dim is None:
        inverse = shaped_like(op, inverse, self)
    if not return_counts:
        return unique, inverse, nothing
    starts = op.Compress(places_along(op, x, axis), is_first, axis=0)
    ends = op.Concat(part_of(op, starts, 0, 1, None), op.size(x, axis), axis=0)
    return unique, inverse, ends - starts
