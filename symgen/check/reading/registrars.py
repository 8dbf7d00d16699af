"""The ways in which a module registers symbolic functions: torch's API, and the module's own names for it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from symgen.check.reading.imports import Imports
from symgen.check.reading.static import UNKNOWN, Names, evaluate

_PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "onnx_symbolic": ("name", "opset", "decorate", "custom"),
    "custom_onnx_symbolic": ("name", "opset", "decorate"),
    "register_custom_op_symbolic": ("name", "function", "opset"),
    "register": ("name", "opset", "function", "custom"),
}
_SPELLINGS = {"symbolic_name": "name", "symbolic_fn": "function", "func": "function", "opset_version": "opset"}
API_NAMES = frozenset(_PARAMETERS) - {"register"}
DECORATING = frozenset({"onnx_symbolic", "custom_onnx_symbolic"})
"""Those whose result is applied to the function; the others are given it."""


class Bound(NamedTuple):
    """An argument: its value, `UNKNOWN` where it can't be told, and the expression that gives it."""

    value: object
    node: ast.expr


class Registrar(NamedTuple):
    """Something that registers when it is called, with the arguments that it has already."""

    api: str
    """The function of torch's that it comes down to; empty for a name that only looks like one."""
    bound: Mapping[str, Bound] = MappingProxyType({})
    made_by: ast.Call | None = None
    """The `functools.partial(...)` that binds the arguments."""
    wrapper: ast.FunctionDef | None = None
    """A function of the module that returns the registering call for its own arguments."""

    @property
    def decorates(self) -> bool:
        """Whether its call gives a decorator, in place of taking the function."""
        return self.api in DECORATING or not self.api

    def called(self, call: ast.Call, names: Names) -> Registrar | None:
        """This registrar with the arguments of a call added; None where they are spread from something unknown."""
        if self.wrapper:
            return self._called_through(self.wrapper, call, names)
        free = [name for name in _PARAMETERS.get(self.api, _PARAMETERS["onnx_symbolic"]) if name not in self.bound]
        arguments = _arguments(call, free)
        if arguments is None:
            return None
        bound = dict(self.bound)
        for name, node in arguments.items():
            bound[_SPELLINGS.get(name, name)] = Bound(evaluate(node, names), node)
        return Registrar(self.api, bound, self.made_by)

    def _called_through(self, wrapper: ast.FunctionDef, call: ast.Call, names: Names) -> Registrar | None:
        parameters = [*wrapper.args.posonlyargs, *wrapper.args.args]
        arguments = _arguments(call, [parameter.arg for parameter in parameters])
        inner = _returned_call(wrapper)
        if arguments is None or inner is None or wrapper.args.vararg or wrapper.args.kwarg:
            return None
        last = parameters[len(parameters) - len(wrapper.args.defaults) :]
        defaults = {parameter.arg: node for parameter, node in zip(last, wrapper.args.defaults, strict=True)}
        values = {name: evaluate(node, names) for name, node in (defaults | arguments).items()}
        return Registrar(self.api, self.bound).called(inner, {**names, **values})

    @property
    def op(self) -> str | None:
        """The qualified name that is registered; None where it can't be told."""
        name = self._value("name", UNKNOWN)
        if not isinstance(name, str) or "::" not in name:
            return None
        return f"aten{name}" if name.startswith("::") and self.api == "register_custom_op_symbolic" else name

    @property
    def opsets(self) -> tuple[int, ...] | None:
        """The opsets at which it registers; None where they can't be told."""
        value = self._value("opset", UNKNOWN)
        if isinstance(value, int):
            return (value,)
        if isinstance(value, (list, tuple, range)) and all(isinstance(opset, int) for opset in value):
            return tuple(value)
        return None

    @property
    def custom(self) -> bool | None:
        """Whether it overrides torch's own registration; None where that can't be told."""
        if self.api in {"custom_onnx_symbolic", "register_custom_op_symbolic"}:
            return True
        value = self._value("custom", False if self.api else UNKNOWN)
        return value if isinstance(value, bool) else None

    @property
    def decorators(self) -> list[ast.expr] | None:
        """The `decorate=[...]` of the registration; None where it can't be told."""
        given = self.bound.get("decorate")
        if given is None or given.value is None:
            return []
        return given.node.elts if isinstance(given.node, (ast.List, ast.Tuple)) else None

    def _value(self, name: str, default: object) -> object:
        return self.bound[name].value if name in self.bound else default


def api_name(node: ast.expr, imports: Imports) -> str:
    """The last part of what a name or an attribute stands for: `parse_args` for `helper.parse_args`."""
    meanings = imports.resolve(node)
    if meanings:
        return meanings[0].rpartition(".")[2]
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def registrar_of(
    node: ast.expr, known: Mapping[str, Registrar], imports: Imports, names: Names, local: Mapping[str, object]
) -> Registrar | None:
    """The registrar that an expression stands for: one of torch's, a name for it, or `functools.partial` of one.

    `known` are the module's own names for registrars, `local` its functions.
    """
    if isinstance(node, ast.Name) and node.id in known:
        return known[node.id]
    if isinstance(node, ast.Call):
        if api_name(node.func, imports) != "partial" or not node.args:
            return None
        registrar = registrar_of(node.args[0], known, imports, names, local)
        rest = ast.Call(node.func, node.args[1:], node.keywords)
        bound = registrar.called(rest, names) if registrar else None
        return Registrar(bound.api, bound.bound, node) if bound else None
    name = api_name(node, imports)
    is_local = isinstance(node, ast.Name) and node.id in local
    if not is_local and (name in API_NAMES or (name == "register" and _is_registry(node))):
        return Registrar(name)
    # A name of the module's own, or from elsewhere, that looks like torch's: what it binds can't be told.
    return Registrar("") if name.endswith("onnx_symbolic") and isinstance(node, ast.Name) else None


def wrapped_registrar(
    function: ast.FunctionDef, known: Mapping[str, Registrar], imports: Imports, names: Names
) -> Registrar | None:
    """The registrar that a function of the module is, where all it does is to return a registering call."""
    returned = _returned_call(function)
    registrar = registrar_of(returned.func, known, imports, names, {}) if returned else None
    if registrar is None or not registrar.decorates or registrar.wrapper:
        return None
    return Registrar(registrar.api, registrar.bound, wrapper=function)


def _returned_call(function: ast.FunctionDef) -> ast.Call | None:
    """The call that a function returns, where it does nothing else."""
    match function.body:
        case [ast.Return(value=ast.Call() as call)]:
            return call
        case [ast.Expr(value=ast.Constant()), ast.Return(value=ast.Call() as call)]:
            return call
    return None


def _arguments(call: ast.Call, positional: list[str]) -> dict[str, ast.expr] | None:
    """The arguments of a call by name; None where some are spread from a list or a mapping."""
    if len(call.args) > len(positional) or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    arguments = dict(zip(positional, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        arguments[keyword.arg] = keyword.value
    return arguments


def _is_registry(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="registry") | ast.Attribute(attr="registry")):
            return True
    return False
