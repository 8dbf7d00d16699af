"""What the index and the findings say of the installed torch, held against torch itself."""

from __future__ import annotations

import dis
import importlib
import inspect
import re
import types
from collections.abc import Callable, Iterator
from pathlib import Path

import onnx.defs
import pytest
import torch
from torch.onnx._internal.torchscript_exporter import registration

from symgen.check import CheckSettings, Finding, check_paths
from symgen.check.index.build import load_jit_names
from symgen.check.index.model import CheckIndex
from symgen.introspect.torch_install import find_torch

EXPORTER = "torch.onnx._internal.torchscript_exporter"
FILES = [str(path) for path in find_torch().symbolic_files]
MODULES = {Path(file).stem: importlib.import_module(f"{EXPORTER}.{Path(file).stem}") for file in FILES}
SCHEMAS = [schema for schema in torch._C._jit_get_all_schemas() if schema.name.startswith("aten::")]


NAMES = {schema.name for schema in SCHEMAS}


def looked_up(name: str) -> str:
    return name.removesuffix("_")


def reaching(op: str) -> list[torch._C.FunctionSchema]:
    """The overloads that the exporter can pass to a function of that name; in-place ones where there is no other."""
    found = [schema for schema in SCHEMAS if looked_up(schema.name) == op]
    plain = [schema for schema in found if schema.name == op or op.endswith("_")] or found
    return [schema for schema in plain if not any(a.is_out for a in schema.arguments) and "Dimname" not in str(schema)]


def writes_positionally(name: str) -> bool:
    """Whether an operator is given the tensor for its result among the others: not to be met in an export either."""
    arguments = [argument for schema in reaching(name) for argument in schema.arguments]
    return any(a.name == "out" and a.alias_info and a.alias_info.is_write for a in arguments)


EXPORTABLE = {name for name in map(looked_up, NAMES) if reaching(name) and not writes_positionally(name)}


def test_the_names_are_those_that_torch_looks_up(index: CheckIndex) -> None:
    assert {name for name in index.op_names if not writes_positionally(name)} == EXPORTABLE


def test_the_committed_names_are_those_that_no_file_declares(index: CheckIndex) -> None:
    undeclared = EXPORTABLE - set(index.rows["ops"])
    assert undeclared == {f"aten::{name}" for name in load_jit_names()}


def test_registrations_are_the_registry_s(index: CheckIndex) -> None:
    registry = registration.registry
    live = {name: set(registry.get_function_group(name)._functions) for name in registry.all_functions()}
    assert {name: set(opsets) for name, opsets in index.rows["registered"].items()} == live


@pytest.mark.parametrize(
    "op",
    [
        "aten::lerp", "aten::max", "aten::__rshift_", "aten::count_nonzero", "aten::index_put",
        "aten::_native_batch_norm_legit_functional",
    ],
)  # fmt: skip
def test_overloads_are_torch_s(index: CheckIndex, op: str) -> None:
    declared = index.op(op)
    assert declared
    ours = {overload.name: list(overload.names) for overload in declared.overloads}
    theirs = {schema.overload_name: [argument.name for argument in schema.arguments] for schema in reaching(op)}
    assert ours.items() <= theirs.items()


def test_what_a_shim_shows_can_be_imported_and_what_it_hides_can_not(index: CheckIndex) -> None:
    for name in index.rows["shims"]:
        shim, module = index.shim(name), importlib.import_module(name)
        assert shim
        assert [shown for shown in shim.shown if not hasattr(module, shown) and shown != "annotations"] == []
        assert [hidden for hidden in shim.hidden if hasattr(module, hidden)] == []


def test_early_opsets_are_those_that_importing_torch_onnx_registers(index: CheckIndex) -> None:
    text = Path(torch.onnx.__file__).read_text()
    assert index.early_opsets == {
        int(number) for number in re.findall(r"^    symbolic_opset(\d+),$", text, re.MULTILINE)
    }


@pytest.fixture(scope="module")
def findings(index: CheckIndex) -> list[Finding]:
    """All that is found in torch's own files."""
    return check_paths(FILES, CheckSettings(), index)


def of(findings: list[Finding], code: str) -> Iterator[tuple[Finding, re.Match[str]]]:
    pattern = re.compile(MESSAGES[code])
    for finding in findings:
        if finding.code == code:
            match = pattern.match(finding.message)
            assert match, finding.message
            yield finding, match


MESSAGES = {
    "SG001": r"(?P<ops>.*) calls this argument (?P<right>.*), not (?P<name>\w+)$|the default of .*",
    "SG002": r"\w+ takes (at least )?(?P<least>\d+)( to (?P<most>\d+))? argument.*serve (?P<overload>\S+)",
    "SG004": r"(?P<name>\w+) is registered, but __all__ doesn't name it",
    "SG007": r"(ONNX has no operator )?(?P<operator>\w+) ?(?P<rest>.*)",
    "SG008": r"(?P<function>\w+) never reads (?P<name>\w+)",
    "SG011": r"(torch has no operator )?(?P<op>[\w:]+)",
    "SG012": r"ONNX has (?P<operator>\w+) since opset (?P<since>\d+), .* opsets? (?P<from>\d+)( to (?P<to>\d+))?$",
}


