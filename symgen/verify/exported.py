"""Runs round trips through the dynamo exporter: one export holds the calls of many samples, and serves others too."""

from __future__ import annotations

import functools
import itertools
import re
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import torch
from onnxruntime.capi import onnxruntime_pybind11_state as ort_errors
from torch.onnx._internal.exporter import _errors

from symgen.config import Target
from symgen.match.knowledge import load_knowledge
from symgen.model.result import SampleResult, Verdict
from symgen.model.sample import SampleSpec
from symgen.render.stub import NO_TRANSLATION
from symgen.verify import roundtrip
from symgen.verify.calls import Call
from symgen.verify.compare import Comparison
from symgen.verify.exported_plan import NO_FUNCTION, shaped_groups
from symgen.verify.exporting import export_program, fits
from symgen.verify.plan import Case, twin
from symgen.verify.runner import BeforeRisk, Run, Runner, brief, export_verdict, register, worse
from symgen.verify.task import VerifyTask

Table = dict[Callable[..., Any], Callable[..., Any]]
_MOST_EXPORTS = 48
"""After so many exports those that fail are not divided any more."""


@dataclass(frozen=True)
class _Model:
    """An exported model with the calls that it consists of."""

    data: bytes
    run: Run
    samples: tuple[SampleSpec, ...]
    calls: tuple[Call, ...]
    outputs: tuple[int, ...]
    by_reference: bool

    def tensors(self, place: int, call: Call) -> list[torch.Tensor]:
        """The inputs of the whole model, with another call in one place."""
        calls = [call if position == place else own for position, own in enumerate(self.calls)]
        return [x for one in calls for x in one.inputs]

    def results(self, place: int, call: Call) -> list[torch.Tensor]:
        """What the model gives for a call in one place."""
        start = sum(self.outputs[:place])
        return self.run(self.tensors(place, call))[start : start + self.outputs[place]]

    def takes(self, place: int, call: Call) -> bool:
        """Whether a call of other sizes can stand in one place."""
        return fits(self.data, [tuple(roundtrip.real_view(x).shape) for x in self.tensors(place, call)])


