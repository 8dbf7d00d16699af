"""Exports a whole model, runs it in ONNX Runtime, and compares: on its own inputs, on other values, in another size."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import onnx
import torch
from onnxruntime.capi import onnxruntime_pybind11_state as ort_errors
from torch.utils import _pytree as pytree

from symgen.model.result import Verdict
from symgen.model.scan import NOT_COMPARED, RIGHT
from symgen.verify.compare import Comparison
from symgen.verify.exported import failure_of
from symgen.verify.runner import brief, export_verdict
from symgen.verify.scan_jobs import ExportJob, ExportSeen, ScanSeen, ScanStep, WrongOp
from symgen.verify.scanning.bisect import first_wrong
from symgen.verify.scanning.comparing import Case, compare_run, export_to, load_file
from symgen.verify.scanning.loading import LoadedModel, UnusableError, tensors_of
from symgen.verify.scanning.program_export import export_to_file, first_wrong_of_program
from symgen.verify.scanning.programs import LoadedProgram

Tell = Callable[[ScanStep | ScanSeen], None]


def export_model(loaded: LoadedModel, job: ExportJob, tell: Tell) -> ExportSeen:
    """Exports into the file of the job, and judges what comes out.

    Raises:
        UnusableError: where the model itself fails on its inputs.
    """
    own = Case(loaded.args, tensors_of(loaded.run()), "")
    tell(ScanStep("exporting"))
    try:
        _export(loaded, job)
    except Exception as error:
        failed = _failure(error, loaded)
        wrong = _first_wrong(loaded, own, job, tell) if failed.verdict is Verdict.INVALID_MODEL else None
        return ExportSeen(failed.verdict.value, failed.detail, first_wrong=wrong)
    nodes = len(onnx.load(job.path, load_external_data=False).graph.node)
    try:
        run = load_file(job.path, loaded)
    except Exception as error:
        if job.custom_opsets and isinstance(error, ort_errors.Fail):
            return ExportSeen(NOT_COMPARED, f"nothing here has kernels for it: {brief(error)}", nodes)
        wrong = _first_wrong(loaded, own, job, tell)
        return ExportSeen(Verdict.RUNTIME_ERROR.value, brief(error), nodes, first_wrong=wrong)
    tell(ScanStep("comparing"))
    largest = largest_relative = 0.0
    for case in (own, *_further_cases(loaded, len(own.expected))):
        seen = compare_run(run, case)
        if seen.verdict is not Verdict.RIGHT:
            wrong = _first_wrong(loaded, case, job, tell)
            detail = f"{case.what}{seen.detail}"
            return ExportSeen(seen.verdict.value, detail, nodes, seen.max_abs_err, seen.max_rel_err, wrong)
        largest, largest_relative = max(largest, seen.max_abs_err), max(largest_relative, seen.max_rel_err)
    return ExportSeen(RIGHT, "", nodes, largest, largest_relative)


def _first_wrong(loaded: LoadedModel, case: Case, job: ExportJob, tell: Tell) -> WrongOp | None:
    tell(ScanStep("looking for the first operator that differs"))
    if isinstance(loaded, LoadedProgram):
        return first_wrong_of_program(loaded, case, job)
    return first_wrong(loaded, case, job)


def _export(loaded: LoadedModel, job: ExportJob) -> None:
    if isinstance(loaded, LoadedProgram):
        export_to_file(loaded, job.path, job.opset)
    else:
        export_to(loaded, job.path, job.opset, dict(job.custom_opsets))


def _failure(error: Exception, loaded: LoadedModel) -> Comparison:
    if isinstance(loaded, LoadedProgram):
        return failure_of(error)
    return Comparison(export_verdict(error), brief(error))


def _further_cases(loaded: LoadedModel, outputs: int) -> Iterator[Case]:
    """Other values, and another size of the dynamic axes, where the model takes them and gives as many results."""
    changed = [("on other values: ", pytree.tree_map_only(torch.Tensor, _other_values, loaded.args))]
    if loaded.axes:
        changed.append(("in another size: ", loaded.larger().args))
    for what, args in changed:
        try:
            expected = tensors_of(loaded.run(args))
        except UnusableError:
            continue
        if len(expected) == outputs:
            yield Case(args, expected, what)


def _other_values(tensor: torch.Tensor) -> torch.Tensor:
    """Other values of the same kind: the elements in another order, floats a little smaller too."""
    if not tensor.numel():
        return tensor
    turned = tensor.flatten().roll(1).reshape(tensor.shape).flip(tuple(range(tensor.dim())))
    return turned * 0.75 if tensor.is_floating_point() else turned
