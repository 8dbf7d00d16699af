"""What a child process answers to the jobs that are about a whole model."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable

from symgen.verify.scan_jobs import ExportJob, ExportSeen, ScanJob, ScanSeen, ScanStep, Unusable
from symgen.verify.scanning.export import export_model
from symgen.verify.scanning.loading import UnusableError, load_model
from symgen.verify.scanning.model import scan_model
from symgen.verify.scanning.programs import scan_program


def answer_scan(
    job: ScanJob | ExportJob, emit: Callable[[ScanStep | ScanSeen], None]
) -> ScanSeen | ExportSeen | Unusable:
    """Does a job; what the user has to mend first is an answer too."""
    gc.disable()  # graphs hold no cycles, and a collector would walk their nodes over and over
    emit(ScanStep("loading"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if isinstance(job, ExportJob):
                return export_model(load_model(job.target), job, emit)
            if job.target.is_program:
                return scan_program(job.target, job.opset, emit)
            return scan_model(load_model(job.target), job.opset, emit)
        except UnusableError as error:
            return Unusable(str(error))
