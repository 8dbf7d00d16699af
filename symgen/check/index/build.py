"""Builds the rows of the index out of the installed torch and onnx, from their files alone as far as torch goes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import resources
from typing import Any

from symgen.check.index.model import plain_name, plain_names
from symgen.check.index.shims import read_shims
from symgen.check.reading.module import parse_module, read_module
from symgen.check.source import Source
from symgen.errors import ParseError
from symgen.introspect.aten_schemas import parse_schema
from symgen.introspect.generated_functions import generated_schema
from symgen.introspect.onnx_schemas import HIGHEST_OPSET, load_onnx_schemas
from symgen.introspect.stubs import parse_stubs, torch_stub_files
from symgen.introspect.torch_install import TorchInstall
from symgen.model.location import Location
from symgen.model.onnx import OnnxSchema
from symgen.model.schema import Argument, AtenSchema, StubParameter, StubSignature

_JIT_TABLE = "jit_operators.txt"
_FUNCTION = re.compile(r"^- func: (?P<schema>.+)$|^  autogen: .*?\b(?P<functional>\w+_functional)\b", re.MULTILINE)
"""An entry of native_functions.yaml, or that torchgen makes another operator of the one above.

Nothing else of the file is needed here, and loading it all takes much longer.
"""
_OUT = re.compile(r"\*, .*!\) out\b")
"""A schema with `out=`; most can be told by this, and the rest by what they parse to."""
_NEWEST = re.compile(r"^ONNX_TORCHSCRIPT_EXPORTER_MAX_OPSET = (\d+)$", re.MULTILINE)
_EARLY = re.compile(r"\bsymbolic_opset(\d+)\b")


def build_rows(install: TorchInstall) -> dict[str, Any]:
    """The rows of the index, as JSON can hold them.

    Raises:
        SymgenError: where a file of torch's can't be read, or onnx is absent or too old.
    """
    histories = load_onnx_schemas().versions.values()
    return {
        "torch": install.version,
        "root": str(install.root),
        "newest_opset": _newest_opset(install),
        "early_opsets": sorted({int(opset) for opset in _EARLY.findall(_read(install, "onnx", "__init__.py"))}),
        "ops": _op_rows(load_schemas(install), _load_stubs(install)),
        "jit_ops": [f"aten::{name}" for name in load_jit_names()],
        "onnx": {found[0].name: [_onnx_row(s) for s in found] for found in histories if not found[0].domain},
        "registered": load_registered_opsets(install),
        "modules": sorted(_modules(install)),
        "shims": read_shims(install.root / "onnx"),
    }


def load_schemas(install: TorchInstall) -> dict[str, list[AtenSchema]]:
    """The schemas of torch's operators by base name, without those that only exist with `out=`.

    Raises:
        ParseError: where the file can't be read, or has a schema that can't.
    """
    path = install.native_functions
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ParseError(f"cannot read torch's operator declarations: {error}", location=Location(str(path))) from error
    found: dict[str, list[AtenSchema]] = {}
    origin = ""
    for declared in _FUNCTION.finditer(text):
        origin = declared["schema"] or origin
        if not _OUT.search(origin):
            schema = parse_schema(origin, Location(str(path)))
            if declared["functional"]:
                schema = generated_schema(schema, declared["functional"])
            found.setdefault(schema.name.base, []).append(schema)
    return found


def load_jit_names() -> list[str]:
    """The base names of the `aten` operators that only TorchScript's runtime declares."""
    text = resources.files(__package__).joinpath(_JIT_TABLE).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def load_registered_opsets(install: TorchInstall) -> dict[str, list[int]]:
    """The opsets at which torch's own files register each operator; they are read like any other symbolic file."""
    found: dict[str, set[int]] = {}
    for path in install.symbolic_files:
        source = Source(str(path), path.read_text(encoding="utf-8"))
        for registration in read_module(source, parse_module(source)).registrations:
            found.setdefault(registration.op, set()).update(registration.opsets or ())
    return {op: sorted(opsets) for op, opsets in sorted(found.items())}


def _load_stubs(install: TorchInstall) -> dict[str, list[StubSignature]]:
    found: dict[str, list[StubSignature]] = {}
    for path in torch_stub_files(install):
        for stub in parse_stubs(path.read_text(encoding="utf-8"), str(path)):
            found.setdefault(stub.name, []).append(stub)
    return found


def _op_rows(
    schemas: Mapping[str, Sequence[AtenSchema]], stubs: Mapping[str, Sequence[StubSignature]]
) -> dict[str, Any]:
    """What is declared under each name that the exporter looks up (it strips one trailing underscore)."""
    rows = {}
    for base, declared in schemas.items():
        looked_up = base.removesuffix("_")
        reaching = [schema for schema in declared if schema.reaches_exporter]
        if reaching and (looked_up == base or looked_up not in schemas):
            rows[f"aten::{looked_up}"] = _op_row(reaching, stubs.get(base, ()))
    return rows


def _op_row(schemas: Sequence[AtenSchema], stubs: Sequence[StubSignature]) -> list[Any]:
    """The overloads; for each position the names that declarations have there; for each name its defaults."""
    overloads = [[s.name.overload, [a.name for a in s.arguments], [str(a.type) for a in s.arguments]] for s in schemas]
    declarations: list[Sequence[Argument | StubParameter]] = [schema.arguments for schema in schemas]
    declarations += [stub.parameters for stub in stubs]
    positions: list[dict[str, None]] = []
    defaults: dict[str, dict[str, None]] = {}
    for declared in declarations:
        for index, name in enumerate(plain_names(argument.name for argument in declared)):
            if index == len(positions):
                positions.append({})
            positions[index][name] = None
        for name, default in _defaults(declared):
            defaults.setdefault(name, {})[default] = None
    return [overloads, list(map(list, positions)), {name: list(texts) for name, texts in defaults.items()}]


def _defaults(declared: Iterable[Argument | StubParameter]) -> Iterator[tuple[str, str]]:
    """Each name with its default; a stub may leave the value open."""
    return ((plain_name(each.name), each.default) for each in declared if each.default not in (None, "..."))


def _onnx_row(schema: OnnxSchema) -> list[Any]:
    required = [index for index, formal in enumerate(schema.inputs, 1) if formal.option == "single"]
    return [
        schema.since_version,
        schema.deprecated,
        [formal.name for formal in schema.inputs],
        max(required, default=0),
        _ends_variadic(schema.inputs),
        None if _ends_variadic(schema.outputs) else len(schema.outputs),
        {attribute.name: attribute.type for attribute in schema.attributes},
        # Graphs come as blocks that are added to the node when it is there.
        [attribute.name for attribute in schema.attributes if attribute.required and attribute.type != "GRAPH"],
    ]


def _ends_variadic(formals: Sequence[Any]) -> bool:
    return bool(formals) and formals[-1].option == "variadic"


def _newest_opset(install: TorchInstall) -> int:
    match = _NEWEST.search(_read(install, "onnx", "_constants.py"))
    return min(int(match[1]), HIGHEST_OPSET) if match else HIGHEST_OPSET


def _read(install: TorchInstall, *parts: str) -> str:
    path = install.root.joinpath(*parts)
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _modules(install: TorchInstall) -> Iterator[str]:
    """The modules and packages below `torch.onnx`, by dotted name."""
    for path in (install.root / "onnx").rglob("*.py"):
        parts = path.relative_to(install.root.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
