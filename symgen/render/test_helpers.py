"""The functions that generated test files may hold beside their tests: from the templates, and the verifier's own.

The source of the functions that export and run is read from `symgen/verify/roundtrip.py` and `properties.py` as text,
so that both always do the same.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from pathlib import Path

import symgen
from symgen.model.definition import Definition, Import
from symgen.render.environment import template_environment

_TEMPLATES = ("tests/helpers.py", "tests/node_helpers.py", "tests/torchlib_helpers.py")
_SHARED = ("verify/roundtrip.py", "verify/exporting.py", "verify/properties.py")


def render_test(name: str, source: str, own_templates: Path | None = None) -> Definition:
    """A test as a definition, with what it calls and imports."""
    used = _names(source)
    requires = tuple(sorted(used & helpers(own_templates).keys()))
    return Definition(name, source, requires=requires, imports=_imports(used), exported=False)


def with_helpers(tests: Sequence[Definition], own_templates: Path | None) -> tuple[Definition, ...]:
    """The tests behind the helpers that they call, and those that these call."""
    known = helpers(own_templates)
    needed: set[str] = set()
    pending = [name for test in tests for name in test.requires]
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending += known[name].requires
    return (*(helper for name, helper in known.items() if name in needed), *tests)


@functools.lru_cache(maxsize=4)
def helpers(own_templates: Path | None) -> dict[str, Definition]:
    """All functions that a test file may hold, by name, in the order in which they stand there."""
    sources: dict[str, str] = {}
    for text in (*_own_texts(own_templates), *_shared_texts()):
        sources |= _functions(text)
    found = {}
    for name, source in sources.items():
        used = _names(source)
        requires = tuple(sorted((used & sources.keys()) - {name}))
        found[name] = Definition(name, source, requires=requires, imports=_imports(used), exported=False)
    return found


def _own_texts(own_templates: Path | None) -> tuple[str, ...]:
    environment = template_environment(own_templates)
    return tuple(environment.get_template(name).render() for name in _TEMPLATES)


@functools.cache
def _shared_texts() -> tuple[str, ...]:
    package = Path(symgen.__file__).parent
    return tuple((package / name).read_text(encoding="utf-8") for name in _SHARED)


def _functions(text: str) -> dict[str, str]:
    """The source of each function of a module."""
    definitions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {node.name: f"{ast.get_source_segment(text, node)}\n" for node in definitions}


def _names(source: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}


def _imports(names: set[str]) -> tuple[Import, ...]:
    return tuple(sorted(found for bound, found in _known_imports().items() if bound in names))


@functools.cache
def _known_imports() -> dict[str, Import]:
    """The imports of the modules that the functions come from, by the name that each binds."""
    texts = (*_own_texts(None), *_shared_texts())
    found: dict[str, Import] = {}
    for node in (node for text in texts for node in ast.parse(text).body):
        if isinstance(node, ast.Import):
            imports = [Import(alias.name, "", alias.asname or "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            imports = [Import(node.module or "", alias.name, alias.asname or "") for alias in node.names]
        else:
            continue
        found |= {one.bound: one for one in imports}
    return found
