"""What a sample tells once its tensors are real.

An argument that is ignored shows only where it makes a difference, and a wrong number only where there are numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch

from symgen.model.names import OpName
from symgen.model.sample import SampleSpec
from symgen.model.schema import AtenSchema
from symgen.verify.arguments import default_value
from symgen.verify.calls import make_call


def looked_at(sample: SampleSpec, name: OpName, schemas: Sequence[AtenSchema]) -> SampleSpec:
    """The sample with the arguments named that change nothing in what eager torch gives, and with what it holds."""
    schema = next(schema for schema in schemas if schema.name.overload == sample.overload)
    call = make_call(name, schemas, sample)
    expected = call.eager()
    idle = tuple(where for where, other in _at_defaults(sample, schema) if _gives(expected, other, name, schemas))
    found = {"numbers": map(_has_numbers, expected), "special": map(_has_special_values, call.tensors)}
    return replace(sample, idle=idle, holds=tuple(what for what, where in found.items() if any(where)))


def _has_numbers(result: torch.Tensor) -> bool:
    return bool((result.isfinite() & (result != 0)).any())


def _has_special_values(given: torch.Tensor) -> bool:
    return not bool(given.isfinite().all())


def _at_defaults(sample: SampleSpec, schema: AtenSchema) -> Iterator[tuple[int | str, SampleSpec]]:
    """The sample with one argument at its default instead, for each that has one."""
    for place, argument in enumerate(schema.arguments[: len(sample.positional)]):
        if argument.default is not None:
            positional = (*sample.positional[:place], default_value(argument), *sample.positional[place + 1 :])
            yield place, replace(sample, positional=positional)
    for keyword in sample.keywords:
        yield keyword[0], replace(sample, keywords=tuple(other for other in sample.keywords if other != keyword))


def _gives(expected: Sequence[torch.Tensor], sample: SampleSpec, name: OpName, schemas: Sequence[AtenSchema]) -> bool:
    try:
        got = make_call(name, schemas, sample).eager()
    except Exception:  # it needs the argument: that is an effect
        return False
    return len(expected) == len(got) and all(map(_are_equal, expected, got))


def _are_equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    if (one.shape, one.dtype) != (other.shape, other.dtype):
        return False
    return bool(torch.isclose(one, other, rtol=0, atol=0, equal_nan=True).all())
