"""The values that can be told from a module's text without running it."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

MAX_ITEMS = 4096
"""Longer ranges are not written out."""


class Unknown(enum.Enum):
    """The type of `UNKNOWN`."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN
"""Stands for a value that only running the module would show."""
UnknownType: TypeAlias = Literal[Unknown.UNKNOWN]
Names: TypeAlias = Mapping[str, object]


def evaluate(node: ast.expr | None, names: Names) -> object:
    """The value of an expression over constants, `names` and a few pure builtins; `UNKNOWN` for everything else."""
    match node:
        case ast.Constant(value=constant):
            return constant
        case ast.Name(id=name):
            return names.get(name, UNKNOWN)
        case ast.Tuple(elts=items):
            return _tuple(items, names)
        case ast.List(elts=items):
            found = _tuple(items, names)
            return found if found is UNKNOWN else list(found)
        case ast.Dict(keys=keys, values=values):
            return _dict(keys, values, names)
        case ast.JoinedStr(values=parts):
            return _joined(parts, names)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = evaluate(operand, names)
            return -value if isinstance(value, (int, float)) else UNKNOWN
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(evaluate(left, names), op, evaluate(right, names))
        case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]) if function not in names:
            return _builtin(function, [evaluate(argument, names) for argument in arguments])
        case ast.Call(func=ast.Attribute(value=owner, attr=method), args=[], keywords=[]):
            return _view(evaluate(owner, names), method)
    return UNKNOWN


def arms_of(node: ast.If) -> Iterator[list[ast.stmt]]:
    """The bodies of a condition's arms, the last `else` too; there may be more `elif` than functions may nest."""
    while True:
        yield node.body
        if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
            yield node.orelse
            return
        node = node.orelse[0]


def items_of(value: object) -> list[object] | UnknownType:
    """What a loop over a value visits; `UNKNOWN` where the value is, or is nothing to loop over."""
    return list(value) if isinstance(value, (tuple, list, dict, range)) else UNKNOWN


def _tuple(items: list[ast.expr], names: Names) -> tuple[object, ...] | UnknownType:
    found = tuple(evaluate(item, names) for item in items)
    return UNKNOWN if any(value is UNKNOWN for value in found) else found


def _dict(keys: list[ast.expr | None], values: list[ast.expr], names: Names) -> object:
    """A mapping whose keys are known; its values may be unknown (functions, for example)."""
    found = [evaluate(key, names) if key else UNKNOWN for key in keys]
    if not all(isinstance(key, (str, int)) for key in found):
        return UNKNOWN
    return {key: evaluate(value, names) for key, value in zip(found, values, strict=True)}


def _joined(parts: list[ast.expr], names: Names) -> object:
    texts = []
    for part in parts:
        if isinstance(part, ast.FormattedValue):
            plain = part.conversion == -1 and part.format_spec is None
            part = part.value if plain else ast.Name("", ast.Load())
        value = evaluate(part, names)
        if not isinstance(value, (str, int)):
            return UNKNOWN
        texts.append(str(value))
    return "".join(texts)


def _binary(left: object, op: ast.operator, right: object) -> object:
    if isinstance(left, int) and isinstance(right, int):
        match op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
    if not isinstance(op, ast.Add):
        return UNKNOWN
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    if isinstance(left, list) and isinstance(right, list):
        return left + right
    return left + right if isinstance(left, tuple) and isinstance(right, tuple) else UNKNOWN


def _builtin(function: str, arguments: list[object]) -> object:
    bounds = [argument for argument in arguments if isinstance(argument, int)]
    if function == "range" and len(bounds) == len(arguments) and len(bounds) in (1, 2):
        made = range(*bounds)
        return made if len(made) <= MAX_ITEMS else UNKNOWN
    items = items_of(arguments[0]) if len(arguments) == 1 else UNKNOWN
    if items is UNKNOWN:
        return UNKNOWN
    if function == "sorted":
        return sorted(items) if all(isinstance(item, str) for item in items) else UNKNOWN  # type: ignore[type-var]
    makers = {"list": list, "tuple": tuple}
    return makers[function](items) if function in makers else UNKNOWN


def _view(owner: object, method: str) -> object:
    if isinstance(owner, dict) and method in {"items", "keys", "values"}:
        return list(getattr(owner, method)())
    return UNKNOWN
