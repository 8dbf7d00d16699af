"""Renders lowered plans as definitions of a `symbolic_opset<N>.py`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from symgen.lower.lowering import LoweredFunction, LoweredPlan
from symgen.model.definition import Definition, ModuleText, Registration
from symgen.render.environment import template_environment
from symgen.render.imports import imports_for
from symgen.render.runtime import CARRYING_COMPLEX, OF_COMPLEX, runtime_helpers
from symgen.render.signatures import argument_text, promotion_text
from symgen.render.text import docstring

_FUNCTION = "torchscript/symbolic_function.py.jinja"
_FILE = "torchscript/symbolic_file.py.jinja"


def render_module(
    lowered: LoweredPlan, opsets: Sequence[int], own_templates: Path | None = None, *, functions_in: str = ""
) -> ModuleText:
    """The module for one range of opsets: the head of a new file, the operator's function, and all that it calls.

    Args:
        opsets: where the function is registered: the range's first opset, and those at which torch's own would take
            over. The first is the number of the file.
        functions_in: the domain for a local function of the model; where there is none, its nodes stand in the graph.
    """
    definitions = render_definitions(lowered, opsets, own_templates, functions_in=functions_in)
    return ModuleText(render_head(opsets[0], own_templates), definitions)


def render_head(opset: int, own_templates: Path | None = None) -> str:
    """What a new file for one opset starts with."""
    return template_environment(own_templates).get_template(_FILE).render(opset=opset)


def render_definitions(
    lowered: LoweredPlan, opsets: Sequence[int], own_templates: Path | None = None, *, functions_in: str = ""
) -> tuple[Definition, ...]:
    """The definitions, helpers first, the operator's function last."""
    function = _definition(lowered.function, lowered, own_templates, functions_in)
    registered = Registration(lowered.plan.op.qualified, tuple(opsets))
    function = Definition(function.name, function.source, (registered,), function.requires, function.imports)
    helpers = [_definition(helper, None, own_templates) for helper in lowered.helpers]
    names = {name for definition in (function, *helpers) for name in definition.requires} - {h.name for h in helpers}
    return (*runtime_helpers(names, own_templates), *helpers, function)


def _definition(
    function: LoweredFunction, lowered: LoweredPlan | None, own_templates: Path | None, functions_in: str = ""
) -> Definition:
    promotion = lowered.plan.promotion if lowered else None
    names = {p.name: p.stub_name for p in lowered.plan.parameters} if lowered else {}
    carries_complex = lowered is not None and bool(OF_COMPLEX & set(function.runtime))
    descriptors = [form.descriptor for form in function.arguments] if lowered and not function.var_positional else []
    source = (
        template_environment(own_templates)
        .get_template(_FUNCTION)
        .render(
            name=function.name,
            local_function=f"{functions_in}::{function.name}" if functions_in else "",
            carries_complex=carries_complex,
            quantized=_quantized(lowered) if lowered else [],
            descriptors=descriptors,
            promoted=promotion_text(promotion, names),
            arguments=["g: jit_utils.GraphContext", *_arguments(function)],
            returns=function.returns,
            docstring=docstring(function.docstring),
            preparation=[line for form in function.arguments for line in form.preparation],
            body=function.body,
        )
    )
    requires = {*function.runtime, *(f"_{name}" for name in function.helpers), *(["_promoted"] if promotion else [])}
    requires |= {CARRYING_COMPLEX} if carries_complex else set()
    requires |= {"_as_function"} if functions_in else set()
    return Definition(
        function.name,
        source,
        requires=tuple(sorted(requires)),
        imports=imports_for(source),
        exported=lowered is not None,
    )


def _quantized(lowered: LoweredPlan) -> list[bool]:
    """Which of the first parameters may be quantised tensors, up to the last one that may."""
    flags = [parameter.name in lowered.plan.quantized for parameter in lowered.plan.parameters]
    return flags[: len(flags) - flags[::-1].index(True)] if any(flags) else []


def _arguments(function: LoweredFunction) -> list[str]:
    if function.var_positional:
        shared = [argument_text(form) for form in function.arguments]
        return [*shared, f"*{function.var_positional}: _C.Value"]
    return [argument_text(form) for form in function.arguments]
