"""What is wrong with a call `g.op("Name", ...)` under one version of the ONNX operator."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from symgen.check.index.model import OnnxVersion
from symgen.check.wording import counted

_NOT_ATTRIBUTES = frozenset({"outputs", "inplace", "aten", None})
"""Keywords of `g.op` itself, those that the exporter drops, and spread mappings."""
_TYPES: Mapping[str, tuple[str, ...]] = {
    "i": ("INT", "INTS"),
    "f": ("FLOAT", "FLOATS"),
    "s": ("STRING", "STRINGS"),
    "t": ("TENSOR", "TENSORS"),
    "z": ("TENSOR", "TENSORS"),
    "g": ("GRAPH", "GRAPHS"),
    "ty": ("TYPE_PROTO", "TYPE_PROTOS"),
}
_SCALARS = ("INT", "FLOAT", "STRING")
_LISTS = ("INTS", "FLOATS", "STRINGS")
_SUFFIX_OF = {kind: suffix for suffix, kinds in _TYPES.items() if suffix != "z" for kind in kinds}
_WRITABLE = frozenset("ifs")
"""Suffixes that differ in nothing but the value's own type, so that one may be put in another's place."""
CallPart: TypeAlias = ast.Call | ast.expr | ast.keyword


class Problem(NamedTuple):
    """One thing that the operator does not have. `{where}` in the message is where it does not have it."""

    node: CallPart
    message: str
    fix: str = ""
    rename: str = ""
    """What the attribute's keyword should be, where that alone mends it."""


class CallAttribute(NamedTuple):
    """A keyword that becomes an attribute: `axis_i=1` is written for `axis`; without a suffix both are the same."""

    keyword: ast.keyword
    written: str
    name: str
    suffix: str


class OnnxCall(NamedTuple):
    """A call that names an operator of ONNX's own domain."""

    node: ast.Call
    name: str
    inputs: Sequence[ast.expr]
    attributes: Sequence[CallAttribute]
    spreads_inputs: bool
    """Whether some inputs come from a list."""
    spreads_attributes: bool
    """Whether some attributes come from a mapping."""
    outputs: tuple[ast.keyword, int] | None
    """The keyword `outputs`, where it is a number."""


def onnx_call(node: ast.Call) -> OnnxCall | None:
    """The call, where it names an operator of ONNX's own domain as a constant."""
    first = node.args[0] if node.args else None
    if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        return None
    name = first.value.removeprefix("onnx::")
    if not name.isidentifier():
        return None
    inputs, attributes, outputs = node.args[1:], [], None
    for keyword in node.keywords:
        if keyword.arg not in _NOT_ATTRIBUTES:
            attributes.append(_call_attribute(keyword))
        elif keyword.arg == "outputs" and isinstance(keyword.value, ast.Constant):
            number = keyword.value.value
            outputs = (keyword, number) if isinstance(number, int) else None
    spreads_inputs = any(argument.__class__ is ast.Starred for argument in inputs)
    spreads_attributes = any(keyword.arg is None for keyword in node.keywords)
    return OnnxCall(node, name, inputs, attributes, spreads_inputs, spreads_attributes, outputs)


def _call_attribute(keyword: ast.keyword) -> CallAttribute:
    written = str(keyword.arg)
    name, _, suffix = written.rpartition("_")
    return CallAttribute(keyword, written, name, suffix) if name and suffix in _TYPES else _plain(keyword, written)


def _plain(keyword: ast.keyword, written: str) -> CallAttribute:
    return CallAttribute(keyword, written, written, "")


def problems(call: OnnxCall, version: OnnxVersion) -> list[Problem]:
    """Everything that one version of the operator does not have."""
    missing = _missing(call, version)
    found = _inputs(call, version, missing)
    if missing and not found:
        found.append(Problem(call.node, f"{call.name} needs its attribute {', '.join(missing)} {{where}}"))
    found += [problem for attribute in call.attributes if (problem := _attribute(call, attribute, version))]
    if call.outputs and version.outputs is not None and call.outputs[1] > version.outputs:
        most = counted(version.outputs, "output")
        found.append(Problem(call.outputs[0], f"{call.name} has {most} {{where}}, not {call.outputs[1]}"))
    if version.deprecated:
        message = f"{call.name} is deprecated since opset {version.since}, reached {{where}}"
        found.append(Problem(call.node.args[0], message))
    return found


