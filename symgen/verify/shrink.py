"""Makes a failing sample small: the fewest arguments, the smallest sizes, the plainest values that still fail alike."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from symgen.model.sample import DType, Recipe, SampleSpec, TensorSpec, Value

MOST_TRIES = 80
MOST_SECONDS = 12.0
"""Of computing: an export by the dynamo exporter takes one, and there are several kinds of failure of each operator."""

Fails = Callable[[SampleSpec], bool]


def shrink(sample: SampleSpec, fails: Fails) -> SampleSpec:
    """The smallest sample found that fails as the given one does: the first reduction that does, again and again."""
    tried, end = {sample}, time.process_time() + MOST_SECONDS
    smaller: SampleSpec | None = sample
    while smaller is not None:
        sample = smaller
        smaller = None
        for candidate in reductions(sample):
            if candidate not in tried and len(tried) <= MOST_TRIES and time.process_time() < end:
                tried.add(candidate)
                if fails(candidate):
                    smaller = candidate
                    break
    return sample


def reductions(sample: SampleSpec) -> Iterator[SampleSpec]:
    """Simpler samples, those that leave most away first; each is smaller, so that the search comes to an end."""
    for place in range(len(sample.keywords)):
        yield replace(sample, keywords=sample.keywords[:place] + sample.keywords[place + 1 :])
    if sample.positional:
        yield replace(sample, positional=sample.positional[:-1])
    yield from _smaller_shapes(sample)
    for place, tensor in enumerate(sample.tensors):
        for simpler in _simpler_tensors(tensor):
            yield sample.with_tensors((*sample.tensors[:place], simpler, *sample.tensors[place + 1 :]))
    for place, value in enumerate(sample.positional):
        for plainer in _plainer(value):
            yield replace(sample, positional=(*sample.positional[:place], plainer, *sample.positional[place + 1 :]))
    for place, (name, value) in enumerate(sample.keywords):
        for plainer in _plainer(value):
            keywords = (*sample.keywords[:place], (name, plainer), *sample.keywords[place + 1 :])
            yield replace(sample, keywords=keywords)


def _smaller_shapes(sample: SampleSpec) -> Iterator[SampleSpec]:
    """Without the first axis of the tensors of highest rank; with each size made smaller wherever it stands; 0-d."""
    shapes = [tensor.shape for tensor in sample.tensors]
    rank = max(map(len, shapes), default=0)
    if any(tensor.recipe.kind == "stored" for tensor in sample.tensors) or not rank:
        return
    yield _with_shapes(sample, [shape[1:] if len(shape) == rank else shape for shape in shapes])
    for size in sorted({size for shape in shapes for size in shape if size > 1}, reverse=True):
        for smaller in sorted({1, 2, size - 1}):
            if smaller < size:
                yield _with_shapes(sample, [tuple(smaller if s == size else s for s in shape) for shape in shapes])
    for place, shape in enumerate(shapes):
        if shape and len(shapes) > 1:
            yield _with_shapes(sample, [*shapes[:place], (), *shapes[place + 1 :]])


def _with_shapes(sample: SampleSpec, shapes: list[tuple[int, ...]]) -> SampleSpec:
    return sample.with_tensors(tuple(replace(t, shape=s) for t, s in zip(sample.tensors, shapes, strict=True)))


def _simpler_tensors(tensor: TensorSpec) -> Iterator[TensorSpec]:
    if tensor.layout != "contiguous":
        yield replace(tensor, layout="contiguous")
    if tensor.recipe.kind in {"edges", "ties", "holes", "distinct"}:
        yield replace(tensor, recipe=Recipe())


def _plainer(value: Value) -> Iterator[Value]:
    """Plainer values of the same type."""
    if isinstance(value, bool | str | DType | TensorSpec) or value is None:
        return
    if isinstance(value, tuple):
        if len(value) > 1 and not any(isinstance(element, TensorSpec) for element in value):
            yield value[:1]
        return
    plain = itertools.takewhile(lambda number: number != value, (0, 1, 2))
    yield from (type(value)(number) for number in plain)
    if isinstance(value, float) and math.isfinite(value) and value != value // 1:
        yield value // 1
