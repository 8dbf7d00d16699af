"""Turns the `def` of a user's `.pyi` into the schema of a custom operator."""

from __future__ import annotations

import ast
from dataclasses import replace

from symgen.errors import ParseError
from symgen.introspect.annotations import parse_annotation, parse_returns
from symgen.model.location import Location
from symgen.model.names import OpName
from symgen.model.schema import Argument, AtenSchema, Return, StubParameter, StubSignature
from symgen.model.types import ListType, OptionalType, Type, strip_optional

_CONSTANTS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "SymInt": (int,),
    "float": (int, float),
    "bool": (bool,),
    "str": (str,),
    "Scalar": (int, float, bool, complex),
    "complex": (int, float, complex),
}
"""The constants that a default of each type may be."""


def schema_of_stub(stub: StubSignature, name: OpName) -> AtenSchema:
    """The schema that a user's stub declares for the operator `name`.

    Raises:
        ParseError: naming file and line, where an annotation is absent or unknown, where a default cannot be written
            in a schema, or where the stub takes `*args` or `**kwargs`.
    """
    if stub.is_method:
        raise ParseError(f"{stub.name} is a method; a custom operator is a function", location=stub.location)
    returns = parse_returns(stub.returns, stub.location)
    return AtenSchema(
        name=name,
        arguments=tuple(_argument(parameter, stub.location) for parameter in stub.parameters),
        returns=tuple(Return(kind) for kind in returns),
        location=stub.location,
        returns_in_parentheses=len(returns) != 1,
        namespace_written=True,
    )


def schemas_of_stubs(stubs: tuple[StubSignature, ...], name: OpName) -> tuple[AtenSchema, ...]:
    """The schemas of several stubs of one name: the first is the default overload, the others are numbered."""
    names = [name if index == 0 else replace(name, overload=f"overload{index}") for index in range(len(stubs))]
    return tuple(schema_of_stub(stub, overload) for stub, overload in zip(stubs, names, strict=True))


def _argument(parameter: StubParameter, location: Location) -> Argument:
    if parameter.kind in {"var_positional", "var_keyword"}:
        raise ParseError(f"an operator takes no {parameter}", location=location)
    if not parameter.annotation:
        raise ParseError(f"the parameter {parameter.name} has no annotation", location=location)
    kind = parse_annotation(parameter.annotation, location)
    default = None if parameter.default is None else _default(parameter, kind, location)
    return Argument(parameter.name, kind, default, keyword_only=parameter.kind == "keyword_only")


def _default(parameter: StubParameter, kind: Type, location: Location) -> str:
    """The default as a schema writes it: `[1,2]` for `(1, 2)`, everything else as Python does."""
    try:
        value = ast.literal_eval(parameter.default or "")
    except ValueError:
        value = ...
    if _fits(value, kind):
        return f"[{','.join(map(repr, value))}]" if isinstance(value, (tuple, list)) else repr(value)
    raise ParseError(
        f"the default {parameter.default} of {parameter.name} is no constant of type {kind}", location=location
    )


def _fits(value: object, kind: Type) -> bool:
    """Whether a constant is a value of the type."""
    bare = strip_optional(kind)
    if value is None:
        return isinstance(kind, OptionalType)
    if not isinstance(bare, ListType):
        return type(value) in _CONSTANTS.get(str(bare), ())
    if isinstance(value, (tuple, list)):
        return all(_fits(item, bare.element) for item in value)
    return bare.size is not None and _fits(value, bare.element)
