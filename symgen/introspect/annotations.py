"""Reads the annotations of stubs into the closed tree of schema types; what is unknown is an error, never a guess."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from symgen.errors import ParseError
from symgen.model.location import Location
from symgen.model.types import BaseType, ListType, OptionalType, Type

_INT, _SYMINT, _FLOAT, _BOOL = BaseType("int"), BaseType("SymInt"), BaseType("float"), BaseType("bool")
_SCALAR, _TENSOR, _COMPLEX, _STR = BaseType("Scalar"), BaseType("Tensor"), BaseType("complex"), BaseType("str")
_ANY = BaseType("Any")
_NAMES: dict[str, Type] = {
    "Any": _ANY,
    "list": ListType(_ANY),
    "Tensor": _TENSOR,
    "int": _INT,
    "_int": _INT,
    "SymInt": _SYMINT,
    "float": _FLOAT,
    "_float": _FLOAT,
    "SymFloat": _FLOAT,
    "bool": _BOOL,
    "_bool": _BOOL,
    "str": _STR,
    "complex": _COMPLEX,
    "_complex": _COMPLEX,
    "Number": _SCALAR,
    "Scalar": _SCALAR,
    "IntLikeType": _SYMINT,
    "_dtype": BaseType("ScalarType"),
    "dtype": BaseType("ScalarType"),
    "_layout": BaseType("Layout"),
    "layout": BaseType("Layout"),
    "_device": BaseType("Device"),
    "device": BaseType("Device"),
    "DeviceLikeType": BaseType("Device"),
    "memory_format": BaseType("MemoryFormat"),
    "_qscheme": BaseType("QScheme"),
    "Generator": BaseType("Generator"),
    "Storage": BaseType("Storage"),
    "TypedStorage": BaseType("Storage"),
    "UntypedStorage": BaseType("Storage"),
    "Stream": BaseType("Stream"),
    "Size": ListType(_INT),
    "_size": ListType(_INT),
    "_symsize": ListType(_SYMINT),
    "_size_any_t": ListType(_INT, 1),
    "_size_1_t": ListType(_INT, 1),
    "_size_2_t": ListType(_INT, 2),
    "_size_3_t": ListType(_INT, 3),
    "_size_2_opt_t": ListType(OptionalType(_INT), 2),
    "_size_3_opt_t": ListType(OptionalType(_INT), 3),
    "_ratio_any_t": ListType(_FLOAT, 1),
}
_SEQUENCES = frozenset({"list", "List", "Sequence", "tuple", "Tuple", "Iterable"})
_LITERALS: dict[type, Type] = {bool: _BOOL, int: _INT, str: _STR, float: _FLOAT}
_ELEMENTS = (_INT, _SYMINT, _FLOAT)
_COVERED: dict[Type, set[Type]] = {
    _SCALAR: {_COMPLEX, _INT, _FLOAT, _BOOL, _SYMINT},
    _SYMINT: {_INT},
    **{ListType(element, 1): {element, ListType(element)} for element in _ELEMENTS},
}
"""The types whose values another type takes too: `T[1]` takes a `T` and a list of them."""
_NONE = BaseType("None")
"""Stands for `None` while a union is read; never part of a result."""


def parse_annotation(text: str, location: Location) -> Type:
    """Reads the annotation of a parameter as one schema type.

    `int | Sequence[int]` is `int[1]`, `Number | complex` is `Scalar`, `int | SymInt` is `SymInt`.

    Raises:
        ParseError: where the annotation names a type outside the closed tree, or is a union of types that no one
            schema type stands for (`Tensor | Number`).
    """
    alternatives = parse_alternatives(text, location)
    if _ANY in alternatives or ListType(_ANY) in alternatives:
        raise ParseError(f"the annotation {text!r} does not say the type", location=location)
    if len(alternatives) != 1:
        listed = " or ".join(map(str, alternatives))
        raise ParseError(f"the annotation {text!r} means {listed or 'nothing'}, not one type", location=location)
    return alternatives[0]


def parse_alternatives(text: str, location: Location) -> tuple[Type, ...]:
    """Reads an annotation as the schema types that it allows, each in its own overload: `Tensor | Number` allows two.

    Raises:
        ParseError: where the annotation names a type outside the closed tree.
    """
    members = _members(_expression(text, location), text, location)
    optional = _NONE in members
    merged = _merge(member for member in members if member != _NONE)
    return tuple(OptionalType(kind) if optional else kind for kind in merged)


def parse_returns(text: str, location: Location) -> tuple[Type, ...]:
    """Reads the annotation of a result: one type for each result; none for `None`.

    Raises:
        ParseError: where there is no annotation, or it names a type outside the closed tree.
    """
    if not text:
        raise ParseError("the result has no annotation", location=location)
    match _expression(text, location):
        case ast.Constant(value=None):
            return ()
        case ast.Subscript(value=head, slice=ast.Tuple(elts=elements)) if _last_name(head) in {
            "tuple",
            "Tuple",
        } and not _is_ellipsis(elements[-1]):
            return tuple(parse_annotation(ast.unparse(element), location) for element in elements)
        case _:
            return (parse_annotation(text, location),)


def _expression(text: str, location: Location) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ParseError(f"the annotation {text!r} is no expression", location=location) from error


def _members(node: ast.expr, text: str, location: Location) -> list[Type]:
    """The types of a union, or the one type of anything else."""
    match node:
        case ast.Constant(value=None):
            return [_NONE]
        case ast.Constant(value=str(quoted)):
            return _members(_expression(quoted, location), text, location)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return [*_members(left, text, location), *_members(right, text, location)]
        case ast.Subscript(value=head, slice=inner):
            return _subscript(_last_name(head), _elements(inner), text, location)
        case ast.Name() | ast.Attribute() if (kind := _NAMES.get(_last_name(node))) is not None:
            return [kind]
    raise ParseError(f"unknown type {ast.unparse(node)!r} in the annotation {text!r}", location=location)


def _subscript(head: str, elements: list[ast.expr], text: str, location: Location) -> list[Type]:
    if head == "Optional":
        return [*_members(elements[0], text, location), _NONE]
    if head == "Union":
        return [member for element in elements for member in _members(element, text, location)]
    if head == "Literal" and all(isinstance(element, ast.Constant) for element in elements):
        kinds = {_LITERALS.get(type(element.value)) for element in elements if isinstance(element, ast.Constant)}
        if len(kinds) == 1 and (kind := kinds.pop()) is not None:
            return [kind]
    if head in _SEQUENCES:
        return [_sequence(elements, text, location)]
    raise ParseError(f"unknown type {head!r} in the annotation {text!r}", location=location)


def _sequence(elements: list[ast.expr], text: str, location: Location) -> Type:
    """`list[T]`, `tuple[T, ...]` and `tuple[T, T]`; the last has a fixed length."""
    items = [element for element in elements if not _is_ellipsis(element)]
    kinds = {kind for item in items for kind in parse_alternatives(ast.unparse(item), location)}
    if len(kinds) != 1:
        raise ParseError(f"a list of different types in the annotation {text!r}", location=location)
    return ListType(kinds.pop(), len(items) if len(items) > 1 else None)


def _merge(kinds: Iterable[Type]) -> list[Type]:
    """The alternatives without those that another one covers."""
    found = dict.fromkeys(kinds)
    if found.keys() == {_INT, _FLOAT, _BOOL}:
        found = {_SCALAR: None}
    for element in _ELEMENTS:
        if element in found and ListType(element) in found:
            found[ListType(element, 1)] = None
    covered = {inner for kind in found for inner in _COVERED.get(kind, ())}
    return [kind for kind in found if kind not in covered]


def _elements(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _last_name(node: ast.expr) -> str:
    """`Tensor` for `Tensor`, `torch.Tensor` and `torch._C.Tensor`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
