"""What a symbolic function of torch refuses, read from the `raise`s and `_unimplemented`s in its source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

_HELPERS = "symbolic_helper"
_OPSET_MODULES = "symbolic_opset"
_MESSAGE_AT = {"_unimplemented": 1, "_onnx_unsupported": 0, "_onnx_opset_unsupported_detailed": 3}
"""Which argument of each refusing helper says why."""
_ERRORS = frozenset({"SymbolicValueError", "OnnxExporterError", "RuntimeError", "ValueError", "NotImplementedError"})
_MACHINERY = frozenset({*_MESSAGE_AT, "_onnx_opset_unsupported"})


@dataclass(frozen=True)
class Refusal:
    """One refusal: the message, and the source of the condition under which it comes (empty: always)."""

    message: str
    condition: str = ""


@dataclass(frozen=True)
class SymbolicSources:
    """The parsed files of the exporter by module name; finds functions across them."""

    modules: Mapping[str, ast.Module]
    _functions: dict[tuple[str, str], ast.FunctionDef] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for module, tree in self.modules.items():
            self._functions.update(((module, n.name), n) for n in tree.body if isinstance(n, ast.FunctionDef))

    def function(self, module: str, name: str) -> ast.FunctionDef | None:
        """The top-level function of that name in that module."""
        return self._functions.get((module, name))


def read_refusals(
    sources: SymbolicSources, module: str, function: str, arguments: Sequence[ast.expr] = ()
) -> tuple[Refusal, ...]:
    """The refusals of one function, and of the exporter's functions that it hands its whole work to.

    `arguments` are the constants bound to the parameters of a function that makes symbolic functions.
    """
    found: dict[Refusal, None] = {}
    seen: set[tuple[str, str]] = set()
    pending = [(module, function, tuple(arguments))]
    while pending:
        module, function, bound = pending.pop(0)
        node = sources.function(module, function)
        if node is None or (module, function) in seen:
            continue
        seen.add((module, function))
        names = {parameter.arg: value for parameter, value in zip(node.args.args, bound, strict=False)}
        found.update((refusal, None) for refusal in _in_body(node.body, (), names))
        pending.extend(_delegates(node, module))
    return tuple(found)


def _in_body(
    body: Sequence[ast.stmt], conditions: tuple[ast.expr, ...], names: Mapping[str, ast.expr]
) -> Iterator[Refusal]:
    for statement in body:
        match statement:
            case ast.If(test=test, body=then, orelse=otherwise):
                yield from _in_body(then, (*conditions, test), names)
                yield from _in_body(otherwise, (*conditions, ast.UnaryOp(ast.Not(), test)), names)
            case ast.Raise(exc=ast.Call(func=func, args=[message, *_])) if _last(func) in _ERRORS:
                yield Refusal(_text(message, names), _joined(conditions))
            case ast.Return(value=ast.Call() as call) | ast.Expr(value=ast.Call() as call):
                yield from _of_call(call, conditions, names)
            case _:
                for inner in _blocks(statement):
                    yield from _in_body(inner, conditions, names)


def _of_call(call: ast.Call, conditions: tuple[ast.expr, ...], names: Mapping[str, ast.expr]) -> Iterator[Refusal]:
    helper = _last(call.func)
    if helper == "_onnx_opset_unsupported":
        yield Refusal(f"{_text(call.args[0], names)} needs opset {_text(call.args[2], names)}", _joined(conditions))
    elif helper in _MESSAGE_AT:
        position = _MESSAGE_AT[helper]
        if len(call.args) > position:
            yield Refusal(_text(call.args[position], names), _joined(conditions))


def _joined(conditions: tuple[ast.expr, ...]) -> str:
    """The source of all the conditions together."""
    if len(conditions) > 1:
        return ast.unparse(ast.BoolOp(ast.And(), list(conditions)))
    return "".join(map(ast.unparse, conditions))


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The bodies inside a `for`, `with`, `try` or nested `def`."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if isinstance(block, list):
            yield block
    for handler in getattr(statement, "handlers", ()):
        yield handler.body


def _delegates(node: ast.FunctionDef, module: str) -> Iterator[tuple[str, str, tuple[ast.expr, ...]]]:
    """The exporter's functions whose result this one returns as its own."""
    for inner in ast.walk(node):
        match inner:
            case ast.Return(value=ast.Call(func=ast.Name(id=name))):
                yield module, name, ()
            case ast.Return(value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name))):
                target = owner.replace("opset", _OPSET_MODULES) if owner.startswith("opset") else owner
                if (target == _HELPERS or target.startswith(_OPSET_MODULES)) and name not in _MACHINERY:
                    yield target, name, ()


def _last(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _text(node: ast.expr, names: Mapping[str, ast.expr]) -> str:
    """A message as text; what is known only at run time stays in braces."""
    match node:
        case ast.Constant(value=value):
            return str(value)
        case ast.Name(id=name) if name in names:
            return _text(names[name], {})
        case ast.JoinedStr(values=values):
            return "".join(_text(value, names) for value in values)
        case ast.FormattedValue(value=ast.Name(id=name)) if name in names:
            return _text(names[name], {})
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _text(left, names) + _text(right, names)
    return f"{{{ast.unparse(node.value if isinstance(node, ast.FormattedValue) else node)}}}"
