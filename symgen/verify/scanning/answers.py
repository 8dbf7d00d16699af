"""What a child process answers to the jobs that are about a whole model."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable

from symgen.config import Target
from symgen.model.result import Verdict
from symgen.verify.scan_jobs import ExportJob, ExportSeen, ScanJob, ScanSeen, ScanStep, Unusable
from symgen.verify.scanning.export import export_model
from symgen.verify.scanning.loading import NO_INPUTS, UnusableError, load_model
from symgen.verify.scanning.model import scan_model
from symgen.verify.scanning.program_scan import scan_by_dynamo
from symgen.verify.scanning.programs import CaptureError, as_program, translation_table


def answer_scan(
    job: ScanJob | ExportJob, emit: Callable[[ScanStep | ScanSeen], None]
) -> ScanSeen | ExportSeen | Unusable:
    """Does a job; what the user has to mend first is an answer too."""
    gc.disable()  # graphs hold no cycles, and a collector would walk their nodes over and over
    emit(ScanStep("loading"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if job.target.exporter is Target.TORCHLIB:
                return _of_program(job, emit)
            if isinstance(job, ExportJob):
                return export_model(load_model(job.target), job, emit)
            return scan_model(load_model(job.target), job.opset, emit)
        except UnusableError as error:
            return Unusable(str(error))


def _of_program(job: ScanJob | ExportJob, emit: Callable[[ScanStep | ScanSeen], None]) -> ScanSeen | ExportSeen:
    """Does a job by the dynamo exporter."""
    loaded, table = load_model(job.target), translation_table(job.target, job.opset)
    if isinstance(job, ScanJob):
        return scan_by_dynamo(loaded, table, job.opset, emit)
    try:
        program = as_program(loaded, table)
    except CaptureError as error:
        return ExportSeen(Verdict.EXPORT_ERROR.value, str(error))
    if program.options()["input_names"] and not program.args:
        raise UnusableError(NO_INPUTS)
    return export_model(program, job, emit)
