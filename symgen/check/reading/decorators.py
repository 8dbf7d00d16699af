"""What decorators do to a symbolic function's parameters."""

from __future__ import annotations

import ast
from collections.abc import Container, Sequence
from typing import Final, NamedTuple, TypeAlias

from symgen.check.reading.flow import Body
from symgen.check.reading.imports import Imports
from symgen.check.reading.registrars import API_NAMES, api_name

_HARMLESS = frozenset({"quantized_args", "wraps", "cache", "lru_cache", "staticmethod", "no_type_check"}) | API_NAMES


class Keeps(NamedTuple):
    """The parameters stay as they are."""


class Binds(NamedTuple):
    """The first `number` parameters are given by the decorator."""

    number: int


class Applies(NamedTuple):
    """The function is called with arguments, and what it returns is registered."""


class Opaque(NamedTuple):
    """Nothing can be said of the parameters any more."""


class Describes(NamedTuple):
    """`parse_args` with its descriptors."""

    call: ast.Call
    values: tuple[str, ...]


Effect: TypeAlias = Keeps | Binds | Applies | Opaque | Describes
KEEPS: Final = Keeps()
OPAQUE: Final = Opaque()


class DecoratorReader(NamedTuple):
    """Reads the decorators of one module's functions."""

    imports: Imports
    module: Body
    registrars: Container[str]
    """The module's own names for registering decorators."""

    def effects(self, decorators: Sequence[ast.expr], scope: Body | None) -> tuple[Effect, ...]:
        """The effects of a function's decorators, the innermost (last written) first."""
        return tuple(self.effect(decorator, scope) for decorator in reversed(decorators))

    def effect(self, decorator: ast.expr, scope: Body | None) -> Effect:
        """What one decorator does, as far as its name or its own definition in this module tells."""
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(called, ast.Name):
            local = (scope or self.module).resolve(called.id)
            if called.id in self.registrars:
                return KEEPS
            if len(local) == 1:
                return _local_effect(local[0], calls=int(isinstance(decorator, ast.Call)))
            if local:
                return OPAQUE
        return _known_effect(api_name(called, self.imports), decorator)


def _known_effect(name: str, decorator: ast.expr) -> Effect:
    if name in _HARMLESS:
        return KEEPS
    if isinstance(decorator, ast.Call):
        if name == "parse_args":
            return _description(decorator)
        if name == "_apply_params":
            return Applies()
    return OPAQUE


def _description(call: ast.Call) -> Effect:
    values = tuple(argument.value for argument in call.args if isinstance(argument, ast.Constant))
    texts = tuple(value for value in values if isinstance(value, str))
    return Describes(call, texts) if len(texts) == len(call.args) and not call.keywords else KEEPS


def _local_effect(body: Body, calls: int) -> Effect:
    """The effect of a decorator that this module defines; one that is called first returns the actual one."""
    for _ in range(calls):
        made = only_returned(body)
        if made is None:
            return OPAQUE
        body = made
    node = body.node
    if not isinstance(node, ast.FunctionDef) or len(node.args.args) != 1:
        return OPAQUE
    decorated = node.args.args[0].arg
    if body.returns and all(_is_name(found.value, decorated) for found in body.returns):
        return KEEPS
    wrapper = only_returned(body)
    return _wrapper_effect(wrapper, decorated) if wrapper else OPAQUE


def _wrapper_effect(wrapper: Body, decorated: str) -> Effect:
    """Compares a wrapper's own parameters with what it passes on: `def w(*args): return f(1, *args)` binds one."""
    node = wrapper.node
    if not isinstance(node, ast.FunctionDef) or node.args.vararg is None:
        return OPAQUE
    own = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    calls = [call for call in ast.walk(node) if isinstance(call, ast.Call) and _is_name(call.func, decorated)]
    counts = {_bound_by(call, own) for call in calls}
    count = counts.pop() if len(counts) == 1 else None
    if count is None:
        return OPAQUE
    return Binds(count) if count else KEEPS


def _bound_by(call: ast.Call, own: Sequence[str]) -> int | None:
    """How many arguments a call puts before those that the wrapper was given; None where it rearranges them."""
    starred = [isinstance(argument, ast.Starred) for argument in call.args]
    if starred.count(True) != 1 or not starred[-1]:
        return None
    leading = call.args[:-1]
    count = len(leading) - len(own)
    if count < 0 or any(not _is_name(argument, name) for argument, name in zip(leading[count:], own, strict=True)):
        return None
    return count


def only_returned(body: Body) -> Body | None:
    """The nested function that a function returns, where that is the one thing it returns."""
    names = {found.value.id if isinstance(found.value, ast.Name) else "" for found in body.returns}
    made = body.nested.get(names.pop(), []) if len(names) == 1 else []
    return made[0] if len(made) == 1 else None


def _is_name(node: ast.expr | None, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
