"""Quantiles: between which two sorted elements a share of all elements lies, and how far between them."""

import math

from symgen.match.decompositions.shape import permuted
from symgen.match.decompositions.sorting import extremes
from symgen.match.language import decomposition, helper


@helper
def between(op, low, high, weight):
    """low + weight · (high − low), from the nearer of both ends, so that the ends are met exactly"""
    distance = high - low
    return op.Where(weight < 0.5, low + weight * distance, high - distance * (1.0 - weight))


@helper
def at_positions(op, ordered, position, interpolation: str, per_row: bool):
    """The elements of the sorted last axis at positions that need not be whole, the same in all rows or not."""
    below, above = op.Floor(position), op.Ceil(position)
    if interpolation == "lower":
        return elements_at(op, ordered, below, per_row)
    if interpolation == "higher":
        return elements_at(op, ordered, above, per_row)
    if interpolation == "nearest":
        return elements_at(op, ordered, op.Round(position), per_row)
    low, high = elements_at(op, ordered, below, per_row), elements_at(op, ordered, above, per_row)
    if interpolation == "midpoint":
        return between(op, low, high, op.constant(0.5, like=position))
    return between(op, low, high, position - below)


@helper
def elements_at(op, ordered, position, per_row: bool):
    """The elements of the last axis at whole positions."""
    axis = op.rank(ordered) - 1
    places = op.cast(position, "int64")
    return op.GatherElements(ordered, places, axis=axis) if per_row else op.Gather(ordered, places, axis=axis)


@helper
def quantile_of(op, self, q, dim: int | None, keepdim: bool, interpolation: str, ignore_nan: bool):
    """The quantiles along an axis or of all elements; more than one stand along a new first axis."""
    rank = op.rank(self)
    if dim is None or rank == 0:
        axis, rows = 0, op.Reshape(self, [-1])
    else:
        axis = dim % rank
        rows = permuted(op, self, [*(k for k in range(rank) if k != axis), axis])
    last = op.rank(rows) - 1
    ordered, _ = extremes(op, rows, op.size(rows, last), last, False)
    shares = op.Reshape(op.cast(q, like=self), [-1])
    is_nan = op.IsNaN(rows)
    if ignore_nan:
        counts = op.ReduceSum(op.cast(op.Not(is_nan), like=self), [last], keepdims=1)
        found = at_positions(op, ordered, shares * op.Max(counts - 1.0, 0.0), interpolation, True)
    else:
        position = shares * (op.cast(op.size(rows, last), like=self) - 1.0)
        found = at_positions(op, ordered, position, interpolation, False)
        has_nan = op.ReduceMax(op.cast(is_nan, "int32"), [last], keepdims=1) > 0
        found = op.Where(has_nan, op.constant(math.nan, like=found), found)
    kept = [] if not keepdim or rank == 0 else list(range(rank)) if dim is None else [axis]
    return placed_quantiles(op, found, kept, op.rank(q) > 0)


@helper
def placed_quantiles(op, found, kept: list[int], several: bool):
    """What was found along the last axis: more than one along the first, reduced axes that are kept back in place."""
    last = op.rank(found) - 1
    if several:
        found = permuted(op, found, [last, *range(last)])
        kept = [axis + 1 for axis in kept]
    else:
        found = op.Squeeze(found, [last])
    return op.Unsqueeze(found, kept) if kept else found


@decomposition("aten::quantile")
def quantile(op, self, q, dim, keepdim, interpolation):
    """The element below which a share q of all elements lies, nan where there is one."""
    return quantile_of(op, self, q, dim, keepdim, interpolation, False)


@decomposition("aten::nanquantile")
def nanquantile(op, self, q, dim, keepdim, interpolation):
    """The element below which a share q of all elements lies that are not nan."""
    return quantile_of(op, self, q, dim, keepdim, interpolation, True)
