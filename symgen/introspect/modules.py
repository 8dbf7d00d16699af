"""Finds the source of modules the way an import would, and executes nothing of them, not even their packages."""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path

from symgen.errors import ParseError, UnknownNameError
from symgen.model.location import Location


@dataclass(frozen=True, eq=False)
class SourceModule:
    """A module as text and as a syntax tree."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def package(self) -> str:
        """The package that its relative imports start from."""
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]

    def location(self, node: ast.stmt | ast.expr | ast.arg) -> Location:
        """Where a node of its tree stands."""
        return Location(str(self.path), node.lineno)

    def absolute(self, level: int, name: str) -> str:
        """The absolute name of what `from` names: `from ..a import b` has level 2 and name `a`."""
        if not level:
            return name
        parts = self.package.split(".")
        base = ".".join(parts[: len(parts) - level + 1])
        return f"{base}.{name}".strip(".")


def load_module(name: str, start: Path) -> SourceModule:
    """Reads the module of a dotted name; `start` is the folder that comes first on the module path.

    Raises:
        UnknownNameError: where there is no such module.
        ParseError: where it has no source, or the source is not Python.
    """
    path = find_module(name, start)
    try:
        content = (start / path).read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        text = content.decode(encoding)
        return SourceModule(name, path, text, ast.parse(content))
    except SyntaxError as error:
        raise ParseError(f"not valid Python: {error.msg}", location=Location(str(path), error.lineno or 0)) from None
    except (OSError, ValueError) as error:
        raise ParseError(f"cannot be read: {error}", location=Location(str(path))) from None


def find_module(name: str, start: Path) -> Path:
    """The source file of a module; inside `start` as a path relative to it.

    Raises:
        UnknownNameError: where there is no such module.
        ParseError: where it has no source.
    """
    folders: Sequence[str] | None = [str(start), *sys.path]
    spec, found = None, ""
    for part in name.split("."):
        found = f"{found}.{part}".lstrip(".")
        spec = _find_spec(found, folders) if folders is not None else None
        if spec is None:
            raise UnknownNameError(f"there is no module {found}")
        folders = spec.submodule_search_locations
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        raise ParseError(f"the module {name} has no source in Python")
    path = Path(spec.origin)
    return path.relative_to(start) if path.is_relative_to(start) else path


def _find_spec(name: str, folders: Sequence[str]) -> ModuleSpec | None:
    """Asks the finders; unlike `importlib.util.find_spec` this never imports the package around a module."""
    for finder in sys.meta_path:
        spec = finder.find_spec(name, folders)
        if spec is not None:
            return spec
    return None
