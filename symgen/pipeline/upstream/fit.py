"""Fits rendered definitions to one file of a checkout: its names for what they call, and nothing twice."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePosixPath

from symgen.merge.names import rename_free
from symgen.model.definition import Definition, Import, Registration
from symgen.pipeline.upstream.checkout import Checkout
from symgen.render.exporter_style import OPSET9, local_calls
from symgen.render.imports import EXPORTER

_SHARED = "symbolic_opset9"
"""The file whose functions all others may call."""


@dataclass(frozen=True)
class File:
    """A symbolic file as it is before a merge, and what the file for opset 9 has by then."""

    path: str
    text: str
    shared: Mapping[str, ast.FunctionDef]
    """The functions of the file for opset 9, by name."""

    @property
    def stem(self) -> str:
        """The module's name."""
        return PurePosixPath(self.path).stem


def fit(definitions: Sequence[Definition], file: File, opset: int, checkout: Checkout) -> tuple[Definition, ...]:
    """The definitions as one file is to hold them.

    Helpers that the file for opset 9 has are called from there; one whose name the file has for something else gets
    another; imports are those of the checkout's layout.
    """
    own = [_local(definition, file.stem) for definition in definitions]
    helpers = [one for one in own if one.is_helper]
    borrowed = [one.name for one in helpers if file.stem != _SHARED and _is_same(one, file.shared)]
    standing = functions_of(file.text)
    names = {name: f"{OPSET9}.{name}" for name in borrowed}
    names |= {one.name: f"{one.name}_helper" for one in helpers if one.name in standing and not _is_same(one, standing)}
    kept = [one for one in own if one.name not in borrowed]
    return tuple(_finished(one, names, file, opset, checkout) for one in kept)


@lru_cache(maxsize=4)
def functions_of(text: str) -> Mapping[str, ast.FunctionDef]:
    """The top-level functions of a file, by name."""
    return {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}


def _is_same(helper: Definition, standing: Mapping[str, ast.FunctionDef]) -> bool:
    """Whether a file has this very helper; neither layout nor comments count."""
    own = ast.parse(_local(helper, _SHARED).source).body[0]
    return helper.name in standing and ast.dump(standing[helper.name]) == ast.dump(own)


def _local(definition: Definition, stem: str) -> Definition:
    source, calls = local_calls(definition.source) if stem == _SHARED else (definition.source, ())
    return replace(definition, source=source, calls=calls)


def _finished(
    definition: Definition, names: Mapping[str, str], file: File, opset: int, checkout: Checkout
) -> Definition:
    source = rename_free(definition.source, dict(names)) if names else definition.source
    source, imports = _without_sequence(source, definition.imports, file)
    borrows = f"{OPSET9}." in source
    found = {one for one in imports if borrows or one.bound != OPSET9} - ({_OPSET9} if file.stem == _SHARED else set())
    found |= {_OPSET9} if borrows else set()
    registrations = tuple(Registration(one.op, (opset,)) for one in definition.registrations)
    requires = [names.get(name, name) for name in definition.requires]
    return replace(
        definition,
        name=names.get(definition.name, definition.name),
        source=source,
        registrations=registrations,
        requires=tuple(sorted(name for name in requires if "." not in name)),
        imports=tuple(sorted(_of_layout(one, checkout) for one in found)),
    )


_OPSET9 = Import(EXPORTER, _SHARED, OPSET9)


def _of_layout(wanted: Import, checkout: Checkout) -> Import:
    """The import of one of the exporter's modules from where this layout has it."""
    return replace(wanted, module=checkout.module_package(wanted.name)) if wanted.module == EXPORTER else wanted


def _without_sequence(source: str, imports: Sequence[Import], file: File) -> tuple[str, tuple[Import, ...]]:
    """`Sequence` only stands in annotations: the file's import for checkers does, and without one it is a list."""
    rest = tuple(one for one in imports if one.bound != "Sequence")
    if re.search(r"^( *)from collections\.abc import .*\bSequence\b", file.text, re.MULTILINE):
        return source, rest
    return re.sub(r"\bSequence\[", "list[", source), rest
