"""What is wrong with a call `g.op("Name", ...)` under one version of the ONNX operator."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from symgen.check.index.model import OnnxVersion

_SUFFIXED = re.compile(r"(?P<name>.+)_(?P<suffix>ty|[ifstgz])")
_NOT_ATTRIBUTES = frozenset({"outputs", "inplace", "aten"})
"""Keywords of `g.op` itself, and those that the exporter drops."""
_TYPES: Mapping[str, tuple[str, ...]] = {
    "i": ("INT", "INTS"),
    "f": ("FLOAT", "FLOATS"),
    "s": ("STRING", "STRINGS"),
    "t": ("TENSOR", "TENSORS"),
    "z": ("TENSOR", "TENSORS"),
    "g": ("GRAPH", "GRAPHS"),
    "ty": ("TYPE_PROTO", "TYPE_PROTOS"),
}
_SUFFIX_OF = {kind: suffix for suffix, kinds in _TYPES.items() if suffix != "z" for kind in kinds}
_WRITABLE = frozenset("ifs")
"""Suffixes that differ in nothing but the value's own type, so that one may be put in another's place."""
CallPart: TypeAlias = ast.Call | ast.expr | ast.keyword


@dataclass(frozen=True, eq=False)
class Problem:
    """One thing that the operator does not have. `{where}` in the message is where it does not have it."""

    node: CallPart
    message: str
    fix: str = ""
    rename: str = ""
    """What the attribute's keyword should be, where that alone mends it."""


@dataclass(frozen=True, eq=False)
class OnnxCall:
    """A readable call."""

    node: ast.Call
    name: str

    @property
    def inputs(self) -> list[ast.expr]:
        """The arguments after the operator's name."""
        return self.node.args[1:]

    @property
    def attributes(self) -> list[ast.keyword]:
        """The keywords that become attributes."""
        return [k for k in self.node.keywords if k.arg is not None and k.arg not in _NOT_ATTRIBUTES]

    @property
    def spreads_inputs(self) -> bool:
        """Whether some inputs come from a list."""
        return any(isinstance(argument, ast.Starred) for argument in self.inputs)

    @property
    def spreads_attributes(self) -> bool:
        """Whether some attributes come from a mapping."""
        return any(keyword.arg is None for keyword in self.node.keywords)


def onnx_call(node: ast.Call) -> OnnxCall | None:
    """The call, where it names an operator of ONNX's own domain as a constant."""
    first = node.args[0] if node.args else None
    if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        return None
    name = first.value.removeprefix("onnx::")
    return OnnxCall(node, name) if name.isidentifier() else None


def problems(call: OnnxCall, version: OnnxVersion) -> Iterator[Problem]:
    """Everything that one version of the operator does not have."""
    if version.deprecated:
        yield Problem(call.node.args[0], f"{call.name} is deprecated since opset {version.since}, reached {{where}}")
    missing = [] if call.spreads_attributes else _missing(call, version)
    inputs = list(_inputs(call, version, missing))
    yield from inputs
    yield from _outputs(call, version)
    for keyword in call.attributes:
        problem = _attribute(call, keyword, version)
        if problem:
            yield problem
    if missing and not inputs:
        listed = ", ".join(missing)
        yield Problem(call.node, f"{call.name} needs its attribute {listed} {{where}}")


def _inputs(call: OnnxCall, version: OnnxVersion, missing: Sequence[str]) -> Iterator[Problem]:
    for argument in call.inputs:
        if isinstance(argument, ast.Constant) and argument.value is None:
            yield Problem(argument, f"None is no input of {call.name}: the exporter crashes on it", "leave it out")
    if call.spreads_inputs:
        return
    given, most = len(call.inputs), len(version.inputs)
    if given > most and not version.variadic:
        fix = f"{', '.join(missing)} is an attribute {{where}}" if missing else ""
        yield Problem(call.inputs[most], f"{call.name} has {_count(most, 'input')} {{where}}, not {given}", fix)
    elif given < version.required:
        yield Problem(call.node, f"{call.name} needs its input {version.inputs[given]} {{where}}")


def _outputs(call: OnnxCall, version: OnnxVersion) -> Iterator[Problem]:
    for keyword in call.node.keywords:
        if keyword.arg == "outputs" and isinstance(keyword.value, ast.Constant) and version.outputs is not None:
            given = keyword.value.value
            if isinstance(given, int) and given > version.outputs:
                yield Problem(keyword, f"{call.name} has {_count(version.outputs, 'output')} {{where}}, not {given}")


def _attribute(call: OnnxCall, keyword: ast.keyword, version: OnnxVersion) -> Problem | None:
    written, value = str(keyword.arg), keyword.value
    if isinstance(value, ast.Constant) and value.value is None:
        return None  # the exporter leaves such an attribute out
    match = _SUFFIXED.fullmatch(written)
    if match is None or (written in version.attributes and match["name"] not in version.attributes):
        return _without_suffix(call, keyword, version)
    name, suffix = match["name"], match["suffix"]
    if name not in version.attributes:
        hint = f"it is an input {{where}}: pass {name} after the others" if name in version.inputs else ""
        return Problem(keyword, f"{call.name} has no attribute {name} {{where}}", hint)
    kind = version.attributes[name][0]
    if (call.name, written) == ("Constant", "value_s"):
        return None  # the exporter's own way to hand on a string
    if kind not in _TYPES[suffix]:
        right = _SUFFIX_OF.get(kind, "")
        rename = f"{name}_{right}" if {right, suffix} <= _WRITABLE else ""
        message = f"{call.name}.{name} is {_article(kind)}, but is written as {written}"
        return Problem(keyword, message, f"write {name}_{right}", rename)
    if kind in ("INT", "FLOAT", "STRING") and isinstance(value, (ast.List, ast.Tuple)):
        return Problem(keyword, f"{call.name}.{name} is {_article(kind)}, not a list, {{where}}")
    if kind in ("INTS", "FLOATS", "STRINGS") and isinstance(value, ast.Constant) and not isinstance(value.value, bool):
        return Problem(keyword, f"{call.name}.{name} is {_article(kind)} {{where}}", f"write [{ast.unparse(value)}]")
    return None


def _without_suffix(call: OnnxCall, keyword: ast.keyword, version: OnnxVersion) -> Problem:
    name = str(keyword.arg)
    if name not in version.attributes:
        return Problem(keyword, f"{call.name} has no attribute {name} {{where}}, and it lacks a type suffix")
    right = f"{name}_{_SUFFIX_OF.get(version.attributes[name][0], 'i')}"
    return Problem(keyword, f"attribute {name} of {call.name} has no type suffix", f"write {right}", right)


def _missing(call: OnnxCall, version: OnnxVersion) -> list[str]:
    """The required attributes that a call does not give."""
    given = {str(keyword.arg).rpartition("_")[0] for keyword in call.attributes} | {k.arg for k in call.attributes}
    return [name for name, (_, required) in version.attributes.items() if required and name not in given]


def _article(kind: str) -> str:
    names = {"INT": "an int", "INTS": "a list of ints", "FLOAT": "a float", "FLOATS": "a list of floats"}
    return names.get(kind, f"a {kind.lower()}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