def _inputs(call: OnnxCall, version: OnnxVersion, missing: Sequence[str]) -> list[Problem]:
    found = [
        Problem(argument, f"None is no input of {call.name}: the exporter crashes on it", "leave it out")
        for argument in call.inputs
        if argument.__class__ is ast.Constant and argument.value is None
    ]
    if call.spreads_inputs:
        return found
    given, most = len(call.inputs), len(version.inputs)
    if given > most and not version.variadic:
        fix = f"{', '.join(missing)} is an attribute {{where}}" if missing else ""
        message = f"{call.name} has {counted(most, 'input')} {{where}}, not {given}"
        found.append(Problem(call.inputs[most], message, fix))
    elif given < version.required:
        found.append(Problem(call.node, f"{call.name} needs its input {version.inputs[given]} {{where}}"))
    return found


def _attribute(call: OnnxCall, attribute: CallAttribute, version: OnnxVersion) -> Problem | None:
    keyword, written, name, suffix = attribute
    value = keyword.value
    if isinstance(value, ast.Constant) and value.value is None:
        return None  # the exporter leaves such an attribute out
    if not suffix or (written in version.attributes and name not in version.attributes):
        return _without_suffix(call, keyword, version)
    if name not in version.attributes:
        hint = f"it is an input {{where}}: pass {name} after the others" if name in version.inputs else ""
        return Problem(keyword, f"{call.name} has no attribute {name} {{where}}", hint)
    kind = version.attributes[name]
    if kind not in _TYPES[suffix]:
        return _of_wrong_type(call, attribute, kind)
    if kind in _SCALARS and isinstance(value, (ast.List, ast.Tuple)):
        return Problem(keyword, f"{call.name}.{name} is {_article(kind)}, not a list, {{where}}")
    if kind in _LISTS and isinstance(value, ast.Constant):
        return Problem(keyword, f"{call.name}.{name} is {_article(kind)} {{where}}", f"write [{ast.unparse(value)}]")
    return None


def _of_wrong_type(call: OnnxCall, attribute: CallAttribute, kind: str) -> Problem | None:
    if (call.name, attribute.written) == ("Constant", "value_s"):
        return None  # the exporter's own way to hand on a string
    right = _SUFFIX_OF.get(kind, "")
    renamed = f"{attribute.name}_{right}"
    message = f"{call.name}.{attribute.name} is {_article(kind)}, but is written as {attribute.written}"
    return Problem(
        attribute.keyword, message, f"write {renamed}", renamed if {right, attribute.suffix} <= _WRITABLE else ""
    )


def _without_suffix(call: OnnxCall, keyword: ast.keyword, version: OnnxVersion) -> Problem:
    name = str(keyword.arg)
    if name not in version.attributes:
        return Problem(keyword, f"{call.name} has no attribute {name} {{where}}, and it lacks a type suffix")
    right = f"{name}_{_SUFFIX_OF.get(version.attributes[name], 'i')}"
    return Problem(keyword, f"attribute {name} of {call.name} has no type suffix", f"write {right}", right)


def _missing(call: OnnxCall, version: OnnxVersion) -> list[str]:
    """The required attributes that a call does not give."""
    if not version.needs or call.spreads_attributes:
        return []
    given = {name for attribute in call.attributes for name in (attribute.name, attribute.written)}
    return [name for name in version.needs if name not in given]


def _article(kind: str) -> str:
    names = {"INT": "an int", "INTS": "a list of ints", "FLOAT": "a float", "FLOATS": "a list of floats"}
    return names.get(kind, f"a {kind.lower()}")
