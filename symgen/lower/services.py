"""The builder's services: what the plan language has beside the ONNX operators, as TorchScript exporter code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from symgen.lower.values import Kind, Value
from symgen.model.plan import PlanError

if TYPE_CHECKING:
    from symgen.lower.expressions import Expressions

Service = Callable[["Expressions", ast.Call], Value]
_G = ast.Name("g", ast.Load())


def _rank(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_rank", e.graph(node.args[0]).node, kind=Kind.STATIC)


def _dtype(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_dtype", e.graph(node.args[0]).node, kind=Kind.STATIC)


def _cast(e: Expressions, node: ast.Call) -> Value:
    value = e.graph(node.args[0])
    keywords = {k.arg: k.value for k in node.keywords}
    target = node.args[1] if len(node.args) > 1 else keywords.get("dtype")
    if "like" in keywords:
        twin = e.graph(keywords["like"])
        return e.runtime("_cast_like", _G, value.node, twin.node, element=twin.element, like=twin.like)
    if isinstance(target, ast.Constant):
        element = {"float32": "float", "float64": "double"}.get(target.value, target.value)
        return e.runtime("_cast", _G, value.node, _torch(target.value), element=element)
    if target is None:
        raise PlanError(f"{e.context.op}: cast says no dtype")
    return e.runtime("_cast", _G, value.node, e.lower(target).node)


def _constant(e: Expressions, node: ast.Call) -> Value:
    value = e.lower(node.args[0])
    keywords = {k.arg: k.value for k in node.keywords}
    if "like" in keywords:
        twin = e.graph(keywords["like"])
        return Value(e.as_input(value, twin, frozenset()), Kind.GRAPH, twin.element, twin.like)
    target = node.args[1] if len(node.args) > 1 else keywords.get("dtype")
    if isinstance(target, ast.Constant):
        element = {"float32": "float", "float64": "double"}.get(target.value, target.value)
        dtype = _torch(target.value)
    elif target is not None:
        element, dtype = "", e.lower(target).node
    else:
        return Value(int64_constant(value.node), Kind.GRAPH, "int64")
    tensor = ast.Call(_torch("tensor"), [value.node], [ast.keyword("dtype", dtype)])
    return Value(ast.Call(ast.Attribute(_G, "op", ast.Load()), [ast.Constant("Constant")], [ast.keyword("value_t", tensor)]), Kind.GRAPH, element)


def _size(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_size", _G, e.graph(node.args[0]).node, e.lower(node.args[1]).node, element="int64")


def _static_size(e: Expressions, node: ast.Call) -> Value:
    call = ast.Attribute(ast.Name("symbolic_helper", ast.Load()), "_get_tensor_dim_size", ast.Load())
    return Value(ast.Call(call, [e.graph(node.args[0]).node, e.lower(node.args[1]).node], []))


def _numel(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_numel", _G, e.graph(node.args[0]).node, element="int64")


def _ints(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_ints", _G, e.lower(node.args[0]).node, element="int64")


def _items(e: Expressions, node: ast.Call) -> Value:
    call = ast.Attribute(ast.Name("symbolic_helper", ast.Load()), "_unpack_list", ast.Load())
    return Value(ast.Call(call, [e.lower(node.args[0]).node], []), Kind.LIST)


def _list(e: Expressions, node: ast.Call) -> Value:
    values = e.graph(node.args[0])
    arguments = [ast.Constant("prim::ListConstruct"), ast.Starred(values.node, ast.Load())]
    return Value(ast.Call(ast.Attribute(_G, "op", ast.Load()), arguments, []), Kind.GRAPH)


def _number(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_number", e.graph(node.args[0]).node, kind=Kind.STATIC)


def _loop(e: Expressions, node: ast.Call) -> Value:
    state = [e.graph(argument) for argument in node.args[2:]]
    count = e.as_input(e.lower(node.args[0]), None, frozenset({"tensor(int64)"}))
    return e.runtime("_loop", _G, count, node.args[1], *(value.node for value in state))


def _cond(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_cond", _G, e.graph(node.args[0]).node, node.args[1], node.args[2])


SERVICES: Mapping[str, Service] = {
    "rank": _rank,
    "dtype": _dtype,
    "cast": _cast,
    "constant": _constant,
    "size": _size,
    "static_size": _static_size,
    "numel": _numel,
    "ints": _ints,
    "items": _items,
    "list": _list,
    "number": _number,
    "loop": _loop,
    "cond": _cond,
}
"""`op.fail` is a statement and handled with the statements."""


def int64_constant(value: ast.expr) -> ast.expr:
    """A constant of integers; the dtype is written only where torch could take another."""
    is_plain = isinstance(value, ast.Constant) or (
        isinstance(value, ast.List | ast.Tuple) and bool(value.elts) and all(_is_int_literal(element) for element in value.elts)
    )
    keywords = [] if is_plain else [ast.keyword("dtype", _torch("int64"))]
    tensor = ast.Call(_torch("tensor"), [value], keywords)
    return ast.Call(ast.Attribute(_G, "op", ast.Load()), [ast.Constant("Constant")], [ast.keyword("value_t", tensor)])


def _is_int_literal(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=int()) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())):
            return True
        case _:
            return False


def _torch(name: str) -> ast.expr:
    return ast.Attribute(ast.Name("torch", ast.Load()), name, ast.Load())
