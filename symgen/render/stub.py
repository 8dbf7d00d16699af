"""Renders the stub of an operator without a translation: a function that raises, and says why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from symgen.model.definition import Definition, Import, ModuleText, Registration
from symgen.model.plan import NoPlan
from symgen.model.schema import AtenSchema
from symgen.render.environment import template_environment
from symgen.render.imports import imports_for
from symgen.render.runtime import runtime_helpers
from symgen.render.text import docstring, python_string
from symgen.render.torchscript import render_head

_STUB = "torchscript/symbolic_stub.py.jinja"
_TEST = "tests/test_stub.py.jinja"
_ERROR_VALUE = "_first_value"
NO_TRANSLATION = "has no translation to ONNX"
"""What the error of every stub says."""


def render_stub(
    none: NoPlan, overloads: Sequence[AtenSchema], opset: int, own_templates: Path | None = None
) -> ModuleText:
    """The module with the stub; registered at one opset it serves all later ones."""
    environment = template_environment(own_templates)
    schemas = "\n".join(str(schema) for schema in overloads)
    source = environment.get_template(_STUB).render(
        name=none.op.identifier,
        docstring=docstring(f"{schemas}\n\nNo translation: {none.reason}."),
        message=python_string(f"{none.op.qualified} {NO_TRANSLATION}: {none.reason}"),
    )
    function = Definition(
        name=none.op.identifier,
        source=source,
        registrations=(Registration(none.op.qualified, (opset,)),),
        requires=(_ERROR_VALUE,),
        imports=imports_for(source),
    )
    return ModuleText(render_head(opset, own_templates), (*runtime_helpers([_ERROR_VALUE], own_templates), function))


def render_stub_test(none: NoPlan, opset: int, package: str, own_templates: Path | None = None) -> Definition:
    """The test of a stub: it raises, and names the operator."""
    op = none.op
    name = op.test_name
    source = (
        template_environment(own_templates)
        .get_template(_TEST)
        .render(
            name=name,
            docstring=docstring(f"{op.qualified} has no translation, and an export says so."),
            match=python_string(f"{op.qualified} has no translation"),
            package=package,
            module=f"symbolic_opset{opset}",
            function=op.identifier,
        )
    )
    return Definition(name, source, imports=(*imports_for(source), Import("pytest")), exported=False)
