"""Exports programs through the dynamo exporter, and finds the first operator whose result in the model differs."""

from __future__ import annotations

import logging
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import onnx
import torch
from torch.export.graph_signature import InputKind

from symgen.model.result import Verdict
from symgen.verify.compare import Comparison
from symgen.verify.exported import failure_of
from symgen.verify.exporting import export_program
from symgen.verify.scan_jobs import ExportJob, WrongOp
from symgen.verify.scanning.comparing import Case, compare_loosely, load_file
from symgen.verify.scanning.loading import tensors_of
from symgen.verify.scanning.program_scan import operator_name, place_of_call
from symgen.verify.scanning.programs import LoadedProgram
from symgen.verify.scanning.replays import Argument, GraphCall, TensorNumber, replay

_MOST_IN_A_FILE = 2**31 - 2**24
"""Bytes of weights that still go into one file with the graph."""
_MOST_REPLAYS = 60
"""Calls that are made again one by one, where the model as a whole doesn't run; an export takes a second."""


def export_to_file(loaded: LoadedProgram, path: str, opset: int) -> None:
    """Exports a program into a file, and has the checker look at it."""
    size = sum(x.numel() * x.element_size() for x in loaded.program.state_dict.values())
    _export(loaded, opset, f=path, external_data=size > _MOST_IN_A_FILE)
    onnx.checker.check_model(path, full_check=True)


def first_wrong_of_program(loaded: LoadedProgram, case: Case, job: ExportJob) -> WrongOp | None:
    """The first operator that differs; None where all are right, or can't be looked at.

    Where the model with all values on the way as outputs doesn't run, each call is made again by itself.
    """
    try:
        exported = _export(loaded, job.opset, optimize=False)
        recorder = _recorded(exported.exported_program, case)
    except Exception:
        return None
    try:
        names = _with_values_on_the_way(exported.model, recorder)
        got = load_file(exported.model_proto.SerializeToString(), loaded)(tensors_of(case.args))
    except Exception:
        return _first_by_itself(recorder, loaded, job.opset)
    for name, value in zip(names, got[len(got) - len(names) :], strict=True):
        node = _source(recorder.nodes[name])
        seen = compare_loosely([recorder.tensors[name]], [value])
        if seen.verdict is not Verdict.RIGHT:
            wrong = _by_itself(node, recorder, loaded, job.opset)
            return wrong or WrongOp(operator_name(node), place_of_call(node), seen.detail, seen.verdict.value)
    return None


def _recorded(program: torch.export.ExportedProgram | None, case: Case) -> _Recorder:
    assert program is not None
    recorder = _Recorder(program)
    recorder.run_on(case.args)
    return recorder


def _export(loaded: LoadedProgram, opset: int, **options: Any) -> torch.onnx.ONNXProgram:
    """Exports; the names of the axes are the program's own."""
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    exported = torch.onnx.export(
        loaded.program,
        dynamo=True,
        opset_version=opset,
        custom_translation_table=dict(loaded.table),
        verbose=False,
        **options,
    )
    assert exported is not None
    return exported


class _Recorder(torch.fx.Interpreter):
    """Runs a decomposed program in eager torch, and keeps what every call gives."""

    def __init__(self, program: torch.export.ExportedProgram) -> None:
        super().__init__(program.graph_module)
        self._program = program
        self.tensors: dict[str, torch.Tensor] = {}
        """By the names of the values, which are those of the model as well."""
        self.nodes: dict[str, torch.fx.Node] = {}
        self.results: dict[torch.fx.Node, Any] = {}

    def run_on(self, args: tuple[Any, ...]) -> None:
        """Runs the program on its inputs, with its weights before them."""
        keywords = args[-1] if args and isinstance(args[-1], dict) else {}
        positional = args[:-1] if keywords else args
        flat, _ = self._program._get_flat_args_with_check(positional, keywords)  # type: ignore[no-untyped-call]
        with torch.no_grad():
            self.run(*self._given(iter(flat)))

    def run_node(self, n: torch.fx.Node) -> Any:
        """Keeps what a node gives."""
        result = self.results[n] = super().run_node(n)
        if isinstance(result, torch.Tensor):
            self.tensors[n.name], self.nodes[n.name] = result, n
        return result

    def _given(self, flat: Iterator[Any]) -> Iterator[Any]:
        weights = {**self._program.state_dict, **self._program.constants}
        for spec in self._program.graph_signature.input_specs:
            yield next(flat) if spec.kind is InputKind.USER_INPUT else weights.get(str(spec.target))


def _with_values_on_the_way(model: Any, recorder: _Recorder) -> list[str]:
    """Puts the values that the recorder knows among the outputs of a model; gives their names."""
    values = [value for node in model.graph for value in node.outputs if value.name in recorder.tensors]
    model.graph.outputs.extend(values)
    return [value.name for value in values]


def _first_by_itself(recorder: _Recorder, loaded: LoadedProgram, opset: int) -> WrongOp | None:
    calls = [node for node in recorder.results if node.op == "call_function"]
    for node in calls[:_MOST_REPLAYS]:
        wrong = _by_itself(node, recorder, loaded, opset)
        if wrong is not None:
            return wrong
    return None


def _by_itself(node: torch.fx.Node, recorder: _Recorder, loaded: LoadedProgram, opset: int) -> WrongOp | None:
    """What a call shows when it is exported by itself, with what eager torch gave it; None where it is right."""
    if not isinstance(node.target, torch._ops.OpOverload):
        return None

    def export(module: torch.nn.Module, tensors: Sequence[torch.Tensor], opset: int) -> bytes | Comparison:
        try:
            return export_program(module, tensors, opset, False, loaded.table)
        except Exception as error:
            return failure_of(error)

    known = {number: x for number, x in enumerate(recorder.results.values()) if isinstance(x, torch.Tensor)}
    call = _call_of(node, recorder.results)
    made = replay(call, known, opset, export)
    return WrongOp(call.op, call.place, made.seen.detail, made.seen.verdict.value, made.sample) if made else None


def _call_of(node: torch.fx.Node, results: Mapping[torch.fx.Node, Any]) -> GraphCall:
    """The call that a node makes; tensors are numbered as the results are."""
    assert isinstance(node.target, torch._ops.OpOverload)
    numbers = {given: number for number, given in enumerate(results)}

    def argument(value: Any) -> Argument:
        if isinstance(value, torch.fx.Node):
            return (
                TensorNumber(numbers[value]) if isinstance(results[value], torch.Tensor) else argument(results[value])
            )
        if isinstance(value, list | tuple):
            return tuple(map(argument, value))
        return value if isinstance(value, bool | int | float | str | torch.dtype) else None

    schema = node.target._schema
    given = dict(zip((one.name for one in schema.arguments), node.args, strict=False)) | dict(node.kwargs)
    values = tuple(argument(given.get(one.name, one.default_value)) for one in schema.arguments)
    return GraphCall(operator_name(node), place_of_call(node), str(schema), values, tuple(range(len(schema.returns))))


def _source(node: torch.fx.Node) -> torch.fx.Node:
    """The call that a node takes one of several results of; the node itself where it is a call."""
    source = node.args[0] if node.target is operator.getitem else node
    return source if isinstance(source, torch.fx.Node) else node