class ExportedRunner(Runner):
    """Runs the cases of one task for the torchlib target; without modules the exporter is judged as it is."""

    def __init__(self, task: VerifyTask, before_risk: BeforeRisk) -> None:
        """Runs the modules of the task, in which the functions register themselves."""
        # It needs onnxscript, and workers for the other target import this module too.
        from symgen.verify.exporter_tables import keep_exporter_tables

        super().__init__(replace(task, modules=()), before_risk)
        keep_exporter_tables()
        self._modules = [register(opset, text) for opset, text in task.modules]
        self._asked = 0

    def run(self, case: Case) -> Iterator[tuple[SampleSpec, SampleResult]]:
        """Exports the case and gives what each of its samples showed; a call that fails is exported by itself."""
        yield from self._run_part(case, case)

    def _run_part(self, case: Case, whole: Case) -> Iterator[tuple[SampleSpec, SampleResult]]:
        """Runs a case that is a part of the one that was asked for, which is told before each risk."""
        groups = shaped_groups(case.samples)
        leaders = tuple(group[0] for group in groups)
        self._before_risk(leaders[0], whole, True)
        model = self._model_of(case, leaders)
        if self._is_divisible(model, leaders):
            for half in (groups[: len(groups) // 2], groups[len(groups) // 2 :]):
                samples = tuple(sample for group in half for sample in group)
                yield from self._run_part(replace(case, samples=samples), whole)
            return
        if isinstance(model, Comparison):
            yield from ((sample, self._result(case, sample, model, False)) for sample in case.samples)
            return
        for place, group in enumerate(groups):
            for sample in group:
                call, expected = self._eager(sample, 0)
                is_served = len(expected) == model.outputs[place] and model.takes(place, call)
                if sample == leaders[place] or is_served:
                    self._before_risk(sample, whole, False)
                    result = self._judged_in(model, place, sample)
                    yield sample, self._result(case, sample, result, model.by_reference)

    def _is_divisible(self, model: _Model | Comparison, samples: Sequence[SampleSpec]) -> bool:
        """Whether a failure, or the lack of a kernel, may be that of some of a model's calls alone."""
        if isinstance(model, _Model):
            # Onnx's reference is for the dtypes that need it: it has faults of its own.
            return model.by_reference and len({sample.dtypes for sample in samples}) > 1
        one_overload = len({sample.overload for sample in samples}) == 1
        # With a table it may be a part of one call that has no function.
        has_none = NO_FUNCTION in model.detail and not self._modules
        is_told = has_none or NO_TRANSLATION in model.detail or model.verdict is Verdict.NEVER_ASKED
        is_lacking = one_overload and is_told
        return len(samples) > 1 and self.exports < _MOST_EXPORTS and not is_lacking

    def _model_of(self, case: Case, samples: tuple[SampleSpec, ...]) -> _Model | Comparison:
        """The model of one call for each sample, or why there is none."""
        self.exports += 1
        calls = tuple(self._eager(sample, 0)[0] for sample in samples)
        tensors = [x for call in calls for x in call.inputs]
        self._asked = 0
        table: Table = {}
        failed: Comparison | None = None
        has_part_without = False
        try:
            table = self._table(case.opset)
            data = export_program(_together(calls), tensors, case.opset, case.dynamic, table)
        except Exception as error:
            failed = (check_that_fails(error) or self._pass_that_fails(error, case, calls)) if table else None
            if failed is not None:
                return failed
            failed = failure_of(error)
            has_part_without = any(isinstance(cause, _errors.DispatchError) for cause in _causes(error))
        if table and not self._asked:
            if has_part_without:
                failed = what_is_lacking(_together(calls), tensors, table) or failed
            # The checker comes last: what it refuses was made without the table, where that was not asked.
            # And it is another function that a length fails in.
            elif failed is None or failed.verdict is Verdict.INVALID_MODEL or samples[0].has_lengths:
                return why_not_asked(_together(calls), tensors, table)
            elif failed.verdict is Verdict.EXPORT_ERROR:
                failed = made_without(_together(calls), tensors, table) or failed
        if failed is not None:
            return failed
        by_reference = False
        try:
            run, by_reference = roundtrip.load(data)
            model = _Model(data, run, samples, calls, tuple(map(self._outputs, samples)), by_reference)
            model.results(0, calls[0])
        except Exception as error:
            # Onnx's reference has errors of its own, as in random numbers without axes.
            missing = by_reference or isinstance(error.__context__ or error, ort_errors.NotImplemented)
            return Comparison(Verdict.NO_KERNEL if missing else Verdict.RUNTIME_ERROR, brief(error))
        return model

    def _pass_that_fails(self, error: Exception, case: Case, calls: Sequence[Call]) -> Comparison | None:
        """A refusal, where a pass of the exporter's own fails, unless that is for what the table keeps whole."""
        failed = pass_that_fails(error)
        if failed is None:
            return None
        try:
            export_program(_together(calls), [x for call in calls for x in call.inputs], case.opset, case.dynamic, {})
        except Exception:
            return failed
        return Comparison(Verdict.EXPORT_ERROR, f"{failed.detail}; without a function it does not fail"[:300])

    def _judged_in(self, model: _Model, place: int, sample: SampleSpec) -> Comparison:
        """Runs a sample; the one that was exported on other values and in another size, too."""
        result = self._compared_in(model, place, sample, 0)
        if sample != model.samples[place]:
            return result
        larger = twin(sample)
        for further, turn in [(sample, 1), *([(larger, 0)] if larger else [])]:
            if result.verdict is not Verdict.RIGHT or not self.takes(further, turn):
                continue
            call, expected = self._eager(further, turn)
            if len(expected) == model.outputs[place] and model.takes(place, call):
                result = worse(result, self._compared_in(model, place, further, turn))
        return result

    def _compared_in(self, model: _Model, place: int, sample: SampleSpec, turn: int) -> Comparison:
        call, expected = self._eager(sample, turn)
        self.runs += 1
        try:
            return self._compared(call, expected, model.results(place, call))
        except Exception as error:
            return Comparison(Verdict.NO_KERNEL if model.by_reference else Verdict.RUNTIME_ERROR, brief(error))

    def _table(self, opset: int) -> Table:
        """The translation table at an opset; it counts how often it is asked."""
        return {target: self._counting(function) for target, function in translations(self._modules, opset)}

    def _counting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def counting(*arguments: Any, **keywords: Any) -> Any:
            self._asked += 1
            return function(*arguments, **keywords)

        return counting


def runner_of(task: VerifyTask, before_risk: BeforeRisk) -> Runner:
    """What runs the cases of a task."""
    return (Runner if task.target is Target.TORCHSCRIPT else ExportedRunner)(task, before_risk)


def translations(modules: Sequence[ModuleType], opset: int) -> Iterator[tuple[Callable[..., Any], Callable[..., Any]]]:
    """The operators with the functions that modules have for them at an opset, later forms last."""
    registries = [pair for module in modules for pair in module.REGISTRIES.items()]
    for since, registry in sorted(registries, key=lambda pair: pair[0]):
        for name, functions in registry.items() if since <= opset else ():
            namespace, _, rest = name.partition("::")
            base, _, overload = rest.partition(".")
            packet = getattr(getattr(torch.ops, namespace), base)
            yield getattr(packet, overload or "default"), functions.overloads[0]


def _together(calls: Sequence[Call]) -> torch.nn.Module:
    """A module whose forward makes all calls, on the tensors of all of them in a row."""
    modules = [call.module(carried=False) for call in calls]
    counts = [len(call.inputs) for call in calls]

    class Calls(torch.nn.Module):
        def forward(self, *tensors: torch.Tensor) -> Any:
            rest = iter(tensors)
            return [module(*(next(rest) for _ in range(count))) for module, count in zip(modules, counts, strict=True)]

    return Calls()


def why_not_asked(module: torch.nn.Module, tensors: Sequence[torch.Tensor], table: Table) -> Comparison:
    """What the graph holds where the model has the operator; a failure, where that is what the table has."""
    try:
        program = _captured(module, tensors, table)
    except Exception:
        return Comparison(Verdict.NEVER_ASKED, "the exporter never asks for it, which torch.export takes apart")
    return _what_is_held(program, table)


def made_without(module: torch.nn.Module, tensors: Sequence[torch.Tensor], table: Table) -> Comparison | None:
    """What torch.export makes of an operator whose export fails elsewhere; None where the table has a part in it."""
    try:
        program = _captured(module, tensors, table)
    except Exception:
        return None
    return None if any(part in table for part in _called(program)) else _what_is_held(program, table)


def _what_is_held(program: torch.export.ExportedProgram, table: Table) -> Comparison:
    """What a program holds where the model has the operator, as the verdict that it is."""
    if not any(node.users for node in program.graph.nodes if node.name in program.graph_signature.user_inputs):
        return Comparison(Verdict.NEVER_ASKED, "the exporter never asks for it: torch.export makes a constant of it")
    targets = _called(program)
    passed_over = next((target for target in targets if target in table), None)
    if passed_over is not None:
        return Comparison(Verdict.EXPORT_ERROR, f"the exporter passes over the function of {passed_over}")
    names = dict.fromkeys(str(target).replace(".", "::", 1) for target in targets if hasattr(target, "_schema"))
    parts = ", ".join(name.removesuffix(".default") for name in names)
    said = f"the exporter never asks for it: torch.export makes {parts or 'nothing'} of it"
    return Comparison(Verdict.NEVER_ASKED, said)


def what_is_lacking(module: torch.nn.Module, tensors: Sequence[torch.Tensor], table: Table) -> Comparison | None:
    """A refusal, where torch.export makes parts of an operator and one has no function; None where it stays whole."""
    # Torch's registry needs onnxscript, which this module is imported without.
    from torch.onnx._internal.exporter import _registration

    try:
        called = _called(_captured(module, tensors, table))
    except Exception:
        return None
    targets = [target for target in called if isinstance(target, torch._ops.OpOverload)]
    own = {getattr(target, "overloadpacket", None) for target in table}
    registry = _registration.ONNXRegistry.from_torchlib()
    part = next((target for target in targets if not registry.is_registered(target)), None)
    if part is None or any(target.overloadpacket in own for target in targets):
        return None
    said = f"torch.export takes it apart into {part}, for which the exporter has no function"
    operator = part._schema.name
    if operator in load_knowledge():
        said += f"; symgen new {operator} --target torchlib writes one"
    return Comparison(Verdict.REFUSED, said)


def _captured(module: torch.nn.Module, tensors: Sequence[torch.Tensor], table: Table) -> torch.export.ExportedProgram:
    """The program that the exporter goes through with a table."""
    whole = torch.export.export(module.eval(), tuple(x.clone() for x in tensors), strict=False)
    program: torch.export.ExportedProgram = whole.run_decompositions(_decompositions(table))
    return program


def _called(program: torch.export.ExportedProgram) -> list[Any]:
    """What a program calls, in its order."""
    return [node.target for node in program.graph.nodes if node.op == "call_function"]


def _decompositions(table: Table) -> Table:
    """How the exporter takes operators apart: not those that it has functions for, or the table."""
    # Torch's registry needs onnxscript, which this module is imported without.
    from torch.onnx._internal.exporter import _decomp, _registration

    kept = _decomp.get_onnx_implemented_overloads(_registration.ONNXRegistry.from_torchlib())
    return _decomp.create_onnx_friendly_decomposition_table({*kept, *table})


def check_that_fails(error: Exception) -> Comparison | None:
    """A refusal, where the exporter fails at what torch.export asks of sizes or of data: no translation helps."""
    causes = _causes(error)
    if any(type(cause).__name__ == "GuardOnDataDependentSymNode" for cause in causes):
        return Comparison(Verdict.REFUSED, "torch.export wants a number that only the data tells")
    checks = (re.search(r"target=(operator\.\w+)\]", str(cause)) for cause in causes)
    check = next(filter(None, checks), None)
    if check is None:
        return None
    return Comparison(Verdict.REFUSED, f"the exporter fails at {check[1]}, by which torch.export checks sizes")


def pass_that_fails(error: Exception) -> Comparison | None:
    """A refusal, where the exporter fails in a pass that comes before it asks for any function."""
    # It needs onnxscript, which this module is imported without.
    from torch.onnx._internal.exporter import _core

    for cause in _causes(error):
        codes = [frame.f_code for frame, _ in traceback.walk_tb(cause.__traceback__)]
        for outer, inner in itertools.pairwise(codes):
            if outer is _core._prepare_exported_program_for_export.__code__:
                said = f"the exporter fails in {inner.co_name}, before it asks for a function: {brief(cause)}"
                return Comparison(Verdict.REFUSED, said[:300])
    return None


def _causes(error: Exception) -> list[Exception]:
    """An error and what it was raised from, the first cause last."""
    chain = [error]
    while isinstance(cause := chain[-1].__cause__, Exception):
        chain.append(cause)
    return chain


def failure_of(error: Exception) -> Comparison:
    """What an error of the exporter's says: a translation or torch.export refuses, or something fails."""
    chain = _causes(error)
    for outer, inner in itertools.pairwise(chain):
        if isinstance(outer, _errors.GraphConstructionError) and type(inner) is NotImplementedError:
            return Comparison(Verdict.REFUSED, str(inner))
        if isinstance(outer, _errors.TorchExportError):
            return Comparison(Verdict.REFUSED, f"torch.export: {brief(inner)}"[:300])
    verdict = export_verdict(chain[-1])
    return Comparison(Verdict.EXPORT_ERROR if verdict is Verdict.REFUSED else verdict, brief(chain[-1]))
