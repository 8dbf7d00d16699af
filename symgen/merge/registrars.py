"""The registering decorators: written as the target file can use them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from symgen.merge.locate import Ground
from symgen.merge.outcome import MergeOptions
from symgen.model.definition import Registration

_USUAL_NAME = "_onnx_symbolic"


@dataclass(frozen=True)
class Registrar:
    """A decorator of the file's own, as `_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9)`."""

    name: str
    index: int
    """Of the statement that makes it."""
    opset: int | None
    custom: bool
    deleted: int | None
    """The statement that deletes the name again."""


def find_registrars(ground: Ground) -> tuple[Registrar, ...]:
    """The usable registering decorators that a file makes for itself, the one of the usual name first."""
    found = [_registrar(ground, name) for name in ground.bindings.by_name]
    return tuple(sorted((one for one in found if one), key=lambda one: (one.name != _USUAL_NAME, one.index)))


def choose_registrar(
    registrars: Sequence[Registrar], registration: Registration, options: MergeOptions
) -> Registrar | None:
    """The decorator of the file that fits a registration, None where none does.

    It fits at its own opset, and where several are wanted that include it: they are named in the call.
    """
    for one in registrars:
        if one.opset in registration.opsets and (options.custom or not one.custom):
            return one
    return None


def decorator(registration: Registration, registrar: Registrar | None, module: str, options: MergeOptions) -> str:
    """The line with the decorator. `module` is what the file calls torch's module `registration`."""
    opsets = registration.opsets
    opset = str(opsets[0]) if len(opsets) == 1 else f"[{', '.join(map(str, opsets))}]"
    if registrar is None:
        function = "custom_onnx_symbolic" if options.custom else "onnx_symbolic"
        return f'@{module}.{function}("{registration.op}", opset={opset})\n'
    more = "" if opsets == (registrar.opset,) else f", opset={opset}"
    more += ", custom=True" if options.custom and not registrar.custom else ""
    return f'@{registrar.name}("{registration.op}"{more})\n'


def _registrar(ground: Ground, name: str) -> Registrar | None:
    made, *others = ground.bindings.by_name[name]
    if len(others) > 1 or not made.certain or not isinstance(made.value, ast.Call):
        return None
    deleted = others[0].index if others else None
    if others and not others[0].deletes:
        return None
    call = made.value
    if ground.bindings.qualified(call.func) != "functools.partial" or len(call.args) != 1:
        return None
    function = ground.bindings.qualified(call.args[0])
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    opset, custom = given.get("opset"), given.get("custom")
    if not function.endswith(("registration.onnx_symbolic", "registration.custom_onnx_symbolic")):
        return None
    if given.keys() - {"opset", "custom"} or not isinstance(opset, ast.Constant) or not isinstance(opset.value, int):
        return None
    if custom is not None and not (isinstance(custom, ast.Constant) and isinstance(custom.value, bool)):
        return None
    is_custom = function.endswith("custom_onnx_symbolic") or (isinstance(custom, ast.Constant) and custom.value is True)
    return Registrar(name, made.index, opset.value, is_custom, deleted)
