"""Finds what a module registers: by decorators, by calls, in loops over constants, in conditions, inside functions."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from symgen.check.reading.decorators import DecoratorReader
from symgen.check.reading.flow import Body
from symgen.check.reading.functions import SymbolicFunction, served_function
from symgen.check.reading.imports import Imports
from symgen.check.reading.registrars import API_NAMES, Bound, Registrar, registrar_of, wrapped_registrar
from symgen.check.reading.static import UNKNOWN, arms_of, evaluate, items_of

Branch: TypeAlias = tuple[tuple[int, str], ...]
"""The arms of conditions around a statement: each condition's identity, and which arm."""


class Registration(NamedTuple):
    """One registration of one operator's function."""

    op: str
    opsets: tuple[int, ...] | None
    """None where they can't be told."""
    custom: bool | None
    """Whether it overrides torch's own; None where that can't be told."""
    node: ast.Call
    """The call that names the operator."""
    registrar: Registrar
    branch: Branch
    repeated: bool
    """Whether it stands in a loop: the same text registers several operators."""
    body: Body | None = None
    """The registered function, where it is a function of this module."""
    function: SymbolicFunction | None = None
    """The same as the exporter calls it, where that can be told."""
    definition: ast.FunctionDef | None = None
    """The function that this registration decorates; None where it is registered by a call."""


class Registrations(NamedTuple):
    """All of a module's registrations."""

    found: tuple[Registration, ...]
    unreadable: int
    """How many registering calls there are whose operator can't be told."""


def read_registrations(tree: ast.Module, imports: Imports, module: Body) -> Registrations:
    """Reads a module from top to bottom, then the functions in it that register when they are called."""
    reader = _Reader(imports, module)
    reader.statements(tree.body, _Place(module))
    watched = API_NAMES | {"register"} | reader.registrars.keys()
    for body in module.functions:
        if isinstance(body.node, (ast.FunctionDef, ast.ClassDef)) and _mentions(body, watched):
            reader.statements(body.node.body, _Place(body, inside=True, hidden=frozenset(body.bound)))
    return Registrations(tuple(reader.found), reader.unreadable)


def _mentions(body: Body, names: Iterable[str]) -> bool:
    watched = set(names)
    return not watched.isdisjoint(body.names) or any(attribute.attr in watched for attribute in body.attributes)


class _Place(NamedTuple):
    """Where a statement stands."""

    scope: Body
    branch: Branch = ()
    repeated: bool = False
    inside: bool = False
    """Whether that is inside a function, which runs when the module's own statements are done."""
    hidden: frozenset[str] = frozenset()
    """The enclosing function's own names, whose values can't be told."""

    def within(self, condition: ast.stmt, arm: str) -> _Place:
        return self._replace(branch=(*self.branch, (id(condition), arm)))


