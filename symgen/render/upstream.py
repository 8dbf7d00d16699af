"""Renders lowered plans as definitions of torch's own symbolic files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from symgen.lower.lowering import LoweredPlan
from symgen.model.definition import Definition, Import, ModuleText
from symgen.model.plan import Plan
from symgen.render.environment import template_environment
from symgen.render.exporter_style import OPSET9, PROMOTED_ARGS, PROMOTED_LIST, in_exporter_style
from symgen.render.imports import EXPORTER, imports_for
from symgen.render.runtime import called_helpers, runtime_helper
from symgen.render.torchscript import render_definitions, render_head

_IN_DOUBLE = re.compile(r"; in float64, which leaves [^.;]*")
_NAMED = {
    OPSET9: Import(EXPORTER, "symbolic_opset9", OPSET9),
    "torch._prims_common": Import("torch._prims_common"),
}


def render_upstream(lowered: LoweredPlan, opsets: Sequence[int], known: Collection[str]) -> ModuleText:
    """What a file of torch's own is to hold for an operator: its function, and the helpers that torch has no like of.

    Args:
        opsets: where the function is registered; the first is the number of the file.
        known: the functions of torch's `symbolic_opset9.py`; they are called as `opset9.name`.
    """
    told = replace(lowered, function=replace(lowered.function, docstring=said_of(lowered.plan)))
    rendered = [one for one in render_definitions(told, opsets) if not _is_runtime(one)]
    own = {one.name for one in rendered}
    written = [_in_style(one, known, own) for one in rendered]
    if "@_promoted(" in written[-1].source:
        # Promoted in a way that torch's own helpers do not know: it brings all that it is proven with.
        return ModuleText(render_head(opsets[0]), tuple(_in_form(one) for one in render_definitions(told, opsets)))
    return ModuleText(render_head(opsets[0]), (*_runtime(written, known, own), *written))


def said_of(plan: Plan) -> str:
    """The plan's summary without what it says of double precision, in which torch's own files do not compute."""
    return _IN_DOUBLE.sub("", plan.summary)


def _in_form(definition: Definition) -> Definition:
    source = in_exporter_style(definition.source, (), calls=False)
    return replace(definition, source=source, imports=imports_for(source))


def _is_runtime(definition: Definition) -> bool:
    return definition.name in called_helpers(f"{definition.name}()")


def _in_style(definition: Definition, known: Collection[str], own: Collection[str]) -> Definition:
    source = in_exporter_style(definition.source, known)
    requires = {*called_helpers(source, definition.name), *(set(definition.requires) & set(own))}
    requires |= {name for name in (PROMOTED_ARGS, PROMOTED_LIST) if f"@{name}" in source}
    named = (wanted for text, wanted in _NAMED.items() if f"{text}." in source)
    imports = tuple(sorted({*imports_for(source), *named}))
    return replace(definition, source=source, requires=tuple(sorted(requires)), imports=imports)


def _runtime(definitions: Sequence[Definition], known: Collection[str], own: Collection[str]) -> Iterator[Definition]:
    """The helpers that the definitions still call, and those that these call in turn."""
    found: dict[str, Definition] = {}
    pending = [name for one in definitions for name in one.requires if name not in own]
    while pending:
        name = pending.pop()
        if name not in found:
            found[name] = _in_style(_helper(name), known, ())
            pending.extend(found[name].requires)
    yield from (found[name] for name in sorted(found))


def _helper(name: str) -> Definition:
    """A helper, as it is for torch's own files where there is a form for them."""
    template = f"upstream/{name}.py"
    environment = template_environment()
    if template not in environment.list_templates():
        return runtime_helper(name)
    return Definition(name, environment.get_template(template).render(), exported=False)