def test_every_file_is_checked_to_its_end(findings: list[Finding]) -> None:
    assert {finding.code for finding in findings} <= MESSAGES.keys()
    assert len(findings) > 100


def test_names_that_differ_are_in_no_schema_at_that_place(findings: list[Finding]) -> None:
    for finding, match in of(findings, "SG001"):
        if match["name"]:
            position = _position(finding)
            schemas = [schema for op in match["ops"].split(" and ") for schema in reaching(op)]
            names = {s.arguments[position].name for s in schemas if position < len(s.arguments)}
            assert match["name"] not in names, finding
            assert set(match["right"].split(" or ")) & names, finding


def test_overloads_that_don_t_fit_have_another_number_of_arguments(findings: list[Finding]) -> None:
    for finding, match in of(findings, "SG002"):
        op, _, overload = match["overload"].partition(".")
        (count,) = [len(schema.arguments) for schema in reaching(op) if schema.overload_name == overload]
        least = int(match["least"])
        assert not least <= count <= int(match["most"] or least), finding


def test_functions_that_are_missing_in_all_are_registered(findings: list[Finding]) -> None:
    for finding, match in of(findings, "SG004"):
        module = MODULES[Path(finding.location.path).stem]
        assert match["name"] not in module.__all__
        function = getattr(module, match["name"])
        registered = [registration.registry.get_function_group(f"aten::{match['name']}")]
        assert any(_is_made_of(f, function) for group in registered for f in group._functions._merged.values()), finding


def test_parameters_that_are_never_read_are_not_loaded(findings: list[Finding]) -> None:
    for finding, match in of(findings, "SG008"):
        code = _code_at(finding)
        loads = {
            instruction.argval
            for inner in _codes(code)
            for instruction in dis.get_instructions(inner)
            if instruction.opname.startswith("LOAD")
        }
        assert match["name"] in code.co_varnames
        assert match["name"] not in loads, finding


def test_unknown_names_are_never_looked_up(findings: list[Finding]) -> None:
    names = {looked_up(schema.name) for schema in SCHEMAS}
    for finding, match in of(findings, "SG011"):
        assert match["op"] not in names, finding


def test_what_onnx_lacks_is_not_in_its_schemas(findings: list[Finding]) -> None:
    for finding, match in of(findings, "SG007"):
        name, rest = match["operator"], match["rest"]
        opsets = _opsets(finding.message) or range(9, 21)
        for opset in opsets:
            if not onnx.defs.has(name) or re.search(r"exists from opset", rest):
                assert not _schema(name, opset), finding
                continue
            schema = _schema(name, opset)
            assert schema
            if attribute := re.match(r"has no attribute (\w+)", rest):
                assert attribute[1] not in schema.attributes, finding
            elif inputs := re.match(r"has (\d+) inputs?.*, not (\d+)", rest):
                assert schema.max_input == int(inputs[1]) < int(inputs[2]), finding
            else:
                pytest.fail(f"no way to tell whether this is true: {finding}")


def test_newer_operators_exist_where_no_function_emits_them(findings: list[Finding]) -> None:
    for finding, match in of(findings, "SG012"):
        since = int(match["since"])
        assert _schema(match["operator"], since)
        assert not _schema(match["operator"], since - 1)
        for opset in range(int(match["from"]), int(match["to"] or match["from"]) + 1):
            line = inspect.getsource(MODULES[Path(finding.location.path).stem]).splitlines()[finding.location.line - 1]
            (op,) = re.findall(r'"(\w+::\w+)"', line)
            function = registration.registry.get_function_group(op).get(opset)
            assert Path(inspect.unwrap(function).__code__.co_filename).name == Path(finding.location.path).name, finding


def _opsets(message: str) -> range | None:
    found = re.search(r"at opsets? (\d+)(?: to (\d+))?", message)
    return range(int(found[1]), int(found[2] or found[1]) + 1) if found else None


def _schema(name: str, opset: int) -> onnx.defs.OpSchema | None:
    try:
        return onnx.defs.get_schema(name, opset)
    except onnx.defs.SchemaError:
        return None


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _code_at(finding: Finding) -> types.CodeType:
    """The innermost function whose header holds the place of a finding."""
    source = Path(finding.location.path).read_text()
    whole = compile(source, finding.location.path, "exec")
    starts = [
        code for code in _codes(whole) if code.co_name != "<module>" and code.co_firstlineno <= finding.location.line
    ]
    return max(starts, key=lambda code: code.co_firstlineno)


def _position(finding: Finding) -> int:
    """Which argument of the operator the parameter at a finding's place is."""
    line = Path(finding.location.path).read_text().splitlines()[finding.location.line - 1]
    name = re.match(r"\w+", line[finding.location.column - 1 :])
    code = _code_at(finding)
    assert name
    return code.co_varnames.index(name[0]) - 1


def _is_made_of(registered: Callable[..., object], function: object) -> bool:
    return inspect.unwrap(registered) is inspect.unwrap(function)  # type: ignore[arg-type]
