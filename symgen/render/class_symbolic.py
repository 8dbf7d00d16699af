"""Renders the `symbolic` of an autograd.Function that becomes one node of a domain of the user's."""

from __future__ import annotations

import builtins
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from symgen.lower.forward_calls import CALL, ForwardBody
from symgen.model.autograd import ForwardParameter, FunctionClass, ParameterKind
from symgen.model.definition import Definition, Import, ModuleText
from symgen.model.domain import Domain
from symgen.render.environment import template_environment
from symgen.render.imports import imports_for
from symgen.render.runtime import runtime_helpers
from symgen.render.text import docstring, export_call, python_string

_NODE = "torchscript/class_node.py.jinja"
_TRANSLATION = "torchscript/class_translation.py.jinja"
_LOCAL_FUNCTION = "torchscript/class_function.py.jinja"
_FILE = "torchscript/class_file.py.jinja"
_ATTACHED = "_attached_to"
_HANDLED = "_handled"
_FUNCTION = "_as_function"
_INLINED = "_inlined"
_DOCSTRING = "__docstring__"
_BODY = "__body__"
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class NodeForm:
    """What is known of the node beside what the class's text says."""

    domain: Domain
    outputs: int = 1
    like: str = ""
    """The parameter whose type the one result has; empty where the types are found when a model is exported."""


def render_class_node(
    owner: FunctionClass, form: NodeForm, own_templates: Path | None = None, *, is_method: bool = True
) -> Definition:
    """The method that makes one node; it stands alone, so that nothing else in the class's file has to change.

    With `is_method` false it is a function of the package, which attaches itself to the class on import. Where no
    import finds the class that a model calls, it is called by a handler of `prim::PythonOp`.
    """
    own = _stand_ins(owner)
    node = f"{form.domain.name}::{owner.name}"
    text = _rendered(
        _NODE,
        own_templates,
        **_head(owner, is_method=is_method),
        imports=_imports(owner, form) if is_method else [],
        arguments=_arguments(owner.parameters, own),
        placeholders=_has_placeholders(owner.parameters),
        options=_tuple(p.name for p in owner.parameters if p.kind is ParameterKind.OPTION),
        floats=_tuple(p.name for p in owner.parameters if p.attribute == "f"),
        node=python_string(node),
        class_name=owner.name,
        class_path=_class_path(owner, is_method=is_method),
        outputs=form.outputs,
        inputs=[own[p.name] for p in owner.parameters if p.kind is ParameterKind.TENSOR],
        attributes=_attributes(owner.parameters, own),
        target="return " if form.like else "result = ",
        typed=f".setType({own[form.like]}.type())" if form.like else "",
        passed=_passed(owner.parameters, own),
    )
    source = _filled(_with_names(text, owner), owner, f"One node `{node}`.\n\n{export_call(form.domain)}")
    return _definition(owner, source, is_method=is_method)


def render_class_translation(
    owner: FunctionClass, body: ForwardBody, package: str, own_templates: Path | None = None, *, is_method: bool = True
) -> Definition:
    """The method that calls the symbolic functions of the operators that `forward` calls."""
    own = _stand_ins(owner)
    text = _rendered(
        _TRANSLATION,
        own_templates,
        **_head(owner, is_method=is_method),
        imports_torch=is_method and (not owner.imports_torch or "torch" in own),
        package=package,
        class_name=owner.name,
        static=[own[name] for name in body.static],
        optional=[own[p.name] for p in owner.parameters if p.is_optional and p.kind is not ParameterKind.OPTION],
        body=_BODY,
    )
    ops = ", ".join(op.qualified for op in body.ops)
    source = _filled(_with_names(text, owner, body.names), owner, f"What forward does, by {ops}.")
    lines = "\n".join(body.lines).replace(CALL, "call_symbolic")
    source = source.replace(f"    {_BODY}\n", textwrap.indent(f"{lines}\n", "    "))
    return _definition(owner, source, is_method=is_method)


def render_class_function(owner: FunctionClass, domain: Domain, own_templates: Path | None = None) -> Definition:
    """The function of the package that makes one node of a domain, and of what `forward` does a function of the model.

    The exporter tells a handler of `prim::PythonOp` alone what tracing saw in `forward`.
    """
    version = f", {domain.version}" if domain.version != 1 else ""
    node = f"{domain.name}::{owner.name}"
    head = {**_head(owner, is_method=False), "decorator": _handled(owner)}
    decorator = f"@{_FUNCTION}({python_string(node)}{version})"
    text = _rendered(_LOCAL_FUNCTION, own_templates, **head, as_function=decorator)
    summary = f"One node `{node}`, a function of the model that does what forward does.\n\n{export_call(domain)}"
    source = _filled(_with_names(text, owner), owner, summary)
    return Definition(owner.identifier, source, requires=(_HANDLED, _FUNCTION, _INLINED), imports=imports_for(source))


def render_class_module(owner: FunctionClass, function: Definition, own_templates: Path | None = None) -> ModuleText:
    """The module of the package with the functions for the classes of one of the user's modules."""
    head = template_environment(own_templates).get_template(_FILE).render(module=owner.module)
    return ModuleText(head, (*runtime_helpers(function.requires, own_templates), function))


def _definition(owner: FunctionClass, source: str, *, is_method: bool) -> Definition:
    if is_method:
        return Definition("symbolic", source, container=owner.qualname, exported=False)
    imports = (*imports_for(source), *([] if owner.is_out_of_reach else [Import(owner.module)]))
    return Definition(owner.identifier, source, requires=(_helper(owner),), imports=imports)


def _helper(owner: FunctionClass) -> str:
    """What makes a function of the package the `symbolic` of a class."""
    return _HANDLED if owner.is_out_of_reach else _ATTACHED


