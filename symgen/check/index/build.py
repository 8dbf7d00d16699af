"""Builds the index from the installed torch and onnx; neither is imported where the cache holds it already."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symgen.check.index.model import CheckIndex
from symgen.check.index.shims import read_shims
from symgen.introspect.cache import cached
from symgen.introspect.torch_install import TorchInstall, find_torch

if TYPE_CHECKING:
    from symgen.introspect.catalogue import Catalogue
    from symgen.introspect.stubs import Stubs
    from symgen.model.onnx import OnnxSchema
    from symgen.model.schema import AtenSchema

_JIT_TABLE = "jit_operators.txt"
_NEWEST = re.compile(r"^ONNX_TORCHSCRIPT_EXPORTER_MAX_OPSET = (\d+)$", re.MULTILINE)
_EARLY = re.compile(r"\bsymbolic_opset(\d+)\b")


def load_index() -> CheckIndex:
    """The index of the installed torch and onnx, from the cache where that is fresh.

    Raises:
        SymgenError: where torch or onnx is absent or too old, or one of their files can't be read.
    """
    install = find_torch()
    sources = [*_sources(install), *sorted(Path(__file__).parent.glob("*"))]
    rows = cached("check", [install.version], [path for path in sources if path.is_file()], lambda: build_rows(install))
    return CheckIndex(rows)


def build_rows(install: TorchInstall) -> dict[str, Any]:
    """The rows of the index, as JSON can hold them."""
    from symgen.introspect.catalogue import load_catalogue
    from symgen.introspect.onnx_schemas import load_onnx_schemas

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


def _sources(install: TorchInstall) -> list[Path]:
    """The files that the index is made from; one stands for the whole of onnx."""
    from symgen.introspect.stubs import torch_stub_files

    onnx = importlib.util.find_spec("onnx")
    version = [Path(onnx.origin).with_name("version.py")] if onnx and onnx.origin else []
    return [install.native_functions, *torch_stub_files(install), *install.symbolic_files, *version]


def _op_rows(catalogue: Catalogue) -> dict[str, Any]:
    """The overloads and stubs of each name that the exporter looks up (it strips one trailing underscore)."""
    functions, rows = catalogue.functions, {}
    for base in functions:
        looked_up = base.removesuffix("_")
        if looked_up == base or looked_up not in functions:
            reaching = [_overload_row(schema) for schema in functions.overloads(base) if schema.reaches_exporter]
            if reaching:
                rows[f"aten::{looked_up}"] = [reaching, _stub_rows(catalogue.stubs, base)]
    return rows


def _overload_row(schema: AtenSchema) -> list[Any]:
    arguments = [[argument.name, argument.default, str(argument.type)] for argument in schema.arguments]
    return [schema.name.overload, arguments]


def _stub_rows(stubs: Stubs, base: str) -> list[Any]:
    """The parameters of each stub; the same ones only once."""
    found: list[Any] = []
    for stub in stubs.of_torch(base):
        row = [[parameter.name, parameter.default] for parameter in stub.parameters]
        if row not in found:
            found.append(row)
    return found


def _onnx_row(schema: OnnxSchema) -> list[Any]:
    required = [index for index, formal in enumerate(schema.inputs, 1) if formal.option == "single"]
    return [
        schema.since_version,
        schema.deprecated,
        [formal.name for formal in schema.inputs],
        max(required, default=0),
        _ends_variadic(schema.inputs),
        None if _ends_variadic(schema.outputs) else len(schema.outputs),
        [[attribute.name, attribute.type, attribute.required] for attribute in schema.attributes],
    ]


def _ends_variadic(formals: Sequence[Any]) -> bool:
    return bool(formals) and formals[-1].option == "variadic"


def _newest_opset(install: TorchInstall) -> int:
    from symgen.introspect.onnx_schemas import HIGHEST_OPSET

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
