"""Chooses the samples that stand for all: few, and everything that any sample shows is shown by one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symgen.model.sample import FLOATS, SampleSpec, TensorSpec
from symgen.verify.arguments import is_edge
from symgen.verify.domains.rows import LARGE, SMALL

Feature = tuple[object, ...]

_ENOUGH_FROM_SIGNATURE = 12
_COUNTS = {
    "effect": 1.5,
    "effect on numbers": 1.5,
    "each edge meets each": 2.0,
    "edge beside special values": 2.0,
    "none beside small values": 2.0,
    "numbers of dtypes": 0.5,
    "numbers of edges": 0.5,
    "recipe in place": 0.5,
    "layout": 0.5,
}
"""What shows more than one thing: cases for which formulas have a branch; and less, where another shows most of it."""
_DRAWN_COUNTS = 0.6
"""A drawn sample shows many things at once, which is hard to read; a plain one comes first where it shows as much."""


def choose_samples(samples: Sequence[SampleSpec], most: int) -> tuple[SampleSpec, ...]:
    """Up to so many samples, in their order; each chosen one shows something that the ones before don't."""
    left = {place: set(features(sample)) for place, sample in enumerate(samples) if not _is_spare(sample, samples)}
    chosen: list[int] = []
    seen: set[Feature] = set()
    for overload in dict.fromkeys(sample.overload for sample in samples):
        first = next(place for place in left if samples[place].overload == overload)
        chosen.append(first)
        seen |= left.pop(first)
    while left and len(chosen) < most:
        worth = {place: _worth(samples[place], shown - seen) for place, shown in left.items()}
        best = max(worth, key=lambda place: (worth[place], -place))
        if worth[best] == 0:
            break
        chosen.append(best)
        seen |= left.pop(best)
    return tuple(samples[place] for place in sorted(chosen))


def _is_spare(sample: SampleSpec, samples: Sequence[SampleSpec]) -> bool:
    """Whether it comes from OpInfo although the signature gave enough; its values would have to be written out."""
    if sample.source != "OpInfo":
        return False
    own = sum(other.overload == sample.overload and other.source != "OpInfo" for other in samples)
    return own >= _ENOUGH_FROM_SIGNATURE


def _worth(sample: SampleSpec, new: set[Feature]) -> float:
    worth = sum(_COUNTS.get(str(feature[1]), 1.0) for feature in new)
    return worth * (1.0 if sample.source == "signature" else _DRAWN_COUNTS)


def features(sample: SampleSpec) -> Iterator[Feature]:
    """What a sample shows of its overload: shapes, dtypes, values, layouts, arguments."""
    own = sample.overload
    yield from ((own, *feature) for feature in _of_tensors(sample))
    yield from ((own, *feature) for feature in _of_arguments(sample))


def _of_tensors(sample: SampleSpec) -> Iterator[Feature]:
    tensors = sample.tensors
    dtypes = tuple(tensor.dtype for tensor in tensors)
    has_edges = [tensor.recipe.kind == "edges" for tensor in tensors]
    yield "ranks", tuple(tuple(min(size, 2) for size in tensor.shape) for tensor in tensors)
    yield "dtypes", dtypes
    if any(has_edges):
        yield "edges", dtypes
    if "numbers" in sample.holds:
        ranks = tuple((len(tensor.shape), 0 in tensor.shape) for tensor in tensors)
        yield "numbers of ranks", ranks
        # Ties and edges may happen to be 1, by which a product is a quotient.
        if all(tensor.recipe.kind == "uniform" for tensor in tensors):
            yield "plain numbers of ranks", ranks
        yield "numbers of dtypes", dtypes
        if any(has_edges):
            yield "numbers of edges", dtypes
    if all(has_edges) and len(tensors) > 1 and all(1 in tensor.shape for tensor in tensors):
        yield "each edge meets each", dtypes
    if len(set(dtypes)) > 1 and all(tensor.recipe == LARGE for tensor in tensors):
        yield "large numbers of dtypes", dtypes
    for place, tensor in enumerate(tensors):
        recipe = (tensor.recipe.kind, tensor.recipe.low, tensor.recipe.high)
        yield "recipe", recipe
        yield "recipe in place", place, recipe
        yield "layout", place, tensor.layout


def _of_arguments(sample: SampleSpec) -> Iterator[Feature]:
    named = (*enumerate(sample.positional), *sample.keywords)
    yield "given", tuple(name for name, _ in named)
    rank = next((len(tensor.shape) for tensor in sample.tensors), 0)
    kind = _kind_of_numbers(sample)
    for name, value in named:
        if isinstance(value, TensorSpec):
            continue
        said = _without_tensors(value)
        yield "argument", name, said
        if name not in sample.idle:
            yield "effect", name, said
            if isinstance(value, bool | int | str):
                yield "effect at rank", name, said, min(rank, 2)
            if isinstance(value, bool | str):
                yield "effect on numbers", name, said, kind
        if "special" in sample.holds:
            yield "argument with special values", name
            if is_edge(value):
                yield "edge beside special values", name, said
        if is_edge(value) and value == 0 and any(tensor.recipe == SMALL for tensor in sample.tensors):
            yield "none beside small values", name
    for name, value in sample.keywords:
        if isinstance(value, TensorSpec) and name not in sample.idle:
            yield "optional tensor with effect", name, len(value.shape)


def _kind_of_numbers(sample: SampleSpec) -> str:
    """Whether an operator computes in its tensors' own precision, in a higher one, or with whole numbers."""
    dtypes = FLOATS.intersection(sample.dtypes)
    return "whole" if not dtypes else "half" if dtypes & {"float16", "bfloat16"} else "full"


def _without_tensors(value: object) -> object:
    """A list of tensors says how many there are."""
    if isinstance(value, tuple) and any(isinstance(element, TensorSpec) for element in value):
        return len(value)
    return str(value)
