"""What the names of a module mean: every place where its top level binds one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from symgen.merge.source import Kind, ModuleSource, Statement
from symgen.model.definition import Import

_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@dataclass(frozen=True)
class Binding:
    """One place that binds, or deletes, a name of the module."""

    name: str
    index: int
    """Of the top-level statement, in the order of the file."""
    line: int
    target: str = ""
    """What an import binds, as `functools` or `torch.onnx.errors`; empty for all other bindings."""
    module: str = ""
    """The whole module of a plain `import a.b.c`, which binds `a`."""
    value: ast.expr | None = None
    """What a plain assignment to this one name assigns."""
    certain: bool = True
    """Whether it happens whenever the file is imported."""
    fallback: bool = False
    """Whether it stands in an `except` clause and only matters where the `try` failed."""
    deletes: bool = False

    def gives(self, wanted: Import) -> bool:
        """Whether it makes the object of an import available."""
        if not self.target:
            return False
        if wanted.name:
            return self.target == f"{wanted.module}.{wanted.name}"
        if wanted.alias:
            return self.target == wanted.module
        has_module = f"{self.module}.".startswith(f"{wanted.module}.") or self.target == wanted.module
        return has_module and self.target == wanted.module.partition(".")[0]


@dataclass(frozen=True)
class Bindings:
    """All names of a module."""

    by_name: Mapping[str, tuple[Binding, ...]]

    @cached_property
    def _imports(self) -> tuple[Binding, ...]:
        return tuple(binding for bindings in self.by_name.values() for binding in bindings if binding.target)

    def find(self, wanted: Import, *, before: int | None = None) -> Binding | None:
        """The import that makes the wanted object available under a name which means nothing else anywhere.

        The name may be another than the wanted one. `before` asks for one above that statement.
        """
        fit = [binding for binding in self._imports if binding.certain and binding.gives(wanted)]
        fit = [binding for binding in fit if before is None or binding.index < before]
        fit = [binding for binding in fit if self._is_steady(binding)]
        return next((binding for binding in fit if binding.name == wanted.bound), fit[0] if fit else None)

    def _is_steady(self, binding: Binding) -> bool:
        others = self.by_name[binding.name]
        return all(other.target == binding.target or other.fallback for other in others)

    def qualified(self, expression: ast.expr) -> str:
        """The dotted name of what an expression such as `registration.onnx_symbolic` means; empty if unknown."""
        if isinstance(expression, ast.Attribute):
            base = self.qualified(expression.value)
            return f"{base}.{expression.attr}" if base else ""
        if not isinstance(expression, ast.Name):
            return ""
        if expression.id not in self.by_name:
            # It comes from a star import, or the file is broken: either way it can only mean what it says.
            return expression.id
        targets = {one.target for one in self.by_name[expression.id] if not one.deletes and not one.fallback}
        return targets.pop() if len(targets) == 1 else ""

    def free_name(self, wanted: str) -> str:
        """A name like the wanted one that the module does not use yet."""
        name = wanted
        while name in self.by_name:
            name = f"_{name.lstrip('_')}" if not name.startswith("_") else f"{name}_"
        return name


def find_bindings(source: ModuleSource) -> Bindings:
    """Reads the bindings of every top-level statement; of a function only its own name and its `global` ones."""
    by_name: dict[str, list[Binding]] = {}
    for index, statement in enumerate(source.statements):
        for binding in _statement_bindings(statement, index):
            by_name.setdefault(binding.name, []).append(binding)
    return Bindings({name: tuple(bindings) for name, bindings in by_name.items()})


def _statement_bindings(statement: Statement, index: int) -> Iterator[Binding]:
    if statement.kind in (Kind.FUNCTION, Kind.CLASS):
        yield Binding(statement.name, index, statement.line)
        if re.search(r"\bglobal\b", statement.text):
            names = [name for n in ast.walk(statement.tree[0]) if isinstance(n, ast.Global) for name in n.names]
            yield from (Binding(name, index, statement.line, certain=False) for name in names)
        return
    template = Binding("", index, statement.line - 1)
    for binding in _block(statement.tree, template):
        yield replace(binding, line=template.line + binding.line)


def _block(body: Iterable[ast.stmt], like: Binding) -> Iterator[Binding]:
    for node in body:
        yield from _node(node, replace(like, line=node.lineno))


def _node(node: ast.stmt, like: Binding) -> Iterator[Binding]:
    maybe = replace(like, certain=False)
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield replace(like, name=node.name)
        case ast.Import():
            for alias in node.names:
                top = alias.name.partition(".")[0]
                target, module = (alias.name, "") if alias.asname else (top, alias.name)
                yield replace(like, name=alias.asname or top, target=target, module=module)
        case ast.ImportFrom():
            origin = "." * node.level + (node.module or "")
            for alias in node.names:
                target = f"{origin}.{alias.name}" if node.module else f"{origin}{alias.name}"
                yield replace(like, name=alias.asname or alias.name, target=target)
        case ast.Delete():
            yield from (replace(like, name=name, deletes=True) for target in node.targets for name in _targets(target))
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value)
        ):
            if value is not None:
                yield replace(like, name=name, value=value)
        case ast.If():
            yield from _block([*node.body, *node.orelse], maybe)
        case ast.For() | ast.AsyncFor():
            yield from (replace(maybe, name=name) for name in _targets(node.target))
            yield from _block([*node.body, *node.orelse], maybe)
        case ast.While():
            yield from _block([*node.body, *node.orelse], maybe)
        case ast.With() | ast.AsyncWith():
            names = [name for item in node.items if item.optional_vars for name in _targets(item.optional_vars)]
            yield from (replace(like, name=name) for name in names)
            yield from _block(node.body, like)
        case ast.Try() | ast.TryStar():
            yield from _block([*node.body, *node.finalbody], like)
            yield from _block(node.orelse, like)
            yield from _block(
                [child for handler in node.handlers for child in handler.body], replace(maybe, fallback=True)
            )
        case ast.Match():
            yield from _block([child for one in node.cases for child in one.body], maybe)
        case _:
            yield from (replace(like, name=name) for name in _stored(node))
    if not isinstance(node, _NESTED):
        yield from (replace(like, name=name) for name in _walrus(node))


def _targets(target: ast.expr) -> Iterator[str]:
    return (node.id for node in ast.walk(target) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))


def _stored(node: ast.stmt) -> Iterator[str]:
    """The targets of the remaining simple statements, as `a, b = c` and `a += 1`."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return (name for target in targets if isinstance(target, ast.expr) for name in _targets(target))


def _walrus(node: ast.stmt) -> Iterator[str]:
    if any(isinstance(value, ast.stmt) for value in ast.iter_child_nodes(node)):
        return iter(())
    return (child.target.id for child in ast.walk(node) if isinstance(child, ast.NamedExpr))
