"""What a child process does: ask eager torch which samples it takes, and run round trips.

A job says before each risky step what it is about to do, so that the supervisor knows what a crash was about.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Callable, Mapping, Sequence
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
from symgen.verify.compare import TOLERANCES, Comparison, compare_all, loosened_by_inputs
from symgen.verify.domains import domain_of
from symgen.verify.exact import is_rounded_exact
from symgen.verify.free_results import FREE_RESULTS
from symgen.verify.generate import generate_samples
from symgen.verify.messages import About, Collected, Counted, Found, Job, Message, OpInfoJob, RunJob, SampleJob, Seen
from symgen.verify.plan import Case, twin
from symgen.verify.task import VerifyTask

AS_INPUTS_ALLOW = "within the tolerance of the least precise input"
AS_IN_DOUBLE = "as the result in double precision"
"""What the detail of a right result says where torch's own tolerances did not suffice."""

Emit = Callable[[Message], None]
Run = Callable[[Sequence[torch.Tensor]], list[torch.Tensor]]


def work(job: Job, emit: Emit) -> None:
    """Does a job in this process."""
    quiet()
    torch.set_num_threads(1)
    match job:
        case SampleJob():
            emit(Found(_find_samples(job, emit)))
        case RunJob(task, cases):
            _Runner(task, emit).run(cases)
        case OpInfoJob(tasks):
            emit(_collected(tasks))


def _collected(tasks: tuple[VerifyTask, ...]) -> Collected:
    """OpInfo's samples; none, and why, where OpInfo cannot be imported."""
    from symgen.verify.opinfo_samples import collect, load_op_db

    try:
        op_db = load_op_db()
    except ImportError as error:
        return Collected((), f"OpInfo has not been asked, as it cannot be imported: {error}")
    return Collected(tuple((task.op, collect(task, op_db)) for task in tasks))


def quiet() -> None:
    """Sends what C++ code writes to the standard streams nowhere."""
    sys.stdout.flush()
    sys.stderr.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _find_samples(job: SampleJob, emit: Emit) -> tuple[SampleSpec, ...]:
    name = job.task.name

    def accepts(sample: SampleSpec) -> bool:
        if sample in job.deadly:
            return False
        emit(About(sample))
        try:
            return bool(make_call(name, job.task.schemas, sample).eager())
        except Exception:
            return False

    known = tuple(sample for sample in job.known if accepts(sample))
    generated = (
        sample
        for schema in job.task.schemas
        for sample in generate_samples(schema, domain_of(job.task.op, schema.name.overload), accepts)
    )
    return tuple(dict.fromkeys((*generated, *known)))


class _Runner:
    """Runs the cases of one task; what eager torch gave is kept for the next opset."""

    def __init__(self, task: VerifyTask, emit: Emit) -> None:
        self._task = task
        self._emit = emit
        self._expected: dict[tuple[SampleSpec, int], tuple[Call, list[torch.Tensor]]] = {}
        self._tolerances: Mapping[str, tuple[float, float]] = {
            **TOLERANCES, **{row.dtype: (row.rtol, row.atol) for row in task.tolerances},
        }  # fmt: skip
        self._model: tuple[bytes, tuple[Run, bool]] | None = None
        self._property: properties.Property | None = getattr(properties, FREE_RESULTS.get(task.op, ""), None)
        self._runs = 0

    def run(self, cases: tuple[Case, ...]) -> None:
        """Registers the modules and goes through the cases."""
        for opset, text in self._task.modules:
            register(opset, text)
        for case in cases:
            self._runs = 0
            self._case(case)
            self._emit(Counted(exports=1, runs=self._runs))

    def _case(self, case: Case) -> None:
        first = case.samples[0]
        self._emit(About(first, case, exporting=True))
        try:
            model = self._export(case, first)
        except Exception as error:
            verdict = export_verdict(error)
            for sample in case.samples:
                self._emit(Seen(case, sample, self._result(case, sample, Comparison(verdict, brief(error)), False)))
            return
        other = twin(first) if case.dynamic else None
        for sample in case.samples:
            self._emit(About(sample, case))
            self._emit(
                Seen(case, sample, self._judged(case, sample, model, twin_of_first=other if sample is first else None))
            )

    def _export(self, case: Case, sample: SampleSpec) -> bytes:
        call, _ = self._eager(sample, 0)
        if case.mode == "scripted":
            module: Any = scripted_function(self._task.name, self._task.schemas, sample)
        else:
            module = call.module()
        return roundtrip.export(module, call.tensors, case.opset, case.dynamic)

    def _judged(self, case: Case, sample: SampleSpec, data: bytes, twin_of_first: SampleSpec | None) -> SampleResult:
        """Runs a sample on its values; the one that was exported on other values and in another size too."""
        result, by_reference = self._run(data, sample, 0)
        rounds = [(sample, 1)] if sample is case.samples[0] else []
        if twin_of_first is not None:
            rounds.append((twin_of_first, 0))
        for further, turn in rounds:
            if result.verdict is not Verdict.RIGHT:
                break
            try:
                self._eager(further, turn)
            except Exception:
                continue
            result, by_reference = self._run(data, further, turn)
        return self._result(case, sample, result, by_reference)

    def _run(self, data: bytes, sample: SampleSpec, turn: int) -> tuple[Comparison, bool]:
        """Runs a sample; where the runtime has no kernel the reference decides, and the second result is true."""
        call, expected = self._eager(sample, turn)
        self._runs += 1
        by_reference = False
        try:
            run, by_reference = self._loaded(data)
            got = run(call.tensors)
        except Exception as error:
            missing = by_reference or isinstance(error, ort_errors.NotImplemented)
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
        return SampleResult(
            sample=str(sample),
            dtype="/".join(sample.dtypes),
            opset=case.opset,
            mode=case.label,
            verdict=comparison.verdict,
            detail=comparison.detail,
            max_abs_err=comparison.max_abs_err,
            max_rel_err=comparison.max_rel_err,
            by_reference=by_reference,
        )


def register(opset: int, text: str) -> None:
    """Runs a generated module, which registers its functions."""
    module = types.ModuleType(f"_symgen_generated_opset{opset}")
    sys.modules[module.__name__] = module
    exec(compile(text, f"<generated for opset {opset}>", "exec"), module.__dict__)


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
