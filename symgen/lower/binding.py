"""Binds the arguments of a torch call, as Python writes it, to the positions of an operator's schema."""

from __future__ import annotations

import ast
import enum
from collections.abc import Mapping, Sequence

from symgen.model.schema import Argument, AtenSchema
from symgen.model.types import ListType, OptionalType, Type, is_tensor, is_tensor_list, strip_optional

_NAMED_DEFAULTS = {"Mean": 1, "Sum": 2}
_TEXTS = frozenset({"str"})


class Kind(enum.Enum):
    """What an expression is at export."""

    VALUE = "a graph value"
    STATIC = "a Python value"
    EITHER = "a parameter of which the text tells nothing"


Expression = tuple[ast.expr, Kind]


def bind_call(
    overloads: Sequence[AtenSchema], arguments: Sequence[Expression], keywords: Mapping[str, Expression]
) -> list[ast.expr] | None:
    """The arguments by position, defaults filled in, for the first overload that takes them; None where none does.

    A Python number in the place of a tensor is taken only where nothing else fits.
    """
    for are_numbers_tensors in (False, True):
        for schema in overloads:
            bound = _bind(schema, arguments, keywords, are_numbers_tensors)
            if bound is not None:
                return bound
    return None


def _bind(
    schema: AtenSchema, arguments: Sequence[Expression], keywords: Mapping[str, Expression], are_numbers_tensors: bool
) -> list[ast.expr] | None:
    left = _packed(schema, list(arguments))
    given = {"self" if name == "input" else name: value for name, value in keywords.items()}
    bound: list[ast.expr] = []
    for argument in schema.arguments:
        if left and not argument.keyword_only:
            value: Expression | None = left.pop(0)
        else:
            value = given.pop(argument.name, None) or _default(argument)
        if value is None or argument.is_written or not _fits(value, argument.type, are_numbers_tensors):
            return None
        bound.append(_as_list(value[0], argument.type))
    return None if left or given else bound


def _packed(schema: AtenSchema, arguments: list[Expression]) -> list[Expression]:
    """`x.view(2, 3)` as `x.view([2, 3])`, where the last place takes a list of numbers."""
    positional = [argument for argument in schema.arguments if not argument.keyword_only]
    last = len(positional) - 1
    takes_list = last >= 0 and isinstance(strip_optional(positional[last].type), ListType)
    rest = arguments[last:] if takes_list else []
    if len(rest) < 2 or any(kind is Kind.VALUE or isinstance(node, ast.List) for node, kind in rest):
        return arguments
    return [*arguments[:last], (ast.List([node for node, _ in rest], ast.Load()), Kind.STATIC)]


def _default(argument: Argument) -> Expression | None:
    """The default as an expression; None where the argument is required."""
    if argument.default is None:
        return None
    value = argument.default_value
    if value is ...:
        value = _NAMED_DEFAULTS.get(argument.default)
    items = list(value) if isinstance(value, tuple) else value
    return ast.parse(repr(items), mode="eval").body, Kind.STATIC


def _fits(value: Expression, kind: Type, are_numbers_tensors: bool) -> bool:
    node, known = value
    if isinstance(node, ast.Constant) and node.value is None:
        return isinstance(kind, OptionalType) or str(kind) == "MemoryFormat"
    if known is Kind.EITHER:
        return True
    if is_tensor_list(kind):
        return known is Kind.VALUE and isinstance(node, ast.List)
    is_list, is_text = isinstance(node, ast.List), isinstance(node, ast.Constant) and isinstance(node.value, str)
    if is_tensor(kind):
        is_number = known is Kind.STATIC and not is_list and not is_text
        return (known is Kind.VALUE and not is_list) or (are_numbers_tensors and is_number)
    if known is Kind.VALUE:
        return False
    bare = strip_optional(kind)
    if isinstance(bare, ListType):
        return is_list or (bare.size is not None and not is_text)
    return not is_list and is_text == (str(bare) in _TEXTS)


def _as_list(node: ast.expr, kind: Type) -> ast.expr:
    """One number for a list of them, as `dim=1` for `int[1]? dim`; a name is asked when the model is exported."""
    bare = strip_optional(kind)
    if not isinstance(bare, ListType) or is_tensor_list(kind) or isinstance(node, ast.List) or _is_none(node):
        return node
    listed = ast.List([node], ast.Load())
    if not isinstance(node, ast.Name):
        return listed
    test = f"{node.id} is None or isinstance({node.id}, (list, tuple))"
    return ast.IfExp(ast.parse(test, mode="eval").body, node, listed)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
