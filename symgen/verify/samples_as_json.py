"""Samples as JSON, for what is kept between runs: nothing that is read from it can run code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgen.model.sample import DType, Length, Recipe, SampleSpec, TensorSpec, Value


def sample_to_json(sample: SampleSpec) -> list[Any]:
    """The sample as JSON holds it."""
    keywords = [[name, _value_to_json(value)] for name, value in sample.keywords]
    positional = [_value_to_json(value) for value in sample.positional]
    return [sample.overload, positional, keywords, sample.source, list(sample.idle), list(sample.holds)]


def sample_from_json(row: Sequence[Any]) -> SampleSpec:
    """The sample that `sample_to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError: where it is something else.
    """
    overload, positional, keywords, source, idle, holds = row
    return SampleSpec(
        overload,
        tuple(map(_value_from_json, positional)),
        tuple((name, _value_from_json(value)) for name, value in keywords),
        source,
        tuple(idle),
        tuple(holds),
    )


def _value_to_json(value: Value) -> Any:
    if isinstance(value, TensorSpec):
        recipe = [value.recipe.kind, value.recipe.low, value.recipe.high, value.recipe.data]
        return {"shape": value.shape, "dtype": value.dtype, "recipe": recipe, "layout": value.layout}
    if isinstance(value, DType):
        return {"dtype": value.name}
    if isinstance(value, Length):
        return {"length": value.number}
    return list(map(_value_to_json, value)) if isinstance(value, tuple) else value


def _value_from_json(value: Any) -> Value:
    if isinstance(value, list):
        return tuple(map(_value_from_json, value))
    if isinstance(value, dict) and "length" in value:
        return Length(value["length"])
    if isinstance(value, dict):
        if "shape" not in value:
            return DType(value["dtype"])
        return TensorSpec(tuple(value["shape"]), value["dtype"], Recipe(*value["recipe"]), value["layout"])
    plain: Value = value
    return plain
