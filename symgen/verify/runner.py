"""Runs round trips in a child process: exports a case, runs its samples, and judges what comes out."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import onnx
import torch
from onnxruntime.capi import onnxruntime_pybind11_state as ort_errors
from torch.onnx import errors

from symgen.model.result import SampleResult, Verdict
from symgen.model.sample import SampleSpec
from symgen.verify import properties, roundtrip
from symgen.verify.calls import Call, make_call, scripted_function
from symgen.verify.compare import TOLERANCES, Comparison, compare_all, loosened_by_inputs, sample_result
from symgen.verify.domains import domain_of
from symgen.verify.domains.quantized import step_tolerance
from symgen.verify.exact import is_rounded_exact
from symgen.verify.free_results import FREE_RESULTS
from symgen.verify.plan import Case, twin
from symgen.verify.task import VerifyTask

AS_INPUTS_ALLOW = "within the tolerance of the least precise input"
AS_IN_DOUBLE = "as the result in double precision"
"""What the detail of a right result says where torch's own tolerances did not suffice."""

Run = Callable[[Sequence[torch.Tensor]], list[torch.Tensor]]
BeforeRisk = Callable[[SampleSpec, Case, bool], None]
"""Told before each step that may kill the process: the sample, its case, and whether it is the export."""


class Runner:
    """Runs the cases of one task; what eager torch gave is kept for the next opset."""

    def __init__(self, task: VerifyTask, before_risk: BeforeRisk) -> None:
        """Runs the modules of the task, which register their functions."""
        self._task = task
        self._before_risk = before_risk
        self._expected: dict[tuple[SampleSpec, int], tuple[Call, list[torch.Tensor]]] = {}
        own = {row.dtype: (row.rtol, row.atol) for row in (*step_tolerance(task.op), *task.tolerances)}
        self._tolerances: Mapping[str, tuple[float, float]] = {**TOLERANCES, **own}
        self._model: tuple[bytes, tuple[Run, bool]] | None = None
        self._property: properties.Property | None = getattr(properties, FREE_RESULTS.get(task.op, ""), None)
        if domain_of(task.op).carries_complex:
            roundtrip.carry_complex()
        self.exports = self.runs = 0
        """How often something was exported and a model was run so far."""
        for opset, text in task.modules:
            register(opset, text)

    def run(self, case: Case) -> Iterator[tuple[SampleSpec, SampleResult]]:
        """Exports the case and gives what each of its samples showed."""
        first = case.samples[0]
        self._before_risk(first, case, True)
        try:
            model = self._export(case, first)
        except Exception as error:
            failed = Comparison(export_verdict(error), brief(error))
            yield from ((sample, self._result(case, sample, failed, False)) for sample in case.samples)
            return
        for sample in case.samples:
            if case.mode == "traced" and self._outputs(sample) != self._outputs(first):
                yield from self.run(case.only(sample))
                continue
            self._before_risk(sample, case, False)
            yield sample, self._judged(case, sample, model)

    def _export(self, case: Case, sample: SampleSpec) -> bytes:
        self.exports += 1
        call, _ = self._eager(sample, 0)
        if case.mode == "scripted":
            module: Any = scripted_function(self._task.name, self._task.schemas, sample)
        else:
            module = call.module()
        return roundtrip.export(module, call.inputs, case.opset, case.dynamic)

    def _judged(self, case: Case, sample: SampleSpec, data: bytes) -> SampleResult:
        """Runs a sample; the one that was exported on other values, and in another size where axes are dynamic, too."""
        result, by_reference = self._run(data, sample, 0)
        if sample == case.samples[0]:
            larger = twin(sample) if case.dynamic else None
            for further, turn in [(sample, 1), *([(larger, 0)] if larger else [])]:
                comparable = self.takes(further, turn) and self._outputs(further) == self._outputs(sample)
                if result.verdict is Verdict.RIGHT and comparable:
                    again, by_reference = self._run(data, further, turn)
                    result = worse(result, again)
        return self._result(case, sample, result, by_reference)

    def _outputs(self, sample: SampleSpec) -> int:
        """How many tensors eager torch gives; a traced graph gives as many as it was traced with."""
        return len(self._eager(sample, 0)[1])

    def takes(self, sample: SampleSpec, turn: int = 0) -> bool:
        """Whether eager torch takes the sample with the values of this turn."""
        try:
            call, _ = self._eager(sample, turn)
            if domain_of(self._task.op, sample.overload).double_checks:
                call.in_double().eager()
        except Exception:
            return False
        return True

    def _run(self, data: bytes, sample: SampleSpec, turn: int) -> tuple[Comparison, bool]:
        """Runs a sample; where the runtime has no kernel the reference decides, and the second result is true."""
        call, expected = self._eager(sample, turn)
        self.runs += 1
        by_reference = False
        try:
            run, by_reference = self._loaded(data)
            got = run(call.inputs)
        except Exception as error:
            missing = by_reference or isinstance(error.__context__ or error, ort_errors.NotImplemented)
            return Comparison(Verdict.NO_KERNEL if missing else Verdict.RUNTIME_ERROR, brief(error)), by_reference
        return self._compared(call, expected, got), by_reference

    def _loaded(self, data: bytes) -> tuple[Run, bool]:
        """The model, loaded once for all samples of a case."""
        if self._model is None or self._model[0] is not data:
            self._model = (data, roundtrip.load(data))
        return self._model[1]

    def _compared(self, call: Call, expected: list[torch.Tensor], got: list[torch.Tensor]) -> Comparison:
        plain = compare_all(expected, got, self._tolerances)
        if plain.verdict is Verdict.WRONG_VALUE and self._property is not None:
            complaint = self._property(call.tensors, expected, got)
            return Comparison(Verdict.WRONG_VALUE, complaint) if complaint else Comparison(Verdict.RIGHT)
        if plain.verdict is not Verdict.WRONG_VALUE:
            return plain
        loosened = loosened_by_inputs(self._tolerances, call.tensors)
        if compare_all(expected, got, loosened).verdict is Verdict.RIGHT:
            return replace(plain, verdict=Verdict.RIGHT, detail=AS_INPUTS_ALLOW)
        if self._is_exact(call, expected, got):
            return replace(plain, verdict=Verdict.RIGHT, detail=AS_IN_DOUBLE)
        return plain

    def _is_exact(self, call: Call, expected: list[torch.Tensor], got: list[torch.Tensor]) -> bool:
        is_sensitive = domain_of(self._task.op).sensitive
        try:
            return is_rounded_exact(call, expected, got, self._tolerances, is_sensitive=is_sensitive)
        except Exception:
            return False

    def _eager(self, sample: SampleSpec, turn: int) -> tuple[Call, list[torch.Tensor]]:
        if (sample, turn) not in self._expected:
            call = make_call(self._task.name, self._task.schemas, sample, turn)
            self._expected[sample, turn] = (call, call.eager())
        return self._expected[sample, turn]

    def _result(self, case: Case, sample: SampleSpec, comparison: Comparison, by_reference: bool) -> SampleResult:
        return sample_result(sample, case.opset, case.label, comparison, by_reference=by_reference)


def worse(first: Comparison, second: Comparison) -> Comparison:
    """Both results in one: the second verdict, as the first was right, and the larger errors."""
    return Comparison(
        second.verdict,
        second.detail or first.detail,
        max(first.max_abs_err, second.max_abs_err),
        max(first.max_rel_err, second.max_rel_err),
    )


def register(opset: int, text: str) -> types.ModuleType:
    """Runs a generated module, which registers its functions."""
    module = types.ModuleType(f"_symgen_generated_opset{opset}")
    sys.modules[module.__name__] = module
    exec(compile(text, f"<generated for opset {opset}>", "exec"), module.__dict__)
    return module


def export_verdict(error: Exception) -> Verdict:
    """Tells a refusal from a failure of the exporter and from a model that the checker turns down."""
    if isinstance(error, onnx.checker.ValidationError | onnx.shape_inference.InferenceError):
        return Verdict.INVALID_MODEL
    if isinstance(error, errors.UnsupportedOperatorError):
        return Verdict.EXPORT_ERROR
    return Verdict.REFUSED if isinstance(error, errors.OnnxExporterError) else Verdict.EXPORT_ERROR


def brief(error: Exception) -> str:
    """An error in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:300]
