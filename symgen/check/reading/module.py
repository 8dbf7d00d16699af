"""A symbolic file as it was read: everything that rules look at."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import NamedTuple

from symgen.check.reading.exports import NO_EXPORTS, Exports, after_statement
from symgen.check.reading.flow import Body, read_bodies
from symgen.check.reading.functions import SymbolicFunction
from symgen.check.reading.imports import Imports, read_imports
from symgen.check.reading.registrations import Registration, read_registrations
from symgen.check.reading.static import arms_of
from symgen.check.reading.torch_ops import TorchOp, torch_ops_in
from symgen.check.source import Source

FILE_NAME = re.compile(r"symbolic_opset(\d+)\.py")


class Served(NamedTuple):
    """One function that the exporter calls, with all the registrations of it whose parameters are the same."""

    function: SymbolicFunction
    registrations: tuple[Registration, ...]
    ops: tuple[str, ...]
    """The operators that it is registered for, in the file's order."""

    @property
    def scope(self) -> tuple[int, int]:
        """The lines from its first decorator to the end of its header."""
        node = self.function.node
        if isinstance(node, ast.Lambda):
            return node.lineno, node.lineno
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        return first, max(first, node.body[0].lineno - 1)


@dataclass(frozen=True, eq=False)
class SymbolicModule:
    """A parsed file with what it registers."""

    source: Source
    tree: ast.Module
    imports: Imports
    body: Body
    registrations: tuple[Registration, ...]
    unreadable: int
    """How many registrations there are whose operator can't be told."""

    @property
    def path(self) -> str:
        """The path that findings name."""
        return self.source.path

    @property
    def file_opset(self) -> int | None:
        """The opset in the file's name."""
        match = FILE_NAME.fullmatch(PurePath(self.path).name)
        return int(match[1]) if match else None

    @property
    def registers(self) -> bool:
        """Whether the file registers symbolic functions at all."""
        return bool(self.registrations or self.unreadable)

    @cached_property
    def torch_ops(self) -> tuple[TorchOp, ...]:
        """The functions that the file registers for the dynamo exporter."""
        return tuple(torch_ops_in(self.tree)) if "torch_op" in self.source.text else ()

    @property
    def has_symbolic_method(self) -> bool:
        """Whether a class has its own `symbolic`, as autograd functions do."""
        classes = (body for body in self.body.functions if isinstance(body.node, ast.ClassDef))
        return any("symbolic" in body.nested for body in classes)

    @cached_property
    def served(self) -> tuple[Served, ...]:
        """The functions whose parameters can be told, in the file's order."""
        groups: dict[object, list[tuple[SymbolicFunction, Registration]]] = {}
        for registration in self.registrations:
            if function := registration.function:
                groups.setdefault(_shape(function), []).append((function, registration))
        found = [_served(group) for group in groups.values()]
        return tuple(sorted(found, key=lambda served: served.function.node.lineno))

    @cached_property
    def exports(self) -> Exports:
        """What `__all__` says once the module has run."""
        exports = NO_EXPORTS
        for statement, conditional in _statements(self.tree.body, False):
            exports = after_statement(exports, statement, conditional=conditional)
        return exports

    @cached_property
    def defined(self) -> frozenset[str]:
        """The names that the module's own statements bind."""
        return frozenset(self.body.bound | self.body.nested.keys())


def parse_module(source: Source) -> ast.Module:
    """The syntax tree of a file.

    Raises:
        SyntaxError: where it is not Python.
        ValueError: where it holds null characters.
        RecursionError, MemoryError: where it is nested too deeply for Python itself.
    """
    return ast.parse(source.text, source.path)


def read_module(source: Source, tree: ast.Module) -> SymbolicModule:
    """Reads a parsed file. Of one that is nested deeper than functions may be, nothing is told."""
    try:
        imports, body = read_imports(tree), read_bodies(tree)
        registrations = read_registrations(tree, imports, body)
    except RecursionError:
        empty = ast.Module([], [])
        return SymbolicModule(source, empty, read_imports(empty), read_bodies(empty), (), 0)
    return SymbolicModule(source, tree, imports, body, registrations.found, registrations.unreadable)


def _served(group: list[tuple[SymbolicFunction, Registration]]) -> Served:
    registrations = tuple(registration for _, registration in group)
    return Served(group[0][0], registrations, tuple(dict.fromkeys(registration.op for registration in registrations)))


def _shape(function: SymbolicFunction) -> object:
    """Registrations with the same shape are of the same function, called in the same way."""
    descriptors = function.descriptors.call if function.descriptors else None
    return function.body, len(function.parameters), descriptors


def _statements(body: list[ast.stmt], conditional: bool) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements that run when a module does, with whether a condition or a loop decides on it."""
    for statement in body:
        yield statement, conditional
        match statement:
            case ast.If():
                for arm in arms_of(statement):
                    yield from _statements(arm, True)
            case ast.For(body=inner, orelse=other):
                yield from _statements([*inner, *other], True)
            case ast.While(body=inner) | ast.With(body=inner):
                yield from _statements(inner, True)
            case ast.Try(body=inner, orelse=other, handlers=handlers, finalbody=final):
                handled = [line for handler in handlers for line in handler.body]
                yield from _statements([*inner, *handled, *other, *final], True)
