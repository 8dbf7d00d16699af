"""What is in a file already: symgen's own definitions, and what the user has of the same names and operators."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from symgen.errors import MergeError
from symgen.merge.bindings import Bindings, find_bindings
from symgen.merge.exports import exported_names
from symgen.merge.names import BUILTINS, free_names
from symgen.merge.source import Kind, ModuleSource, Statement

_REGISTRAR = re.compile(r"(?<!un)(?:onnx_symbolic|register_custom_op_symbolic|register_op|custom_op)$|^register")

_OPERATOR = re.compile(r"""["']([A-Za-z_][\w.]*::\w+)["']""")


@dataclass(frozen=True)
class Claim:
    """A line of the user's own that is in the way of a definition, and why."""

    line: int
    reason: str


@dataclass(frozen=True)
class Ground:
    """A file, read."""

    source: ModuleSource
    owned: Mapping[str, int]
    """The index of each statement that symgen wrote, by the key of its marker."""
    bindings: Bindings

    def statement(self, key: str) -> Statement | None:
        """The statement that symgen wrote under a key."""
        index = self.owned.get(key)
        return None if index is None else self.source.statements[index]

    @cached_property
    def _owned_indexes(self) -> frozenset[int]:
        return frozenset(self.owned.values())

    @cached_property
    def has_tests(self) -> bool:
        """Whether it is a file of tests."""
        return any(one.startswith("test_") for one in self.owned)

    def is_helper(self, key: str) -> bool:
        """Whether symgen wrote what a key names for others to call: in a file of tests, all that are no tests."""
        return "::" not in key and (key.startswith("_") or (self.has_tests and not key.startswith("test_")))

    @property
    def is_own(self) -> bool:
        """Whether the file is symgen's own: it wrote all the functions in it."""
        functions = [i for i, one in enumerate(self.source.statements) if one.kind in (Kind.FUNCTION, Kind.CLASS)]
        return self.source.is_new or (bool(functions) and all(map(self.is_owned, functions)))

    def is_owned(self, index: int) -> bool:
        """Whether symgen wrote a statement."""
        return index in self._owned_indexes

    def claim_on_name(self, name: str) -> Claim | None:
        """Where the user's own code binds a name, or means the builtin of that name."""
        for binding in self.bindings.by_name.get(name, ()):
            if not self.is_owned(binding.index):
                return Claim(binding.line, f"{name} is the file's own here")
        star = self.bindings.by_name.get("*")
        if star and name not in self.bindings.by_name and name in exported_names(self.source):
            return Claim(star[0].line, f"{name} is exported, and seems to come from here")
        if name in BUILTINS:
            for statement in self.source.statements:
                if statement.name != name and re.search(rf"\b{name}\b", statement.text):
                    line = _first_use(statement, name)
                    if line:
                        return Claim(
                            line, f"the builtin {name} is used here, and a function of that name would hide it"
                        )
        return None

    def claim_on_operator(self, op: str) -> Claim | None:
        """Where the user's own code registers something for an operator."""
        lines = (_registration(statement, op) for statement in self._mentions.get(op, ()))
        line = next(filter(None, lines), None)
        if line is None and self._dynamic_line:
            line = self._table_lines.get(op) or self._table_lines.get(op.partition("::")[2])
        return Claim(line, f"{op} is registered by the file's own code here") if line else None

    @cached_property
    def _mentions(self) -> Mapping[str, Sequence[Statement]]:
        """The user's statements that have an operator's name in a string, by operator."""
        found: dict[str, dict[int, Statement]] = {}
        for index, statement in enumerate(self.source.statements):
            if not self.is_owned(index):
                for match in _OPERATOR.finditer(statement.text):
                    found.setdefault(match[1], {})[index] = statement
        return {op: [*statements.values()] for op, statements in found.items()}

    @cached_property
    def _dynamic_line(self) -> int | None:
        """Where top-level code registers under names that it computes, as in a loop over a table."""
        for statement in self._top_level_code:
            for node in statement.tree:
                for call in ast.walk(node):
                    if isinstance(call, ast.Call) and _registers(call) and not isinstance(call.args[0], ast.Constant):
                        return statement.line - 1 + call.lineno
        return None

    @cached_property
    def _table_lines(self) -> Mapping[str, int]:
        """The strings that stand in top-level code, each with its first line."""
        found: dict[str, int] = {}
        for statement in self._top_level_code:
            if "__all__" not in statement.text:
                for text, line in _strings(statement):
                    found.setdefault(text, line)
        return found

    @property
    def _top_level_code(self) -> Iterator[Statement]:
        kinds = (Kind.SIMPLE, Kind.COMPOUND)
        return (statement for statement in self.source.statements if statement.kind in kinds)


def survey(source: ModuleSource) -> Ground:
    """Reads what a file holds.

    Raises:
        MergeError: where two definitions carry a marker with the same key.
    """
    owned: dict[str, int] = {}
    for index, statement in enumerate(source.statements):
        key = _owned_key(statement)
        if key is None:
            continue
        if key in owned:
            first = source.statements[owned[key]].line
            message = f"{key} is marked as generated twice, here and in line {first}"
            raise MergeError(message, location=source.location(statement.line), hint="delete one of them")
        owned[key] = index
    return Ground(source, owned, find_bindings(source))


def _owned_key(statement: Statement) -> str | None:
    """The key of a statement's marker, unless the marker was left behind above something else."""
    marker = statement.marker
    if marker is None:
        return None
    if marker.is_operator:
        base = marker.key.partition("::")[2]
        fits = statement.name.rstrip("_") == base.rstrip("_") or marker.key in statement.text
    else:
        bound = statement.name or statement.text.partition("=")[0].partition(":")[0].strip()
        fits = bound.strip("_").removeprefix("symgen_") == marker.key.strip("_")
    return marker.key if fits else None


def _registration(statement: Statement, op: str) -> int | None:
    """The line where a statement registers an operator, by a decorator or by a call of a registering function."""
    for node in (node for root in statement.tree for node in ast.walk(root)):
        calls: Sequence[ast.expr] = ()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            calls = node.decorator_list
        elif isinstance(node, ast.Call) and (_registers(node) or statement.kind is Kind.SIMPLE):
            calls = [node]
        for call in calls:
            values = [*call.args, *(one.value for one in call.keywords)] if isinstance(call, ast.Call) else []
            for value in values:
                if isinstance(value, ast.Constant) and value.value == op:
                    return statement.line - 1 + value.lineno
    return None


def _registers(call: ast.Call) -> bool:
    """Whether a call looks as if it registered a symbolic function."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return bool(call.args) and _REGISTRAR.search(name) is not None


def _strings(statement: Statement) -> Iterator[tuple[str, int]]:
    nodes = list(statement.tree)
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value, statement.line - 1 + node.lineno
        nodes.extend(ast.iter_child_nodes(node))  # type: ignore[arg-type]


def _first_use(statement: Statement, name: str) -> int | None:
    if name not in free_names(statement.text).all:
        return None
    uses = (n.lineno for root in statement.tree for n in ast.walk(root) if isinstance(n, ast.Name) and n.id == name)
    return statement.line - 1 + min(uses, default=1)
