"""The runtime helpers: functions of the target language that generated code calls, kept as text in the templates."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from symgen.model.definition import Definition, Import
from symgen.render.environment import template_environment
from symgen.render.imports import IMPORTS, TORCHLIB_IMPORTS, imports_for, names_in


@dataclass(frozen=True)
class Language:
    """The language of a target: the folder with its runtime helpers, and the imports that its names stand for."""

    folder: str
    imports: Mapping[str, Import] = field(hash=False)


TORCHSCRIPT = Language("torchscript/runtime", IMPORTS)
TORCHLIB = Language("torchlib/runtime", TORCHLIB_IMPORTS)
OF_COMPLEX = frozenset({"_is_complex", "_carried"})
"""Runtime helpers of functions that know of complex tensors."""
CARRYING_COMPLEX = "_carrying_complex"
"""The one that such a function is decorated with, for either target."""


@functools.lru_cache(maxsize=256)
def runtime_helper(name: str, own_templates: Path | None = None, language: Language = TORCHSCRIPT) -> Definition:
    """The definition of one runtime helper (`_promoted`), with the helpers that it calls itself in `requires`."""
    environment = template_environment(own_templates)
    source = environment.get_template(f"{language.folder}/{name}.py").render()
    requires = called_helpers(source, name, language)
    return Definition(name, source, requires=requires, imports=imports_for(source, language.imports), exported=False)


def runtime_helpers(
    names: Iterable[str], own_templates: Path | None = None, language: Language = TORCHSCRIPT
) -> tuple[Definition, ...]:
    """The helpers and all that they call in turn, sorted by name."""
    found: dict[str, Definition] = {}
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in found:
            found[name] = runtime_helper(name, own_templates, language)
            pending.extend(found[name].requires)
    return tuple(found[name] for name in sorted(found))


def called_helpers(source: str, own_name: str = "", language: Language = TORCHSCRIPT) -> tuple[str, ...]:
    """The runtime helpers that a piece of code names, but for its own name."""
    return tuple(sorted((names_in(source) & _known(language.folder)) - {own_name}))


@functools.cache
def _known(folder: str) -> frozenset[str]:
    loader = template_environment().loader
    names = loader.list_templates() if loader else []
    return frozenset(Path(name).stem for name in names if name.startswith(folder))