@dataclass(eq=False)
class _Reader:
    """Carries the constants and registrars that the statements so far have named."""

    imports: Imports
    module: Body
    values: dict[str, object] = field(default_factory=dict)
    registrars: dict[str, Registrar] = field(default_factory=dict)
    found: list[Registration] = field(default_factory=list)
    unreadable: int = 0

    def __post_init__(self) -> None:
        self._bodies = {body.node: body for body in self.module.functions}
        self._decorators = DecoratorReader(self.imports, self.module, self.registrars)

    def statements(self, body: Iterable[ast.stmt], place: _Place) -> None:
        for statement in body:
            self._statement(statement, place)

    def _statement(self, statement: ast.stmt, place: _Place) -> None:
        match statement:
            case ast.FunctionDef():
                self._definition(statement, place)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._call(value, place)
                self._name(name, value, place)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._call(value, place)
                self._name(name, value, place)
            case ast.Assign(targets=targets, value=value):
                self._call(value, place)
                self._forget(targets, place)
            case ast.Expr(value=ast.Call(func=called) as call):
                self._call(call, place)
                if isinstance(called, ast.Attribute):  # it may change what its object holds: `names.append(...)`
                    self._forget([called.value], place)
            case ast.AugAssign(target=target):
                self._forget([target], place)
            case ast.For():
                self._loop(statement, place)
            case ast.While(body=body):
                self.statements(body, place._replace(repeated=True))
            case ast.With(body=body):
                self.statements(body, place)
            case ast.If():
                for number, arm in enumerate(arms_of(statement)):
                    self.statements(arm, place.within(statement, f"arm {number}"))
            case ast.Try():
                self._try(statement, place)

    def _try(self, statement: ast.Try, place: _Place) -> None:
        self.statements([*statement.body, *statement.orelse], place.within(statement, "body"))
        for number, handler in enumerate(statement.handlers):
            self.statements(handler.body, place.within(statement, f"except {number}"))
        self.statements(statement.finalbody, place)

    def _loop(self, statement: ast.For, place: _Place) -> None:
        """Reads the body once for each item of a constant; once with unknown names where the items can't be told."""
        items = items_of(self._evaluate(statement.iter, place))
        targets = _target_names(statement.target)
        repeated = place._replace(repeated=True, hidden=place.hidden.difference(targets))
        before = {name: self.values.get(name, UNKNOWN) for name in targets}
        for item in [UNKNOWN] if items is UNKNOWN else items:
            values = item if isinstance(item, tuple) and isinstance(statement.target, ast.Tuple) else (item,)
            known = values if len(values) == len(targets) else [UNKNOWN] * len(targets)
            self.values.update(zip(targets, known, strict=True))
            self.statements(statement.body, repeated)
        self.values.update(before)

    def _definition(self, node: ast.FunctionDef, place: _Place) -> None:
        for position, decorator in enumerate(node.decorator_list):
            registrar = self._registrar(decorator.func, place) if isinstance(decorator, ast.Call) else None
            if isinstance(decorator, ast.Call) and registrar and registrar.decorates:
                inner = node.decorator_list[position + 1 :]
                self._add(registrar, decorator, self._bodies.get(node), inner, place, node)
        wrapped = wrapped_registrar(node, self.registrars, self.imports, self.values) if not place.inside else None
        if wrapped:
            self._bind(node.name, wrapped, place)
        elif node.name in self.registrars and not place.inside:
            self.registrars[node.name] = Registrar("")

    def _call(self, value: ast.expr, place: _Place) -> None:
        """Registers for `register(...)` and `register(...)(function)`."""
        if not isinstance(value, ast.Call):
            return
        registering = value.func if isinstance(value.func, ast.Call) else value
        registrar = self._registrar(registering.func, place)
        if registrar is None or registrar.decorates != (registering is not value):
            return
        full = registrar.called(registering, self._names(place))
        given = full.bound.get("function") if full else None
        function = (given.node if given else None) if registering is value else (value.args[0] if value.args else None)
        body = self._body_of(function, place)
        inner = body.node.decorator_list if body and isinstance(body.node, ast.FunctionDef) else []
        self._add(registrar, registering, body, inner, place, None)

    def _add(
        self,
        registrar: Registrar,
        call: ast.Call,
        body: Body | None,
        inner: Sequence[ast.expr],
        place: _Place,
        definition: ast.FunctionDef | None,
    ) -> None:
        full = registrar.called(call, self._names(place))
        if full is None or full.op is None:
            self.unreadable += 1
            return
        function = self._served(full, body, inner) if body else None
        self.found.append(
            Registration(
                full.op, full.opsets, full.custom, call, full, place.branch, place.repeated, body, function, definition
            )
        )

    def _served(self, registrar: Registrar, body: Body, inner: Sequence[ast.expr]) -> SymbolicFunction | None:
        if registrar.decorators is None:
            return None
        # `decorate=[a, b]` applies a first, then b; `effects` takes decorators as they are written, outermost first.
        decorators = [*registrar.decorators[::-1], *inner]
        return served_function(body, self._decorators.effects(decorators, body.parent), self._decorators)

    def _body_of(self, function: ast.expr | None, place: _Place) -> Body | None:
        if isinstance(function, ast.Name):
            meant = place.scope.resolve(function.id)
            return meant[0] if len(meant) == 1 else None
        return self._bodies.get(function) if isinstance(function, ast.Lambda) else None

    def _registrar(self, node: ast.expr, place: _Place) -> Registrar | None:
        if isinstance(node, ast.Name) and node.id in place.hidden:
            return None
        return registrar_of(node, self.registrars, self.imports, self._names(place), self.module.nested)

    def _name(self, name: str, value: ast.expr, place: _Place) -> None:
        """Remembers what an assignment gives a name of the module."""
        if place.inside:
            return
        registrar = self._registrar(value, place)
        if registrar:
            self._bind(name, registrar, place)
            return
        self.registrars.pop(name, None)
        new = self._evaluate(value, place)
        known = name not in self.values or self.values[name] == new or not place.branch
        self.values[name] = new if known else UNKNOWN

    def _bind(self, name: str, registrar: Registrar, place: _Place) -> None:
        """Names a registrar; where another arm of a condition has named another one, what differs is unknown."""
        other = self.registrars.get(name)
        self.registrars[name] = _common(registrar, other) if place.branch and other else registrar

    def _forget(self, changed: Iterable[ast.expr], place: _Place) -> None:
        """Drops what is known of names that a statement binds or whose objects it changes (`table[key] = ...`)."""
        if place.inside:
            return
        for target in changed:
            while isinstance(target, (ast.Attribute, ast.Subscript)):
                target = target.value
            for name in _target_names(target):
                self.values.pop(name, None)

    def _evaluate(self, node: ast.expr, place: _Place) -> object:
        return evaluate(node, self._names(place))

    def _names(self, place: _Place) -> dict[str, object]:
        if not place.hidden:
            return self.values
        return {name: value for name, value in self.values.items() if name not in place.hidden}


def _common(one: Registrar, other: Registrar) -> Registrar:
    """What two registrars of one name, bound in two arms of a condition, agree in; the rest is unknown."""
    bound = {}
    for name, argument in {**other.bound, **one.bound}.items():
        given = [registrar.bound[name].value for registrar in (one, other) if name in registrar.bound]
        bound[name] = argument if len(given) == 2 and given[0] == given[1] else Bound(UNKNOWN, argument.node)
    return Registrar(one.api, bound)


def _target_names(target: ast.expr) -> list[str]:
    elements = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return [element.id for element in elements if isinstance(element, ast.Name)]
