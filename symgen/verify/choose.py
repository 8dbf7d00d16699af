"""Chooses the samples that stand for all: few, and everything that any sample shows is shown by one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symgen.model.sample import SampleSpec, TensorSpec

Feature = tuple[object, ...]

_ENOUGH_FROM_SIGNATURE = 12
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
    return len(new) * (1.0 if sample.source == "signature" else _DRAWN_COUNTS)


def features(sample: SampleSpec) -> Iterator[Feature]:
    """What a sample shows of its overload: shapes, dtypes, values, layouts, arguments."""
    own = sample.overload
    tensors = sample.tensors
    yield own, "ranks", tuple(tuple(min(size, 2) for size in tensor.shape) for tensor in tensors)
    yield own, "dtypes", tuple(tensor.dtype for tensor in tensors)
    yield own, "layouts", tuple(tensor.layout for tensor in tensors)
    kinds = tuple((tensor.recipe.kind, tensor.recipe.low, tensor.recipe.high) for tensor in tensors)
    yield own, "recipes", kinds
    if any(kind == "edges" for kind, _, _ in kinds):
        yield own, "edges", tuple(tensor.dtype for tensor in tensors)
    is_special = any(kind in {"edges", "holes"} for kind, _, _ in kinds)
    named = (*enumerate(sample.positional), *sample.keywords)
    for name, value in named:
        if not isinstance(value, TensorSpec):
            yield own, "argument", name, _without_tensors(value)
            if name not in sample.idle:
                yield own, "effect", name, _without_tensors(value)
            if is_special:
                yield own, "argument with special values", name
    yield own, "given", tuple(name for name, _ in named)
    for name, value in sample.keywords:
        if isinstance(value, TensorSpec) and name not in sample.idle:
            yield own, "optional tensor with effect", name, len(value.shape)


def _without_tensors(value: object) -> object:
    """A list of tensors says how many there are."""
    if isinstance(value, tuple) and any(isinstance(element, TensorSpec) for element in value):
        return len(value)
    return str(value)
