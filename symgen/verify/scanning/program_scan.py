"""Scans an exported program: every operator is translated as the dynamo exporter would, and none stops the others."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch.export.graph_signature import OutputKind

from symgen.model.scan import Place
from symgen.verify.runner import brief
from symgen.verify.scan_jobs import OpUse, Refusal, ScanSeen, ScanStep, StateWrite
from symgen.verify.scanning.loading import LoadedModel
from symgen.verify.scanning.places import user_line
from symgen.verify.scanning.programs import CaptureError, LoadedProgram, Table, as_program
from symgen.verify.scanning.trial import replaced

_STEP = 100
_PREFIX = re.compile(r"^L\['self'\]\.?|\._modules\['([^']+)'\]")
_STUB = ("symgen.stub", "Missing")
Tell = Callable[[ScanStep | ScanSeen], None]


@dataclass
class _Trial:
    """What the translation of a program has shown so far."""

    total: int
    tell: Tell
    uses: dict[str, OpUse] = field(default_factory=dict)
    refusals: dict[tuple[str, str], Refusal] = field(default_factory=dict)
    visited: int = 0

    def count_missing(self, node: Any) -> None:
        """Records an operator that has no translation."""
        op = _operator(node)
        known = self.uses.get(op) or OpUse(op, op, 0, place_of_call(node), met=True)
        self.uses[op] = replace(known, count=known.count + 1)

    def count_refusal(self, node: Any, error: Exception) -> None:
        """Records a translation that raised."""
        op, message = operator_name(node), brief(error).removeprefix("NotImplementedError: ")
        known = self.refusals.get((op, message)) or Refusal(op, 0, place_of_call(node), message)
        self.refusals[op, message] = replace(known, count=known.count + 1)

    def step(self) -> None:
        """Tells how far it is."""
        if self.visited % _STEP == 0:
            self.tell(ScanStep("judging operators", min(self.visited, self.total), self.total))
        self.visited += 1


def scan_by_dynamo(loaded: LoadedModel, table: Table, opset: int, tell: Tell) -> ScanSeen:
    """Everything that a trial of an export by the dynamo exporter shows; that there is no program is a failure too.

    Raises:
        UnusableError: where the model itself fails on its inputs.
    """
    if not isinstance(loaded.model, torch.export.ExportedProgram):
        tell(ScanStep("running the model"))
        loaded.run()
        tell(ScanStep("exporting with torch.export"))
    try:
        return _scan_program(as_program(loaded, table), opset, tell)
    except CaptureError as error:
        return ScanSeen(failure=str(error), exporter="dynamo")


def _scan_program(loaded: LoadedProgram, opset: int, tell: Tell) -> ScanSeen:
    """Translates every operator of the program, once it has been decomposed; a stub takes the place of what fails."""
    from torch.onnx._internal.exporter import _core

    tell(ScanStep("decomposing"))
    registry = _registry(loaded, opset)
    try:
        program = _core._prepare_exported_program_for_export(loaded.program, registry=registry)
    except Exception as error:
        return ScanSeen(failure=brief(error), exporter="dynamo")
    calls = [node for node in program.graph.nodes if node.op == "call_function"]
    trial = _Trial(len(calls), tell)
    failure = _translate(program, registry, trial)
    options = loaded.options()
    return ScanSeen(
        nodes=len(calls),
        uses=tuple(trial.uses.values()),
        refusals=tuple(trial.refusals.values()),
        state=tuple(_state_writes(program)),
        failure="" if trial.uses or trial.refusals else failure,  # with stubs it may fail because of them
        complete=True,
        input_names=tuple(options["input_names"]),
        dynamic_axes=tuple((name, tuple(axes.items())) for name, axes in options["dynamic_axes"].items()),
        exporter="dynamo",
    )


def _registry(loaded: LoadedProgram, opset: int) -> Any:
    """The exporter's functions at an opset, the program's table before its own."""
    from torch.onnx._internal.exporter import _constants, _registration

    registry = _registration.ONNXRegistry.from_torchlib(max(opset, _constants.TORCHLIB_OPSET))
    for operator, function in loaded.table.items():
        registry.register_op(operator, function)
    return registry


def _translate(program: torch.export.ExportedProgram, registry: Any, trial: _Trial) -> str:
    """Has the exporter translate a decomposed program; gives what it says where it fails outside of any function."""
    from torch.onnx._internal.exporter import _core, _dispatching

    dispatch = _dispatching.dispatch

    def dispatch_and_record(node: Any, registry: Any) -> tuple[Callable[..., Any], str]:
        trial.step()
        function, message = dispatch(node, registry)
        if function is None:
            trial.count_missing(node)
            return lambda *arguments, **keywords: _stub(node), message
        return _recording(function, node, trial), message

    with replaced(_dispatching, "dispatch", dispatch_and_record):
        try:
            _core._exported_program_to_onnx_program(program, registry=registry)
        except Exception as error:
            return brief(error)
    return ""


def _recording(function: Callable[..., Any], node: Any, trial: _Trial) -> Callable[..., Any]:
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return function(*arguments, **keywords)
        except Exception as error:
            trial.count_refusal(node, error)
            return _stub(node)

    return call


def _stub(node: Any) -> Any:
    """Values in place of the results of a call that has no translation; the exporter gives them types and shapes."""
    import onnx_ir

    results = node.meta["val"]
    count = len(results) if isinstance(results, tuple | list) else 1
    outputs = onnx_ir.Node(*_STUB, [], num_outputs=count).outputs
    return outputs if isinstance(results, tuple | list) else outputs[0]


def _state_writes(program: torch.export.ExportedProgram) -> list[StateWrite]:
    """The parameters and buffers that the program writes into."""
    nodes = {node.name: node for node in program.graph.nodes}
    kinds = (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION)
    written = [spec for spec in program.graph_signature.output_specs if spec.kind in kinds]
    return [StateWrite(str(spec.target), 1, place_of_call(nodes[spec.arg.name])) for spec in written]


def operator_name(node: Any) -> str:
    """The operator of a call without its overload; that which was taken apart, where a part is none of ATen's."""
    name: str = node.target.name() if hasattr(node.target, "name") else str(node.target)
    return name.partition(".")[0] if name.startswith("aten::") else _operator(node)


def _operator(node: Any) -> str:
    """The operator that the model called, whose decomposition a call may be a part of."""
    called = node.meta.get("original_aten") or node.target
    name: str = called.name() if hasattr(called, "name") else str(called)
    return name.partition(".")[0]


def place_of_call(node: Any) -> Place:
    """Where a call of the program comes from."""
    stack = node.meta.get("nn_module_stack") or {}
    module = next((path for path, _ in reversed(list(stack.values()))), "")
    return Place(_PREFIX.sub(r".\1", str(module)).strip("."), *user_line(node.meta.get("stack_trace") or "", last=True))
