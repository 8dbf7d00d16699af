"""Autograd functions with a `symbolic` method: what `forward` takes and returns, and what `symbolic` does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from symgen.check.reading.flow import Body
from symgen.check.reading.imports import Imports

_BASE = "torch.autograd"


class Method(NamedTuple):
    """A method's parameters without the context or the graph; no number of outputs where it can't be told."""

    body: Body
    node: ast.FunctionDef
    parameters: tuple[str, ...]
    required: int
    takes_rest: bool
    outputs: tuple[tuple[ast.Return, int], ...]
    """The return statements whose number of results is plain."""
    complete: bool
    """Whether that is all of them."""


class AutogradClass(NamedTuple):
    """A class with both methods."""

    name: str
    forward: Method
    symbolic: Method


def autograd_classes(module: Body, imports: Imports) -> Iterator[AutogradClass]:
    """The subclasses of `torch.autograd.Function` that have a `forward` and a `symbolic`."""
    for body in module.functions:
        if isinstance(body.node, ast.ClassDef) and _is_function_class(body.node, imports):
            forward, symbolic = (_only_method(body, name) for name in ("forward", "symbolic"))
            if forward and symbolic:
                # With setup_context, forward takes what apply was given and nothing else.
                skipped = 0 if "setup_context" in body.nested else 1
                yield AutogradClass(body.node.name, _method(forward, skipped), _method(symbolic, 1))


def _is_function_class(node: ast.ClassDef, imports: Imports) -> bool:
    meanings = [meaning for base in node.bases for meaning in imports.resolve(base)]
    return any(meaning.startswith(_BASE) and meaning.endswith(".Function") for meaning in meanings)


def _only_method(body: Body, name: str) -> Body | None:
    found = body.nested.get(name, [])
    return found[0] if len(found) == 1 and isinstance(found[0].node, ast.FunctionDef) else None


def _method(body: Body, skipped: int) -> Method:
    node = body.node
    assert isinstance(node, ast.FunctionDef)
    positional = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)][skipped:]
    counted = [(found, _result_count(found.value)) for found in body.returns]
    outputs = tuple((found, count) for found, count in counted if count is not None)
    return Method(
        body=body,
        node=node,
        parameters=tuple(positional),
        required=max(0, len(positional) - len(node.args.defaults)),
        takes_rest=node.args.vararg is not None,
        outputs=outputs,
        complete=len(outputs) == len(counted) > 0,
    )


def _result_count(value: ast.expr | None) -> int | None:
    """How many results an expression is, where its form tells: a tuple, `g.op(...)`, or arithmetic."""
    match value:
        case ast.Tuple(elts=items):
            plain = not any(isinstance(item, ast.Starred) or _is_none(item) for item in items)
            return len(items) if plain else None
        case ast.Call(func=ast.Attribute(value=inner, attr="setType")):
            return _result_count(inner)
        case ast.Call(func=ast.Attribute(attr="op"), keywords=keywords):
            return _op_outputs(keywords)
        case ast.BinOp() | ast.UnaryOp() | ast.Compare():
            return 1
    return None


def _op_outputs(keywords: list[ast.keyword]) -> int | None:
    for keyword in keywords:
        if keyword.arg in ("outputs", None):
            given = keyword.value.value if keyword.arg and isinstance(keyword.value, ast.Constant) else None
            return given if isinstance(given, int) else None
    return 1


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
