"""Builds the rows of the index out of the installed torch and onnx."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Any

from symgen.check.index.model import plain_name, plain_names
from symgen.check.index.shims import read_shims
from symgen.introspect.catalogue import Catalogue, load_catalogue
from symgen.introspect.onnx_schemas import HIGHEST_OPSET, load_onnx_schemas
from symgen.introspect.torch_install import TorchInstall
from symgen.model.onnx import OnnxSchema
from symgen.model.schema import Argument, AtenSchema, StubParameter, StubSignature

_JIT_TABLE = "jit_operators.txt"
_NEWEST = re.compile(r"^ONNX_TORCHSCRIPT_EXPORTER_MAX_OPSET = (\d+)$", re.MULTILINE)
_EARLY = re.compile(r"\bsymbolic_opset(\d+)\b")


def build_rows(install: TorchInstall) -> dict[str, Any]:
    """The rows of the index, as JSON can hold them."""
    catalogue = load_catalogue()
    histories = load_onnx_schemas().versions.values()
    return {
        "torch": install.version,
        "root": str(install.root),
        "newest_opset": _newest_opset(install),
        "early_opsets": sorted({int(opset) for opset in _EARLY.findall(_read(install, "__init__.py"))}),
        "ops": _op_rows(catalogue),
        "jit_ops": [f"aten::{name}" for name in load_jit_names()],
        "onnx": {found[0].name: [_onnx_row(s) for s in found] for found in histories if not found[0].domain},
        "registered": {op: catalogue.registered.opsets(op) for op in catalogue.registered.functions},
        "modules": sorted(_modules(install)),
        "shims": read_shims(install.root / "onnx"),
    }


def load_jit_names() -> list[str]:
    """The base names of the `aten` operators that only TorchScript's runtime declares."""
    text = resources.files(__package__).joinpath(_JIT_TABLE).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _op_rows(catalogue: Catalogue) -> dict[str, Any]:
    """What is declared under each name that the exporter looks up (it strips one trailing underscore)."""
    functions, rows = catalogue.functions, {}
    for base in functions:
        looked_up = base.removesuffix("_")
        if looked_up == base or looked_up not in functions:
            schemas = [schema for schema in functions.overloads(base) if schema.reaches_exporter]
            if schemas:
                rows[f"aten::{looked_up}"] = _op_row(schemas, catalogue.stubs.of_torch(base))
    return rows


def _op_row(schemas: Sequence[AtenSchema], stubs: Sequence[StubSignature]) -> list[Any]:
    overloads = [[s.name.overload, [[a.name, str(a.type)] for a in s.arguments]] for s in schemas]
    declarations: list[Sequence[Argument | StubParameter]] = [schema.arguments for schema in schemas]
    declarations += [stub.parameters for stub in stubs]
    positions: list[list[str]] = []
    defaults: dict[str, list[str]] = {}
    for declared in declarations:
        for index, name in enumerate(plain_names(argument.name for argument in declared)):
            positions += [[]] * (index == len(positions))
            if name not in positions[index]:
                positions[index] = [*positions[index], name]
        for argument in declared:
            known = defaults.setdefault(plain_name(argument.name), [])
            if argument.default is not None and argument.default not in known:
                known.append(argument.default)
    return [overloads, positions, {name: found for name, found in defaults.items() if found}]


def _onnx_row(schema: OnnxSchema) -> list[Any]:
    required = [index for index, formal in enumerate(schema.inputs, 1) if formal.option == "single"]
    return [
        schema.since_version,
        schema.deprecated,
        [formal.name for formal in schema.inputs],
        max(required, default=0),
        _ends_variadic(schema.inputs),
        None if _ends_variadic(schema.outputs) else len(schema.outputs),
        {attribute.name: [attribute.type, attribute.required] for attribute in schema.attributes},
    ]


def _ends_variadic(formals: Sequence[Any]) -> bool:
    return bool(formals) and formals[-1].option == "variadic"


def _newest_opset(install: TorchInstall) -> int:
    match = _NEWEST.search(_read(install, "_constants.py"))
    return min(int(match[1]), HIGHEST_OPSET) if match else HIGHEST_OPSET


def _read(install: TorchInstall, name: str) -> str:
    path = install.root / "onnx" / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _modules(install: TorchInstall) -> Iterable[str]:
    """The modules and packages below `torch.onnx`, by dotted name."""
    root = install.root / "onnx"
    for path in root.rglob("*.py"):
        parts = path.relative_to(install.root.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