def _handled(owner: FunctionClass) -> str:
    return f"@{_HANDLED}({python_string(owner.module)}, {python_string(owner.qualname)})"


def _decorator(owner: FunctionClass) -> str:
    if owner.is_out_of_reach:
        return _handled(owner)
    return f"@{_ATTACHED}({_class_path(owner, is_method=False)})"


def _rendered(template: str, own_templates: Path | None, **values: object) -> str:
    return template_environment(own_templates).overlay(trim_blocks=True).get_template(template).render(values)


def _stand_ins(owner: FunctionClass) -> dict[str, str]:
    """What stands for the parameters' names until those of the template have given way to them."""
    return {parameter.name: f"__parameter{place}__" for place, parameter in enumerate(owner.parameters)}


def _class_path(owner: FunctionClass, *, is_method: bool) -> str:
    if is_method:
        return owner.qualname
    return "g.original_node.pyobj().__self__" if owner.is_out_of_reach else f"{owner.module}.{owner.qualname}"


def _head(owner: FunctionClass, *, is_method: bool) -> dict[str, object]:
    """What the signature is made of."""
    own = _stand_ins(owner)
    return {
        "decorator": "@staticmethod" if is_method else _decorator(owner),
        "function": "symbolic" if is_method else owner.identifier,
        "parameters": ["g", *(_written(parameter, own, place) for place, parameter in enumerate(owner.parameters))],
        "docstring": _DOCSTRING,
    }


def _filled(text: str, owner: FunctionClass, summary: str) -> str:
    """The text with the defaults of the parameters and the docstring in their places."""
    for place, parameter in enumerate(owner.parameters):
        text = text.replace(f"__default{place}__", parameter.default or "")
    return text.replace(_DOCSTRING, docstring(summary))


def _written(parameter: ForwardParameter, own: Mapping[str, str], place: int) -> str:
    name = own[parameter.name]
    if parameter.is_variadic:
        return f"*{name}"
    return name if parameter.default is None else f"{name}=__default{place}__"


def _arguments(parameters: Iterable[ForwardParameter], own: Mapping[str, str]) -> str:
    """A dictionary of the arguments by their names, as code."""
    entries = [f'"{own[p.name]}": {own[p.name]}' for p in parameters if not p.is_variadic]
    variadic = [
        f'**{{f"{own[p.name]}_{{place}}": value for place, value in enumerate({own[p.name]})}}'
        for p in parameters
        if p.is_variadic
    ]
    return f"{{{', '.join([*entries, *variadic])}}}"


def _has_placeholders(parameters: Sequence[ForwardParameter]) -> bool:
    """Whether a tensor may be absent before others, so that its place has to be kept."""
    return any(p.is_optional and p.kind is not ParameterKind.OPTION for p in parameters[:-1])


def _attributes(parameters: Iterable[ForwardParameter], own: Mapping[str, str]) -> list[tuple[str, str]] | None:
    """The names of the attributes with their types, None where only the values tell what becomes an attribute."""
    if not all(parameter.is_certain for parameter in parameters):
        return None
    return [(own[p.name], p.attribute) for p in parameters if p.kind is ParameterKind.OPTION]


def _passed(parameters: Iterable[ForwardParameter], own: Mapping[str, str]) -> str:
    calls = [f"*map(fake, {own[p.name]})" if p.is_variadic else f"fake({own[p.name]})" for p in parameters]
    return ", ".join(calls)


def _imports(owner: FunctionClass, form: NodeForm) -> list[str]:
    """The imports inside the method, so that nothing changes outside the class."""
    is_certain = all(parameter.is_certain for parameter in owner.parameters)
    helpers = ["errors", "symbolic_helper"] if not is_certain else ["symbolic_helper"]
    lines = [] if form.like else ["import contextlib", ""]
    if not form.like and (not owner.imports_torch or any(p.name == "torch" for p in owner.parameters)):
        lines.append("import torch")
    if not form.like:
        lines.append("from torch._subclasses.fake_tensor import FakeTensorMode")
    if not is_certain or not form.like or any(parameter.attribute for parameter in owner.parameters):
        lines.append(f"from torch.onnx import {', '.join(helpers)}")
    return lines


def _tuple(names: Iterable[str]) -> str:
    """A tuple of strings as code, empty where there are none."""
    quoted = [f'"{name}"' for name in names]
    return f"({', '.join(quoted)}{',' if len(quoted) == 1 else ''})" if quoted else ""


def _with_names(text: str, owner: FunctionClass, bound: Iterable[str] = ()) -> str:
    """Puts the parameters' names in; a name of the template's own that is one of them, or `bound`, gives way."""
    names = {stand_in: name for name, stand_in in _stand_ins(owner).items()}
    used, taken = set(_WORD.findall(text)), frozenset((*names.values(), *bound))
    for name in sorted(used & taken):
        free = f"{name}_"
        while free in used | taken:
            free += "_"
        if hasattr(builtins, name):
            head, body = text.split(f'"""{_DOCSTRING}"""\n')
            text = f'{head}"""{_DOCSTRING}"""\n    import builtins as {free}\n{body}'
            free = f"{free}.{name}"
        text = "".join(_renamed(line, name, free) for line in text.splitlines(keepends=True))
    for stand_in, name in names.items():
        text = text.replace(stand_in, name)
    return text


def _renamed(line: str, name: str, free: str) -> str:
    """A line with another name for one that it reads or binds; attributes, keywords and strings are left alone."""
    if line.lstrip().startswith(("import ", "from ")):
        return re.sub(rf"\b{name}\b(?=[,\n])", f"{name} as {free}", line)
    return re.sub(rf"(?<![\w.\"]){name}\b(?!=[^=])", free, line)
