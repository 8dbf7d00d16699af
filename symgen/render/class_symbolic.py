"""Renders the `symbolic` of an autograd.Function that becomes one node of a domain of the user's."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from symgen.model.autograd import ForwardParameter, FunctionClass, ParameterKind
from symgen.model.definition import Definition, Import, ModuleText
from symgen.model.domain import Domain
from symgen.render.environment import template_environment
from symgen.render.imports import imports_for
from symgen.render.runtime import runtime_helpers
from symgen.render.text import docstring, export_call, python_string

_METHOD = "torchscript/class_symbolic.py.jinja"
_FILE = "torchscript/class_file.py.jinja"
_HELPER = "_attached_to"
_DOCSTRING = "__docstring__"
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class NodeForm:
    """What is known of the node beside what the class's text says."""

    domain: Domain
    outputs: int = 1
    like: str = ""
    """The parameter whose type the one result has; empty where the types are found when a model is exported."""


def render_class_method(owner: FunctionClass, form: NodeForm, own_templates: Path | None = None) -> Definition:
    """The method as it goes into the class; it stands alone, so that nothing else in the file has to change."""
    source = _source(owner, form, own_templates, is_method=True)
    return Definition("symbolic", source, container=owner.qualname, exported=False)


def render_class_module(owner: FunctionClass, form: NodeForm, own_templates: Path | None = None) -> ModuleText:
    """The function as it goes into the package, which makes itself the class's `symbolic` when it is imported."""
    source = _source(owner, form, own_templates, is_method=False)
    function = Definition(
        owner.qualname.replace(".", "_"),
        source,
        requires=(_HELPER,),
        imports=(*imports_for(source), Import(owner.module)),
    )
    head = template_environment(own_templates).get_template(_FILE).render(module=owner.module)
    return ModuleText(head, (*runtime_helpers([_HELPER], own_templates), function))


def _source(owner: FunctionClass, form: NodeForm, own_templates: Path | None, *, is_method: bool) -> str:
    """Renders with stand-ins for the parameters' names, so that those of the template give way where they are equal."""
    places = range(len(owner.parameters))
    own = {parameter.name: f"__parameter{place}__" for place, parameter in enumerate(owner.parameters)}
    defaults = {f"__default{place}__": owner.parameters[place].default or "" for place in places}
    class_path = owner.qualname if is_method else f"{owner.module}.{owner.qualname}"
    node = f"{form.domain.name}::{owner.name}"
    text = (
        template_environment(own_templates)
        .overlay(trim_blocks=True)
        .get_template(_METHOD)
        .render(
            decorator="@staticmethod" if is_method else f"@{_HELPER}({class_path})",
            function="symbolic" if is_method else owner.qualname.replace(".", "_"),
            parameters=["g", *(_written(parameter, own, place) for place, parameter in enumerate(owner.parameters))],
            docstring=_DOCSTRING,
            imports=_imports(owner, form) if is_method else [],
            arguments=_arguments(owner.parameters, own),
            placeholders=_has_placeholders(owner.parameters),
            options=_tuple(p.name for p in owner.parameters if p.kind is ParameterKind.OPTION),
            floats=_tuple(p.name for p in owner.parameters if p.attribute == "f"),
            node=python_string(node),
            class_name=owner.name,
            class_path=class_path,
            outputs=form.outputs,
            inputs=[own[p.name] for p in owner.parameters if p.kind is ParameterKind.TENSOR],
            attributes=_attributes(owner.parameters, own),
            target="return " if form.like else "result = ",
            typed=f".setType({own[form.like]}.type())" if form.like else "",
            passed=_passed(owner.parameters, own),
        )
    )
    text = _with_names(text, {stand_in: name for name, stand_in in own.items()})
    for stand_in, default in defaults.items():
        text = text.replace(stand_in, default)
    indented = docstring(f"One node `{node}`.\n\n{export_call(form.domain)}")
    return text.replace(_DOCSTRING, indented)


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


def _with_names(text: str, names: Mapping[str, str]) -> str:
    """Puts the parameters' names in; a name of the template's own that is one of them gives way."""
    used, taken = set(_WORD.findall(text)), frozenset(names.values())
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
