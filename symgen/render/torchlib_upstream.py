"""Renders lowered plans as functions of torchlib itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symgen.lower.element_types import Deduced
from symgen.lower.lowering import LoweredPlan
from symgen.model.definition import Definition, Import, ModuleText
from symgen.render.imports import TORCHLIB_IMPORTS, imports_for, names_in
from symgen.render.runtime import TORCHLIB, called_helpers, runtime_helpers
from symgen.render.torchlib import render_torchlib_module
from symgen.render.torchlib_runtime import is_runtime
from symgen.render.torchlib_style import in_torchlib_style
from symgen.render.upstream import said_of

_TYPING = {**TORCHLIB_IMPORTS, "Optional": Import("typing", "Optional"), "Sequence": Import("typing", "Sequence")}
WITHOUT_TYPES = frozenset({"_holds_value", "_int_list", "_known", "_list", "_number", "_was_cast"})
"""The runtime helpers that do without the types and shapes of what is computed on the way."""


def render_torchlib_upstream(lowered: LoweredPlan, deduced: Deduced, *, plain: bool) -> ModuleText | None:
    """What a file of torchlib is to hold for an operator: its functions, and the helpers that torchlib has no like of.

    Args:
        lowered: the form for torchlib's own opset.
        deduced: what its tensors may be.
        plain: whether it is to be said in plain operators; None where it can't. Else it brings all that symgen's
            package for the dynamo exporter has.
    """
    said = "\n\n".join(["\n".join(map(str, lowered.plan.overloads)), said_of(lowered.plan)]).strip()
    told = replace(lowered, function=replace(lowered.function, docstring=said))
    if plain:
        told = replace(told, plan=replace(told.plan, promotion=None))
    module = render_torchlib_module(told, deduced)
    written = [_in_style(one, plain) for one in module.definitions if not is_runtime(one)]
    called = {name for one in written for name in called_helpers(one.source, one.name, TORCHLIB)}
    helpers = [_in_style(one, plain=False) for one in runtime_helpers(called, None, TORCHLIB)]
    if plain and {one.name for one in helpers} - WITHOUT_TYPES:
        return None
    return ModuleText(module.head, (*helpers, *_linked([*helpers, *written], written)))


def _in_style(definition: Definition, plain: bool) -> Definition:
    source = in_torchlib_style(definition.source, calls=plain)
    return replace(definition, source=source, imports=imports_for(source, _TYPING))


def _linked(all_of_them: list[Definition], written: list[Definition]) -> Iterator[Definition]:
    """The definitions with the names of those others that they call."""
    names = {one.name for one in all_of_them}
    for one in written:
        yield replace(one, requires=tuple(sorted((names_in(one.source) & names) - {one.name})))
