"""Names for a schema's arguments: the stub's, position by position, because the stub is what people read."""

from __future__ import annotations

import keyword
from collections.abc import Sequence

from symgen.introspect.annotations import parse_alternatives
from symgen.model.location import Location
from symgen.model.schema import Argument, AtenSchema, StubParameter, StubSignature
from symgen.model.types import is_tensor

_POSITIONAL = frozenset({"positional_only", "positional_or_keyword"})


def stub_names(schema: AtenSchema, stubs: Sequence[StubSignature]) -> tuple[str, ...]:
    """The names of the schema's arguments, `out=` apart, as the stub has them that declares this overload.

    A function wins over a method, and of several the one that agrees in most names, and of those the first. A stub with
    other arguments (a dead overload, or a Python function that takes more) names nothing but the receiver, `input`.
    """
    arguments = [argument for argument in schema.arguments if argument not in schema.out_arguments]
    own = tuple(_identifier(argument.name) for argument in arguments)
    functions = [stub for stub in stubs if not stub.is_method]
    methods = [stub for stub in stubs if stub.is_method]
    for group in (functions, methods):
        if fitting := [names for stub in group if (names := _applied(arguments, own, stub))]:
            return max(fitting, key=lambda names: sum(map(str.__eq__, own, names)))
    if own[:1] == ("self",) and any(stub.parameters and stub.parameters[0].name == "input" for stub in functions):
        return ("input", *own[1:])
    return own


def _applied(arguments: Sequence[Argument], own: tuple[str, ...], stub: StubSignature) -> tuple[str, ...]:
    """The arguments' names as this stub has them; empty where it declares something else."""
    parameters = [parameter for parameter in stub.parameters if parameter.name != "out"]
    positional = [parameter for parameter in parameters if parameter.kind in _POSITIONAL]
    declared = {parameter.name for parameter in parameters}
    for shown in (parameters, positional):
        names, rest = tuple(parameter.name for parameter in shown), own[len(shown) :]
        pairs = zip(shown, arguments, strict=False)
        if (
            _fits(own[: len(shown)], names)
            and (declared - {*names}).issuperset(rest)
            and all(_takes(parameter, argument, stub.location) for parameter, argument in pairs)
        ):
            return (*names, *rest)
    return ()


def _fits(own: Sequence[str], names: Sequence[str]) -> bool:
    """Whether these are the same parameters: as many, and each shared name in the same place."""
    if len(own) != len(names):
        return False
    return all(a == b or (a not in names and b not in own) for a, b in zip(own, names, strict=True))


def _takes(parameter: StubParameter, argument: Argument, location: Location) -> bool:
    """Whether a tensor is expected exactly where the schema has one: `pow(self: Number, exponent: Tensor)`."""
    if not parameter.annotation:
        return True
    kinds = parse_alternatives(parameter.annotation, location)
    return any(is_tensor(kind) == is_tensor(argument.type) for kind in kinds)


def _identifier(name: str) -> str:
    """`from_` for `from`, as the stubs write it."""
    return f"{name}_" if keyword.iskeyword(name) else name
