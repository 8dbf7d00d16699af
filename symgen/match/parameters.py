"""Merges the overloads that one symbolic function serves into one list of parameters.

The exporter looks functions up by the name without the overload and passes every argument by position, the
keyword-only ones behind the others, so that one function serves all overloads at once.
"""

from __future__ import annotations

import itertools
import keyword
from collections.abc import Sequence

from symgen.model.plan import Parameter
from symgen.model.schema import Argument, AtenSchema
from symgen.model.types import OptionalType, Type, is_tensor


def merge_parameters(overloads: Sequence[AtenSchema], stub_names: Sequence[str] = ()) -> tuple[Parameter, ...] | None:
    """The parameters by position over all overloads, or None where the overloads disagree on what a position means.

    A parameter that some overload lacks is optional, with None as default. Names come from the first overload that has
    the position; `stub_names` are the names in the `.pyi`, by position.
    """
    columns = list(itertools.zip_longest(*(schema.arguments for schema in overloads)))
    if not all(_is_aligned(column) for column in columns):
        return None
    merged = []
    for position, column in enumerate(columns):
        present = [argument for argument in column if argument is not None]
        name = f"{present[0].name}_" if keyword.iskeyword(present[0].name) else present[0].name
        is_missing_somewhere = len(present) < len(column)
        merged.append(
            Parameter(
                name=name,
                stub_name=stub_names[position] if position < len(stub_names) else name,
                types=_unique(argument.type for argument in present),
                default=_default(present, is_missing_somewhere),
                keyword_only=all(argument.keyword_only for argument in present),
            )
        )
    return _with_trailing_defaults(merged)


def _is_aligned(column: Sequence[Argument | None]) -> bool:
    present = [argument for argument in column if argument is not None]
    names = {argument.name for argument in present}
    return len(names) == 1 or all(_is_operand(argument.type) for argument in present)


def _is_operand(kind: Type) -> bool:
    """Whether a value of this type is a tensor or a number that stands for one, whatever its name."""
    return is_tensor(kind) or str(kind) in {"Scalar", "float"}


def _default(present: Sequence[Argument], is_missing_somewhere: bool) -> str | None:
    defaults = [argument.default for argument in present]
    if is_missing_somewhere:
        return defaults[0] if defaults[0] not in (None, "None") and len(set(defaults)) == 1 else "None"
    if None in defaults:
        return None
    return defaults[0]


def _with_trailing_defaults(parameters: list[Parameter]) -> tuple[Parameter, ...]:
    """Python wants every parameter behind one with a default to have one too."""
    seen = False
    complete = []
    for parameter in parameters:
        if parameter.default is not None:
            seen = True
        elif seen:
            parameter = Parameter(parameter.name, parameter.stub_name, parameter.types, "None", parameter.keyword_only)
        complete.append(parameter)
    return tuple(complete)


def _unique(types: object) -> tuple[Type, ...]:
    found: dict[Type, None] = dict.fromkeys(types)  # type: ignore[call-overload]
    return tuple(found)


def is_optional(parameter: Parameter) -> bool:
    """Whether the parameter may be absent when the function is called."""
    return parameter.default == "None" or any(isinstance(kind, OptionalType) for kind in parameter.types)
