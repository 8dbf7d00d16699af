"""The runtime helpers: functions of the target language that generated code calls, kept as text in the templates."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable
from pathlib import Path

from symgen.model.definition import Definition
from symgen.render.environment import template_environment
from symgen.render.imports import imports_for

_FOLDER = "torchscript/runtime"


@functools.lru_cache(maxsize=256)
def runtime_helper(name: str, own_templates: Path | None = None) -> Definition:
    """The definition of one runtime helper (`_promoted`), with the helpers that it calls itself in `requires`."""
    environment = template_environment(own_templates)
    source = environment.get_template(f"{_FOLDER}/{name}.py").render()
    return Definition(name, source, requires=_called(source, name), imports=imports_for(source), exported=False)


def runtime_helpers(names: Iterable[str], own_templates: Path | None = None) -> tuple[Definition, ...]:
    """The helpers and all that they call in turn, sorted by name."""
    found: dict[str, Definition] = {}
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in found:
            found[name] = runtime_helper(name, own_templates)
            pending.extend(found[name].requires)
    return tuple(found[name] for name in sorted(found))


@functools.cache
def _known() -> frozenset[str]:
    loader = template_environment().loader
    names = loader.list_templates() if loader else []
    return frozenset(Path(name).stem for name in names if name.startswith(_FOLDER))


def _called(source: str, own_name: str) -> tuple[str, ...]:
    names = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    return tuple(sorted((names & _known()) - {own_name}))
