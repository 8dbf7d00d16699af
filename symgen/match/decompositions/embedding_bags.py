"""Rows of a table, reduced bag by bag."""

import math

from symgen.match.decompositions.differences import as_single
from symgen.match.decompositions.places import part_of, places_along
from symgen.match.decompositions.scattering import scattered
from symgen.match.language import decomposition, helper, torch


@helper
def bags_of(op, places, starts):
    """To which bag each place belongs: the last that starts there or before; −1 before the first."""
    has_started = op.Not(op.Unsqueeze(starts, [0]) > op.Unsqueeze(places, [1]))
    return op.ReduceSum(op.cast(has_started, "int64"), [1], keepdims=0) - 1


@helper
def into_bags(op, rows, bags, count, start, how: str):
    """The rows of each bag, combined with a number to start with; those of bag `count` are left out."""
    base = op.Expand(op.constant(start, like=rows), op.Concat(count + 1, op.size(rows, 1), axis=0))
    places = op.Expand(op.Unsqueeze(bags, [1]), op.Shape(rows))
    combined = scattered(op, base, 0, places, rows, how)
    return op.Slice(combined, [0], count, [0])


@helper
def largest_of_bags(op, rows, indices, bags, count):
    """(The largest rows of bags, in which rows of the table they are); 0 of an empty bag.

    As torch goes through a bag, a nan stays where it comes first, and is passed over behind another number.
    """
    length = op.size(rows, 0)
    places = op.Expand(op.Unsqueeze(places_along(op, rows, 0), [1]), op.Shape(rows))
    lowest = op.constant(-math.inf, like=rows)
    numbers = op.Where(op.IsNaN(rows), lowest, rows)
    largest = into_bags(op, numbers, bags, count, -math.inf, "max")
    last = op.Unsqueeze(length, [1])
    first = nearest_places(op, places, bags, count, length)
    is_empty = op.Equal(first, last)
    # A row behind the others is what an empty bag reads.
    behind = op.Expand(op.constant(0.0, like=rows), op.Concat(op.constant([1]), op.size(rows, 1), axis=0))
    leading = op.GatherElements(op.Concat(rows, behind, axis=0), first, axis=0)
    of_place = op.Gather(op.Concat(largest, behind, axis=0), bags, axis=0)
    attaining = op.Where(op.Equal(numbers, of_place), places, op.Expand(last, op.Shape(places)))
    best = nearest_places(op, attaining, bags, count, length)
    starts_with_nan = op.IsNaN(leading)
    chosen = op.Where(starts_with_nan, first, best)
    values = op.Where(starts_with_nan, leading, largest)
    table = op.Concat(indices, op.constant([0]), axis=0)
    zero = op.constant(0.0, like=rows)
    return op.Where(is_empty, zero, values), op.Gather(table, chosen, axis=0)


@helper
def nearest_places(op, places, bags, count, length):
    """The smallest of the places that each bag has, for every column; `length` of an empty bag."""
    base = op.Expand(op.Unsqueeze(length, [1]), op.Concat(count + 1, op.size(places, 1), axis=0))
    kept = op.Expand(op.Unsqueeze(bags, [1]), op.Shape(places))
    return op.Slice(scattered(op, base, 0, kept, places, "min"), [0], count, [0])


@helper
def unsaid(op, x, numbers):
    """The tensor, with a length that only the run tells: what traces see of it is not what the kernel gives."""
    return op.Slice(x, [0], op.size(x, 0) + op.ReduceSum(numbers * 0, keepdims=1), [0])


@decomposition(
    "aten::embedding_bag",
    promote=(),
    ignore={"scale_grad_by_freq": "it is of gradients", "sparse": "it is of gradients"},
)
def embedding_bag(op, weight, indices, offsets, mode, per_sample_weights, include_last_offset, padding_idx):
    """The sums, means or maxima of the rows of each bag; to which bag each index belongs; sizes; where maxima are"""
    dtype = op.common_dtype(indices, offsets)
    wanted, bounds = op.cast(indices, "int64"), op.cast(offsets, "int64")
    starts = part_of(op, bounds, 0, 0, -1) if include_last_offset else bounds
    count = op.size(starts, 0)
    places = places_along(op, wanted, 0)
    of_place = bags_of(op, places, starts)
    # A table without columns is given one, as the runtime scatters nothing.
    is_void = op.static_size(weight, 1) == 0
    lines = (
        op.Expand(op.constant(0.0, like=weight), op.Concat(op.size(weight, 0), op.constant([1]), axis=0))
        if is_void
        else weight
    )
    rows = as_single(op, op.Gather(lines, wanted, axis=0))
    if per_sample_weights is not None:
        rows = rows * op.Unsqueeze(op.cast(per_sample_weights, like=rows), [1])
    # What is before the first bag is counted to one behind the last, which is left out.
    bags = op.Where(of_place < 0, count, of_place)
    if padding_idx is not None:
        padding = op.constant([padding_idx]) if padding_idx >= 0 else op.size(weight, 0) + padding_idx
        bags = op.Where(op.Equal(wanted, padding), count, bags)
    ones = op.cast(op.Expand(op.constant([[1]]), op.Concat(op.size(wanted, 0), op.constant([1]), axis=0)), "int64")
    sizes = op.Squeeze(into_bags(op, ones, bags, count, 0, "add"), [1])
    if mode == 2:
        values, found = largest_of_bags(op, rows, wanted, bags, count)
        further = [of_place, sizes, part_of(op, found, 1, 0, 0) if is_void else found]
        total = values
    else:
        # Torch's fast kernel, for single and half precision without padding, ends the last bag where the offsets say.
        is_fast = padding_idx is None and op.dtype(weight) != torch.float64
        summed = bags
        if is_fast and include_last_offset:
            summed = op.Where(places < part_of(op, bounds, 0, -1, None), bags, count)
        total = into_bags(op, rows, summed, count, 0.0, "add")
        # Of a sum torch says no sizes, and the fast kernel no bags.
        # Traces see bags of bfloat16, so that only the run tells that there are none.
        none = op.Slice(of_place, [0], op.ReduceSum(bounds * 0, keepdims=1), [0])
        known = none if is_fast and mode == 0 else of_place
        further = [known] + [bounds * 0 if mode == 0 else sizes] * 2
    if mode == 1:
        total = total / op.Max(op.cast(op.Unsqueeze(sizes, [1]), like=total), 1.0)
    if is_void:
        total = part_of(op, total, 1, 0, 0)
    if include_last_offset:
        # Each in its own way: traces see two lengths, so that the exporter may not make one tensor of both.
        further = [further[0], unsaid(op, further[1], bounds), unsaid(op, further[2], wanted)]
    results = [op.cast(op.Identity(value), dtype) for value in further]
    return op.cast(total, like=weight), results[0], results[1], results[2]
