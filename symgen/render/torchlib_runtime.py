"""The runtime helpers of functions for the dynamo exporter in a module of their own, from which the others import."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from symgen.model.definition import Definition, Import, ModuleText
from symgen.render.environment import template_environment
from symgen.render.imports import names_in
from symgen.render.runtime import TORCHLIB, called_helpers, runtime_helpers

TRACING = "tracing"
"""What the module is called, in a package of symgen's as in torchlib."""
_FILE = "torchlib/tracing.py.jinja"


def is_runtime(definition: Definition) -> bool:
    """Whether a definition is a part of symgen's runtime, which no operator has for itself."""
    return definition.name in called_helpers(f"{definition.name}()", language=TORCHLIB)


def without_runtime(
    definitions: Iterable[Definition], module: str
) -> tuple[tuple[Definition, ...], tuple[Definition, ...]]:
    """The definitions of an operator, which import what they call of the runtime; and the runtime's.

    Args:
        definitions: all of them.
        module: where the runtime stands, as an import has it: `.tracing`.
    """
    own, runtime = list[Definition](), list[Definition]()
    for one in definitions:
        (runtime if is_runtime(one) else own).append(one)
    names = {one.name for one in runtime}

    def importing(one: Definition) -> Definition:
        imports = {Import(module, name) for name in names_in(one.source) & names}
        requires = tuple(name for name in one.requires if name not in names)
        return replace(one, requires=requires, imports=tuple(sorted({*one.imports, *imports})))

    return tuple(map(importing, own)), tuple(replace(one, shared=True) for one in runtime)


def shared_helpers(names: Iterable[str], own_templates: Path | None = None) -> tuple[Definition, ...]:
    """The runtime helpers among some names, and all that they call, as a module of their own has them."""
    known = called_helpers("".join(f"{name}\n" for name in names), language=TORCHLIB)
    return tuple(replace(one, shared=True) for one in runtime_helpers(known, own_templates, TORCHLIB))


def render_tracing(runtime: tuple[Definition, ...], own_templates: Path | None = None) -> ModuleText:
    """The module of a package that holds the runtime helpers."""
    return ModuleText(template_environment(own_templates).get_template(_FILE).render(), runtime)
