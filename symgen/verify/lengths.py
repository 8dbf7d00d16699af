"""Calls whose numbers are lengths of further inputs, made of calls that eager torch takes with the numbers themselves.

Models write `x.view(x.shape[0], -1)`: no export knows such a number, so that a translation takes it from the graph, or
says which argument it has to know. One that has built it in shows where the model runs with another length.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

from symgen.model.result import SampleResult, Verdict
from symgen.model.sample import Length, SampleSpec, Value
from symgen.model.schema import Argument, AtenSchema
from symgen.model.types import ListType, strip_optional
from symgen.verify.plan import group_samples, twin

SHORTEST = 2
"""Torch.export takes an axis of 0 or 1 for a fixed one."""
_GROUPS_OF_ARGUMENT, _GROUPS_OF_ALL, _SAMPLES_OF_GROUP = 2, 1, 4
_NUMBERS = frozenset({"SymInt", "Scalar"})
_NUMBERS_OF_SCRIPTS = _NUMBERS | {"int"}
"""Torch.export makes a constant of any other number; a script hands on what it has."""
_REFUSES = frozenset({Verdict.REFUSED, Verdict.EXPORT_ERROR})
NO_TRANSLATIONS = ("torch.export", "the exporter fails")
"""How refusals begin that are no translation's."""


def calls_with_lengths(
    schema: AtenSchema,
    samples: Sequence[SampleSpec],
    accepts: Callable[[SampleSpec], bool],
    *,
    is_scripted: bool = False,
) -> tuple[SampleSpec, ...]:
    """A few calls for each argument that a length may be given to, and for all of them at once.

    Those of a group differ in nothing but the lengths, so that one export serves them.
    """
    if schema.gives_a_number or schema.name.namespace == "quantized":
        return ()
    numbers = _NUMBERS_OF_SCRIPTS if is_scripted else _NUMBERS
    places = [place for place, argument in enumerate(schema.arguments) if _element(argument) in numbers]
    own = [sample for sample in samples if sample.overload == schema.name.overload]
    # What special values do shows in the calls without lengths.
    own = [sample for sample in own if not _is_special(sample)] or own
    found: dict[SampleSpec, None] = {}
    for chosen in [[place] for place in places] + ([places] if len(places) > 1 else []):
        names = {schema.arguments[place].name for place in chosen}
        measured = [other for sample in own if (other := _measured(sample, chosen, names)) is not None]
        if len(chosen) > 1:
            measured = [sample for sample in measured if len(names_of_lengths(sample, schema)) > 1]
        most = _GROUPS_OF_ALL if len(chosen) > 1 else _GROUPS_OF_ARGUMENT
        for group in group_samples(measured)[:most]:
            taken = filter(accepts, (*group, *_other_lengths(group[0])))
            found.update(dict.fromkeys(itertools.islice(taken, _SAMPLES_OF_GROUP)))
    return tuple(found)


def names_of_lengths(sample: SampleSpec, schema: AtenSchema) -> tuple[str, ...]:
    """The arguments that are given lengths."""
    given = sample.named(argument.name for argument in schema.arguments)
    return tuple(name for name, value in given if _holds_length(value))


def is_refused_length(sample: SampleSpec, result: SampleResult, is_torchs: bool) -> bool:
    """Whether a call says no more than that its lengths have to be known; torch's own functions stumble over them."""
    refuses = result.verdict is Verdict.REFUSED or (is_torchs and result.verdict in _REFUSES)
    return sample.has_lengths and refuses


def refused_lengths(
    refused: Sequence[tuple[SampleSpec, SampleResult]], schemas: Sequence[AtenSchema]
) -> tuple[str, ...]:
    """The arguments at which translations refuse lengths, of `is_refused_length`; several where only they together do.

    Of other numbers nobody expects that they can be lengths, and what torch.export or a pass of the exporter refuses
    says nothing of a translation.
    """
    told = {s.name.overload: {a.name for a in s.arguments if _element(a) in _NUMBERS} for s in schemas}
    named: dict[tuple[str, ...], None] = {}
    for sample, result in refused:
        if not result.detail.startswith(NO_TRANSLATIONS):
            schema = next(schema for schema in schemas if schema.name.overload == sample.overload)
            named[tuple(name for name in names_of_lengths(sample, schema) if name in told[schema.name.overload])] = None
    alone = {name for names in named if len(names) == 1 for name in names}
    together = {" and ".join(names) for names in named if names and not alone & set(names)}
    return tuple(sorted(alone | together))


def _element(argument: Argument) -> str:
    """The type of an argument, or of the elements of a list."""
    kind = strip_optional(argument.type)
    return str(kind.element if isinstance(kind, ListType) else kind)


def _is_special(sample: SampleSpec) -> bool:
    """Whether it is no plain call: of other dtypes, values or layouts."""
    return any(
        (tensor.dtype, tensor.layout, tensor.recipe.kind) != ("float32", "contiguous", "uniform") or 0 in tensor.shape
        for tensor in sample.tensors
    )


def _measured(sample: SampleSpec, places: Sequence[int], names: set[str]) -> SampleSpec | None:
    """The call with lengths for the numbers of some arguments; None where none of these is one."""
    positional = tuple(
        _as_lengths(value) if place in places else value for place, value in enumerate(sample.positional)
    )
    keywords = tuple((name, _as_lengths(value) if name in names else value) for name, value in sample.keywords)
    measured = SampleSpec(sample.overload, positional, keywords, sample.source)
    return measured if measured.has_lengths else None


def _as_lengths(value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(map(_as_lengths, value))
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    return Length(value) if value >= SHORTEST else value


def _holds_length(value: Value) -> bool:
    return isinstance(value, Length) or (isinstance(value, tuple) and any(map(_holds_length, value)))


def _longer(by: int) -> Callable[[Length], Length]:
    return lambda length: Length(length.number + by)


def _other_lengths(sample: SampleSpec) -> Iterator[SampleSpec]:
    """The call with other lengths, and in another size."""
    larger = twin(sample)
    for base in (sample, *([larger] if larger else [])):
        yield from map(base.with_lengths, map(_longer, (1, 2, 3)))
        yield base
