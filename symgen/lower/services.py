"""The builder's services: what the plan language has beside the ONNX operators, as the code of a target."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from symgen.lower.calls import ONNX_ELEMENT_OF
from symgen.lower.emitter import GRAPH as _G
from symgen.lower.emitter import torch_name
from symgen.lower.values import Kind, Value
from symgen.model.plan import PlanError

if TYPE_CHECKING:
    from symgen.lower.expressions import Expressions

Service = Callable[["Expressions", ast.Call], Value]


def _rank(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_rank", e.graph(node.args[0]).node, kind=Kind.STATIC)


def _is_complex(e: Expressions, node: ast.Call) -> Value:
    """Asks the model, where the argument still has its own type."""
    name = node.args[0]
    if not isinstance(name, ast.Name) or name.id not in e.context.names:
        raise PlanError(f"{e.context.op}: only of an argument can be asked whether it is complex")
    position = list(e.context.names).index(name.id)
    asked = e.context.emitter.is_complex(position, e.graph(name).node)
    return e.runtime("_is_complex", *asked, kind=Kind.STATIC)


def _carried(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_carried", _G, e.graph(node.args[0]).node)


def _dtype(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_dtype", e.graph(node.args[0]).node, kind=Kind.STATIC)


def _cast(e: Expressions, node: ast.Call) -> Value:
    value = e.graph(node.args[0])
    target = _dtype_wanted(e, node)
    if isinstance(target, Value):
        cast = e.runtime("_cast_like", _G, value.node, target.node, element=target.element, like=target.like)
        return replace(cast, origin=target.origin)
    if target is None:
        raise PlanError(f"{e.context.op}: cast says no dtype")
    return e.runtime("_cast", _G, value.node, target.node, element=target.element)


def _constant(e: Expressions, node: ast.Call) -> Value:
    value = e.lower(node.args[0])
    target = _dtype_wanted(e, node)
    if isinstance(target, Value):
        return Value(e.as_value(value, target, frozenset()), Kind.GRAPH, target.element, target.like, target.origin)
    if target is None:
        if isinstance(value.node, ast.Constant) and isinstance(value.node.value, float):
            raise PlanError(f"{e.context.op}: a constant that is no whole number says its dtype")
        return Value(e.constant(value.node), Kind.GRAPH, "int64")
    return Value(e.constant(value.node, target.node), Kind.GRAPH, target.element)


@dataclass(frozen=True)
class _Dtype:
    """A dtype as generated code has it, and the ONNX element type where it is written out."""

    node: ast.expr
    element: str = ""


def _dtype_wanted(e: Expressions, node: ast.Call) -> Value | _Dtype | None:
    """What a service's second argument, or its `dtype=` or `like=`, asks for: a tensor's dtype, a dtype, or nothing."""
    keywords = {k.arg: k.value for k in node.keywords}
    if "like" in keywords:
        return e.graph(keywords["like"])
    match node.args[1] if len(node.args) > 1 else keywords.get("dtype"):
        case None:
            return None
        case ast.Constant(value=str(name)):
            return _Dtype(torch_name(name), ONNX_ELEMENT_OF.get(name, name))
        case expression:
            return _Dtype(e.lower(expression).node)


def _size(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_size", _G, e.graph(node.args[0]).node, e.lower(node.args[1]).node, element="int64")


def _static_size(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_static_size", e.graph(node.args[0]).node, e.lower(node.args[1]).node, kind=Kind.STATIC)


def _static_numel(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_static_numel", e.graph(node.args[0]).node, kind=Kind.STATIC)


def _numel(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_numel", _G, e.graph(node.args[0]).node, element="int64")


def _ints(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_ints", _G, e.lower(node.args[0]).node, element="int64")


def _items(e: Expressions, node: ast.Call) -> Value:
    return Value(e.context.emitter.items(e.lower(node.args[0]).node), Kind.LIST)


def _is_list(e: Expressions, node: ast.Call) -> Value:
    return Value(e.context.emitter.is_list(e.lower(node.args[0]).node), Kind.STATIC)


def _list(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_list", _G, e.graph(node.args[0]).node)


def _number(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_number", e.graph(node.args[0]).node, kind=Kind.STATIC)


def _known(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_known", e.lower(node.args[0]).node, kind=Kind.STATIC)


def _told(e: Expressions, node: ast.Call) -> Value:
    value, name = (e.lower(argument).node for argument in node.args)
    return e.runtime("_told", value, name, kind=Kind.STATIC)


def _named_dtype(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_dtype_argument", e.runtime("_known", e.lower(node.args[0]).node).node, kind=Kind.STATIC)


def _common_dtype(e: Expressions, node: ast.Call) -> Value:
    values = ast.List([e.graph(argument).node for argument in node.args], ast.Load())
    return e.runtime("_common_dtype", values, ast.Constant("DEFAULT"), kind=Kind.STATIC)


def _index_kinds(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_index_kinds", _G, e.lower(node.args[0]).node, kind=Kind.STATIC)


def _as_indexed(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_as_indexed", _G, *(e.lower(argument).node for argument in node.args))


def _dequantized(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_dequantized", _G, e.graph(node.args[0]).node, element="float")


def _quantized(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_quantized", _G, *(e.graph(argument).node for argument in node.args))


def _requantized(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_requantized", _G, *(e.graph(argument).node for argument in node.args))


def _scale_of(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_scale_of", _G, e.graph(node.args[0]).node, element="float")


def _zero_point_of(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_zero_point_of", _G, e.graph(node.args[0]).node, element="float")


def _unpacked_count(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_unpacked_count", _G, kind=Kind.STATIC)


def _was_contiguous(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_was_contiguous", _G, kind=Kind.STATIC)


def _was_cast(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_was_cast", e.graph(node.args[0]).node, kind=Kind.STATIC)


def _loop(e: Expressions, node: ast.Call) -> Value:
    state = [e.graph(argument) for argument in node.args[2:]]
    count = e.as_value(e.lower(node.args[0]), None, frozenset({"tensor(int64)"}))
    return e.runtime("_loop", _G, count, node.args[1], *(value.node for value in state))


def _repeat(e: Expressions, node: ast.Call) -> Value:
    state = [e.graph(argument).node for argument in node.args[2:]]
    return e.runtime("_repeat", _G, node.args[0], node.args[1], *state)


def _cond(e: Expressions, node: ast.Call) -> Value:
    return e.runtime("_cond", _G, e.graph(node.args[0]).node, node.args[1], node.args[2])


SERVICES: Mapping[str, Service] = {
    "rank": _rank,
    "is_complex": _is_complex,
    "carried": _carried,
    "dtype": _dtype,
    "cast": _cast,
    "constant": _constant,
    "size": _size,
    "static_size": _static_size,
    "static_numel": _static_numel,
    "numel": _numel,
    "ints": _ints,
    "items": _items,
    "is_list": _is_list,
    "list": _list,
    "number": _number,
    "known": _known,
    "told": _told,
    "named_dtype": _named_dtype,
    "common_dtype": _common_dtype,
    "index_kinds": _index_kinds,
    "as_indexed": _as_indexed,
    "was_contiguous": _was_contiguous,
    "was_cast": _was_cast,
    "unpacked_count": _unpacked_count,
    "dequantized": _dequantized,
    "quantized": _quantized,
    "requantized": _requantized,
    "scale_of": _scale_of,
    "zero_point_of": _zero_point_of,
    "loop": _loop,
    "repeat": _repeat,
    "cond": _cond,
}
"""`op.fail` is a statement and handled with the statements."""
