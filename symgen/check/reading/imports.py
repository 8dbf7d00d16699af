"""Which names of a module stand for which imported things."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from symgen.check.reading.static import arms_of

ImportStatement = ast.Import | ast.ImportFrom


class Imports(NamedTuple):
    """A module's imports. A name may have several meanings, as where an `except ImportError` imports an older one."""

    meanings: Mapping[str, tuple[str, ...]]
    statements: tuple[ImportStatement, ...]
    guarded: frozenset[ImportStatement]
    """Those in a `try` that catches their failure."""
    stars: tuple[str, ...]
    """The modules of which everything is imported."""

    def resolve(self, node: ast.expr) -> tuple[str, ...]:
        """The dotted paths that a name or an attribute of one may mean; empty where it is not imported."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.meanings:
            return ()
        tail = "".join(f".{part}" for part in reversed(parts))
        return tuple(meaning + tail for meaning in self.meanings[node.id])


def read_imports(tree: ast.Module) -> Imports:
    """Collects the imports of a module, those inside functions and conditions too."""
    meanings: dict[str, tuple[str, ...]] = {}
    statements, guarded, stars = [], set(), []
    for statement, is_guarded in _import_statements(tree.body, False):
        statements.append(statement)
        if is_guarded:
            guarded.add(statement)
        for name, meaning in _bound_names(statement):
            if name == "*":
                stars.append(meaning)
            elif meaning not in meanings.get(name, ()):
                meanings[name] = (*meanings.get(name, ()), meaning)
    return Imports(meanings, tuple(statements), frozenset(guarded), tuple(stars))


def imported_path(statement: ast.ImportFrom, alias: ast.alias) -> str:
    """The dotted path of one imported name; relative ones begin with their dots."""
    base = "." * statement.level + (statement.module or "")
    return f"{base}.{alias.name}" if statement.module else base + alias.name


def _bound_names(statement: ImportStatement) -> Iterator[tuple[str, str]]:
    """The names that a statement binds, each with what it means; `*` with the module for a star import."""
    for alias in statement.names:
        if isinstance(statement, ast.ImportFrom):
            if alias.name == "*":
                yield "*", "." * statement.level + (statement.module or "")
            else:
                yield alias.asname or alias.name, imported_path(statement, alias)
        elif alias.asname:
            yield alias.asname, alias.name
        else:
            root = alias.name.partition(".")[0]
            yield root, root


def _import_statements(body: Iterable[ast.stmt], guarded: bool) -> Iterator[tuple[ImportStatement, bool]]:
    for statement in body:
        if isinstance(statement, ImportStatement):
            yield statement, guarded
        elif isinstance(statement, ast.Try):
            caught = guarded or any(_catches_import_errors(handler) for handler in statement.handlers)
            yield from _import_statements(statement.body, caught)
            for handler in statement.handlers:
                yield from _import_statements(handler.body, caught)
            yield from _import_statements([*statement.orelse, *statement.finalbody], guarded)
        elif isinstance(statement, ast.If):
            # A condition may be a test of torch's version: what stands under it need not be there everywhere.
            for arm in arms_of(statement):
                yield from _import_statements(arm, True)
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While, ast.With)):
            yield from _import_statements(statement.body, guarded)


def _catches_import_errors(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}
    return any(node is None or (isinstance(node, ast.Name) and node.id in names) for node in caught)
