"""Fits rendered definitions to one file of a checkout: its names for what they call, and nothing twice."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePosixPath

from symgen.merge.names import rename_free
from symgen.model.definition import Definition, Import, Registration
from symgen.pipeline.upstream.checkout import Checkout
from symgen.render.exporter_style import OPSET9, local_calls
from symgen.render.imports import EXPORTER

_MODULE = re.compile(r"\b(opset\d+)\.")


@dataclass(frozen=True)
class File:
    """A symbolic file as it is before a merge, and the functions of those for lower opsets."""

    path: str
    text: str
    lower: Mapping[str, Mapping[str, ast.FunctionDef]]
    """By what torch's files call the module (`opset9`), and by the function's name."""

    @property
    def module(self) -> str:
        """What torch's files call this one."""
        return PurePosixPath(self.path).stem.removeprefix("symbolic_")


def fit(definitions: Sequence[Definition], file: File, opset: int, checkout: Checkout) -> tuple[Definition, ...]:
    """The definitions as one file is to hold them.

    Helpers that a file for a lower opset has are called from there; one whose name the file has for something else gets
    another; imports are those of the checkout's layout.
    """
    helpers = [one for one in definitions if one.is_helper]
    borrowed = _borrowed(helpers, file)
    names = dict(borrowed)
    standing = functions_of(file.text)
    for one in helpers:
        if one.name in standing.keys() - borrowed.keys() and not _is_same(one, borrowed, file.module, standing):
            names[one.name] = f"{one.name}_helper"
    return tuple(_finished(one, names, file, opset, checkout) for one in definitions if one.name not in borrowed)


@lru_cache(maxsize=32)
def functions_of(text: str) -> Mapping[str, ast.FunctionDef]:
    """The top-level functions of a file, by name."""
    return {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}


def _borrowed(helpers: Sequence[Definition], file: File) -> dict[str, str]:
    """The helpers that lower files have, with the names by which they are called from there.

    What a helper calls in turn has to be there as well: of the same text two files may understand different things.
    """
    names: dict[str, str] = {}
    while found := next(_borrowable(helpers, names, file), None):
        name, module = found
        names[name] = f"{module}.{name}"
    return names


def _borrowable(helpers: Sequence[Definition], names: Mapping[str, str], file: File) -> Iterator[tuple[str, str]]:
    for helper in helpers:
        for module, functions in file.lower.items():
            reachable = all(names.get(one, "").startswith((f"{module}.", f"{OPSET9}.")) for one in helper.requires)
            if helper.name not in names and reachable and _is_same(helper, names, module, functions):
                yield helper.name, module


def _is_same(
    helper: Definition, names: Mapping[str, str], module: str, functions: Mapping[str, ast.FunctionDef]
) -> bool:
    """Whether a module has this very helper; neither layout nor comments count."""
    if helper.name not in functions:
        return False
    source, _ = local_calls(rename_free(helper.source, dict(names)), module)
    return normal_form(ast.parse(source).body[0]) == normal_form(functions[helper.name])


def normal_form(function: ast.stmt) -> str:
    """A text for comparison, in which a list may be annotated as any sequence."""
    return ast.dump(function).replace("id='Sequence'", "id='list'")


def _finished(
    definition: Definition, names: Mapping[str, str], file: File, opset: int, checkout: Checkout
) -> Definition:
    source = rename_free(definition.source, dict(names)) if names else definition.source
    source, calls = local_calls(source, file.module)
    source, imports = _without_sequence(source, definition.imports, file)
    modules = {module for module in _MODULE.findall(source) if module != file.module}
    found = {one for one in imports if not one.alias} | {_import_of(module) for module in modules}
    requires = [names.get(name, name) for name in definition.requires]
    return replace(
        definition,
        name=names.get(definition.name, definition.name),
        source=source,
        registrations=tuple(Registration(one.op, (opset,)) for one in definition.registrations),
        requires=tuple(sorted(name for name in requires if "." not in name)),
        imports=tuple(sorted(_of_layout(one, checkout) for one in found)),
        calls=calls,
    )


def _import_of(module: str) -> Import:
    return Import(EXPORTER, f"symbolic_{module}", module)


def _of_layout(wanted: Import, checkout: Checkout) -> Import:
    """The import of one of the exporter's modules from where this layout has it."""
    return replace(wanted, module=checkout.module_package(wanted.name)) if wanted.module == EXPORTER else wanted


def _without_sequence(source: str, imports: Sequence[Import], file: File) -> tuple[str, tuple[Import, ...]]:
    """`Sequence` only stands in annotations: the file's import for checkers does, and without one it is a list."""
    rest = tuple(one for one in imports if one.bound != "Sequence")
    if re.search(r"^ *from collections\.abc import .*\bSequence\b", file.text, re.MULTILINE):
        return source, rest
    return re.sub(r"\bSequence\[", "list[", source), rest
