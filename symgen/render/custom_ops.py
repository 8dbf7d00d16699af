"""Renders the symbolic functions of custom operators: each overload becomes one node of a domain of the user's."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from symgen.lower.custom_nodes import call_pattern
from symgen.model.definition import Definition, ModuleText, Registration
from symgen.model.names import OpName
from symgen.model.node import IgnoredArgument, InputKind, NodeAttribute, NodeInput, NodePart, NodeSpec
from symgen.model.schema import Argument
from symgen.model.types import OptionalType
from symgen.render.environment import template_environment
from symgen.render.imports import imports_for
from symgen.render.runtime import runtime_helpers
from symgen.render.text import docstring, export_call, python_string

_FUNCTION = "torchscript/custom_op.py.jinja"
_OVERLOADS = "torchscript/custom_overloads.py.jinja"
_FILE = "torchscript/custom_file.py.jinja"
_HELPERS = ("_custom_node", "_unpacked", "_constants", "_onnx_dtype", "_call_form")
_RESERVED = frozenset({"g", "symbolic_helper", "torch"})


@dataclass(frozen=True)
class _Form:
    """How one argument stands in the function."""

    argument: str
    descriptor: str
    passed: str = ""
    """The code that hands it to the node, empty where nothing does."""


def render_custom_module(
    op: OpName, specs: Sequence[NodeSpec], opset: int, package: str, own_templates: Path | None = None
) -> ModuleText:
    """The module with the function of an operator, and one for each of its overloads where there are several."""
    usage = f"    import {package}\n{export_call(specs[0].domain)}"
    if len(specs) == 1 and not specs[0].schema.name.overload:
        functions = [_function(op.identifier, specs[0], usage, own_templates)]
    else:
        parts = [
            _function(f"_{op.base}_{spec.schema.name.overload}".rstrip("_"), spec, "", own_templates) for spec in specs
        ]
        functions = [*parts, _chooser(op, specs, [part.name for part in parts], usage, own_templates)]
    last = functions.pop()
    registered = Definition(
        last.name, last.source, (Registration(op.qualified, (opset,)),), last.requires, last.imports
    )
    used = {name for function in (*functions, registered) for name in function.requires if name in _HELPERS}
    head = template_environment(own_templates).get_template(_FILE).render(namespace=op.namespace, opset=opset)
    return ModuleText(head, (*runtime_helpers(sorted(used), own_templates), *functions, registered))


def _function(name: str, spec: NodeSpec, usage: str, own_templates: Path | None) -> Definition:
    forms = [_form(argument, part) for argument, part in zip(spec.schema.arguments, spec.parts, strict=True)]
    shown = _with_defaults(spec.schema.arguments, forms)
    op, text = spec.schema.name, f"{spec.schema}\n\nOne node `{spec.qualified}`."
    source = (
        template_environment(own_templates)
        .get_template(_FUNCTION)
        .render(
            name=name,
            descriptors=[form.descriptor for form in forms],
            arguments=["g: jit_utils.GraphContext", *shown],
            returns="_C.Value" if spec.outputs == 1 else "tuple[_C.Value, ...]",
            docstring=docstring("\n\n".join(filter(None, [text, usage]))),
            op=f"torch.ops.{op.namespace}.{op.base}.{op.overload or 'default'}",
            node=python_string(spec.qualified),
            inputs=[f.passed for f, p in zip(forms, spec.parts, strict=True) if isinstance(p, NodeInput)],
            outputs=spec.outputs,
            attributes=[f.passed for f, p in zip(forms, spec.parts, strict=True) if isinstance(p, NodeAttribute)],
        )
    )
    requires = tuple(helper for helper in _HELPERS if f"{helper}(" in source)
    return Definition(name, source, requires=requires, imports=imports_for(source), exported=bool(usage))


def _chooser(
    op: OpName, specs: Sequence[NodeSpec], functions: Sequence[str], usage: str, own_templates: Path | None
) -> Definition:
    """The function that is registered where the exporter's name stands for several overloads."""
    schemas = "\n".join(str(spec.schema) for spec in specs)
    source = (
        template_environment(own_templates)
        .get_template(_OVERLOADS)
        .render(
            name=op.identifier,
            op=op.qualified,
            docstring=docstring(f"{schemas}\n\n{usage}"),
            overloads=sorted(
                ((call_pattern(spec.schema), name) for spec, name in zip(specs, functions, strict=True)),
                key=lambda pair: pair[0].count("t"),
            ),
        )
    )
    return Definition(op.identifier, source, requires=(*functions, "_call_form"), imports=imports_for(source))


def _form(argument: Argument, part: NodePart) -> _Form:
    name = _identifier(argument.name)
    none = " | None" if isinstance(argument.type, OptionalType) else ""
    match part:
        case NodeInput(kind=InputKind.LIST):
            return _Form(f"{name}: _C.Value{none}", "v", f'"{part.name}": _unpacked({name})')
        case NodeInput():
            return _Form(f"{name}: _C.Value{none}", "v", f'"{part.name}": {name}')
        case NodeAttribute(is_dtype=True):
            return _Form(f"{name}: int{none}", "i", f'"{part.name}_i": _onnx_dtype({name})')
        case NodeAttribute(type="i", is_list=True):
            return _Form(f"{name}: Sequence[int]{none}", "is", f'"{part.name}_i": {name}')
        case NodeAttribute(is_list=True):
            passed = f'_constants({name}, "{part.type}", "{part.name}")'
            return _Form(f"{name}: Any", "v", f'"{part.name}_{part.type}": {passed}')
        case NodeAttribute():
            annotation = {"f": "float", "s": "str"}.get(part.type, "bool" if "bool" in str(argument.type) else "int")
            descriptor = "b" if annotation == "bool" else part.type
            return _Form(f"{name}: {annotation}{none}", descriptor, f'"{part.name}_{part.type}": {name}')
        case IgnoredArgument():
            return _Form(f"{name}: Any", "none")


def _with_defaults(arguments: Sequence[Argument], forms: Sequence[_Form]) -> Iterator[str]:
    """The parameters as code; a default only where all behind it have one."""
    missing = [place for place, argument in enumerate(arguments) if argument.default_value is ...]
    first = max(missing, default=-1) + 1
    for place, (argument, form) in enumerate(zip(arguments, forms, strict=True)):
        yield f"{form.argument} = {argument.default_value!r}" if place >= first else form.argument


def _identifier(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) or name in _RESERVED else name
