"""Finds calls that the `forward` of an autograd.Function takes, although its parameters mostly say no types."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from symgen.model.autograd import ForwardParameter, FunctionClass, ParameterKind
from symgen.model.location import Location
from symgen.model.names import OpName
from symgen.model.sample import SampleSpec, TensorSpec, Value
from symgen.model.schema import Argument, AtenSchema
from symgen.model.types import BaseType, ListType, OptionalType, Type
from symgen.verify.calls import Call, real_values
from symgen.verify.choose import choose_samples
from symgen.verify.domains.rows import Domain
from symgen.verify.generate import generate_samples

_TENSOR, _LIST = BaseType("Tensor"), ListType(BaseType("int"))
_TYPES: Mapping[str, tuple[Type, ...]] = {
    "f": (BaseType("float"), ListType(BaseType("float"))),
    "i": (BaseType("int"), BaseType("bool"), _LIST),
    "s": (BaseType("str"),),
}
_ANY: tuple[Type, ...] = (BaseType("Scalar"), BaseType("int"), BaseType("bool"), _LIST, BaseType("str"))
_SPECIAL = frozenset({"edges", "holes"})
_MOST_READINGS = 120
_MOST_READINGS_TAKEN = 3
_TRIES_PER_READING = 400
_CALLS_PER_READING = 6


@dataclass(frozen=True)
class EagerCall:
    """A call and what it gave."""

    sample: SampleSpec
    call: Call
    results: tuple[torch.Tensor, ...]


def find_calls(owner: FunctionClass, function: Any) -> tuple[EagerCall, ...]:
    """Calls that eager torch takes, for up to three readings of what the parameters are; the plainest first."""
    found: list[EagerCall] = []
    taken = 0
    for reading in itertools.islice(_readings(owner), _MOST_READINGS):
        calls = _Finder(owner, function, reading).calls()
        found += calls
        taken += bool(calls)
        if taken == _MOST_READINGS_TAKEN:
            break
    return tuple(found)


def eager_call(function: Any, sample: SampleSpec, turn: int = 0) -> EagerCall | None:
    """Makes a call; None where torch or the class refuses it, or gives anything but tensors."""
    call = Call(function.apply, real_values(sample.positional, turn), {}, writes=False)
    try:
        results = tuple(call.eager())
    except Exception:
        return None
    return EagerCall(sample, call, results) if results else None


def is_plain(sample: SampleSpec) -> bool:
    """Whether the tensors are floats without special values, which torch's own symbolic functions are made for."""
    return all(t.dtype in ("float32", "float64") and t.recipe.kind not in _SPECIAL for t in sample.tensors)


def _is_taken_for_number(tensor: TensorSpec) -> bool:
    """Whether the exporter takes a tensor for a Python number, and makes float32 of it, whatever the function does."""
    return not tensor.shape and tensor.dtype == "float64"


def like_parameter(owner: FunctionClass, calls: Sequence[EagerCall]) -> str:
    """The only parameter that may be a tensor, where the one result has its shape and dtype in every call."""
    tensors = [(p.name, place) for place, p in enumerate(owner.parameters) if p.kind is not ParameterKind.OPTION]
    if len(tensors) != 1 or not calls or owner.parameters[tensors[0][1]].is_variadic:
        return ""
    name, place = tensors[0]
    for call in calls:
        given, (first, *more) = call.call.positional[place], call.results
        if more or not isinstance(given, torch.Tensor) or (given.shape, given.dtype) != (first.shape, first.dtype):
            return ""
    return name


@dataclass(frozen=True)
class _Finder:
    """Finds the calls for one reading of the parameters."""

    owner: FunctionClass
    function: Any
    reading: tuple[Type, ...]

    def calls(self) -> list[EagerCall]:
        """A few calls that show everything that the samples show."""
        made: dict[SampleSpec, EagerCall] = {}
        tries = itertools.count()

        def accepts(sample: SampleSpec) -> bool:
            positional = self._positional(sample)
            if positional is None or (next(tries) >= _TRIES_PER_READING and not made):
                return False
            if any(map(_is_taken_for_number, sample.tensors)):
                return False
            call = eager_call(self.function, positional)
            if call is not None:
                made[sample] = call
            return call is not None

        # A node's type tells a free axis from a fixed one by lengths of more than 1, as torch's exporters do.
        samples = generate_samples(self._schema, Domain(least=2), accepts)
        chosen: dict[SampleSpec, None] = {}
        for group in (samples, tuple(filter(is_plain, samples))):
            chosen |= dict.fromkeys(choose_samples(group, _CALLS_PER_READING) if group else ())
        return [made[sample] for sample in chosen]

    @property
    def _schema(self) -> AtenSchema:
        """The reading in the form of a schema, for the generator of samples."""
        arguments = tuple(
            Argument(parameter.name, kind, _default_text(parameter))
            for parameter, kind in zip(self.owner.parameters, self.reading, strict=True)
        )
        return AtenSchema(OpName("user", "forward"), arguments, (), Location(""))

    def _positional(self, sample: SampleSpec) -> SampleSpec | None:
        """The call with all arguments by position, as `apply` wants them; None where a default can't be told."""
        given = dict(zip((p.name for p in self.owner.parameters), sample.positional, strict=False))
        given |= dict(sample.keywords)
        last = max((place for place, p in enumerate(self.owner.parameters) if p.name in given), default=-1)
        values: list[Value] = []
        for parameter in self.owner.parameters[: last + 1]:
            if parameter.is_variadic:
                values += _listed(given.get(parameter.name))
            elif parameter.name in given:
                values.append(given[parameter.name])
            elif parameter.default_value is not ...:
                values.append(parameter.default_value)
            else:
                return None
        return replace(sample, positional=tuple(values), keywords=())


def _readings(owner: FunctionClass) -> Iterator[tuple[Type, ...]]:
    """What the parameters may be, the likeliest first: tensors as long as nothing speaks against it."""
    options = [_types(parameter) for parameter in owner.parameters]
    choices = itertools.product(*(range(len(types)) for types in options))
    for choice in sorted(itertools.islice(choices, 20_000), key=lambda places: (sum(places), places)):
        yield tuple(types[place] for types, place in zip(options, choice, strict=True))


def _types(parameter: ForwardParameter) -> tuple[Type, ...]:
    if parameter.is_variadic:
        return (ListType(_TENSOR),)
    if parameter.kind is ParameterKind.TENSOR:
        found: tuple[Type, ...] = (_TENSOR,)
    elif parameter.kind is ParameterKind.OPTION:
        found = _TYPES.get(parameter.attribute, _ANY)
    else:
        found = (_TENSOR, *_ANY)
    return tuple(OptionalType(kind) if parameter.is_optional else kind for kind in found)


def _default_text(parameter: ForwardParameter) -> str | None:
    """The default as a schema would have it; any text will do where it is no literal."""
    return parameter.default if parameter.default is None or not parameter.is_optional else "None"


def _listed(value: Value) -> list[Value]:
    return list(value) if isinstance(value, tuple) else []
