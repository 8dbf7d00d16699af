"""What a child process does: ask eager torch which samples it takes, and run round trips.

A job says before each risky step what it is about to do, so that the supervisor knows what a crash was about.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

import torch

from symgen.config import Target
from symgen.model.sample import WHOLE, SampleSpec
from symgen.model.schema import AtenSchema
from symgen.verify.accuracy import measure_accuracy
from symgen.verify.calls import make_call, with_stored_values
from symgen.verify.domains import domain_of
from symgen.verify.domains.rows import Domain
from symgen.verify.drawing import leave_no_files
from symgen.verify.exported import runner_of
from symgen.verify.generate import DRAWN, DRAWN_FOR_TORCH, generate_samples
from symgen.verify.lengths import calls_with_lengths
from symgen.verify.messages import (
    About,
    AccuracyJob,
    Collected,
    Counted,
    Found,
    Job,
    Measured,
    Message,
    OpInfoJob,
    RunJob,
    SampleJob,
    Seen,
    ShrinkJob,
    Shrunk,
)
from symgen.verify.plan import Case, twin
from symgen.verify.scan_jobs import ExportJob, ScanJob
from symgen.verify.scanning.answers import answer_scan
from symgen.verify.shrink import shrink
from symgen.verify.task import VerifyTask
from symgen.verify.telling import looked_at
from symgen.verify.user_code import answer

Emit = Callable[[Message], None]


def work(job: Job, emit: Emit) -> None:
    """Does a job in this process."""
    quiet()
    leave_no_files()
    torch.set_num_threads(1)
    match job:
        case SampleJob():
            emit(Found(_find_samples(job, emit)))
        case RunJob(task, cases):
            _run(task, cases, emit)
        case ShrinkJob():
            emit(_shrunk(job, emit))
        case AccuracyJob(task):
            emit(Measured(measure_accuracy(task)))
        case OpInfoJob(tasks):
            _collect(tasks, emit)
        case ScanJob() | ExportJob():
            emit(answer_scan(job, emit))
        case _:
            emit(answer(job))


def _run(task: VerifyTask, cases: tuple[Case, ...], emit: Emit) -> None:
    runner = runner_of(task, lambda sample, case, exporting: emit(About(sample, case, exporting)))
    for case in cases:
        exports, runs = runner.exports, runner.runs
        for sample, result in runner.run(case):
            emit(Seen(case, sample, result))
        emit(Counted(runner.exports - exports, runner.runs - runs))


def _shrunk(job: ShrinkJob, emit: Emit) -> Shrunk:
    """The smallest sample with the same verdict; its values are stored where they are few."""
    mode, _, dynamic = job.result.mode.partition("+")
    case = Case(job.result.opset, mode, bool(dynamic), (job.sample,))
    runner = runner_of(job.task, lambda sample, case, exporting: emit(About(sample, case, exporting)))
    smallest = [Shrunk(job.sample, job.result)]

    def fails(sample: SampleSpec) -> bool:
        if not runner.takes(sample):
            return False
        ((_, result),) = runner.run(case.only(sample))
        if result.verdict is job.result.verdict:
            smallest.append(Shrunk(sample, result))
        return result.verdict is job.result.verdict

    found = shrink(job.sample, fails)
    for sample, turn in ((found, 0), (found, 1), (twin(found) or found, 0)):
        if fails(with_stored_values(job.task.name, job.task.schemas, sample, turn)):
            break
    return smallest[-1]


def _collect(tasks: tuple[VerifyTask, ...], emit: Emit) -> None:
    """OpInfo's samples, operator by operator; none, and why, where OpInfo cannot be imported."""
    from symgen.verify.opinfo_samples import collect, load_op_db

    try:
        op_db = load_op_db()
    except ImportError as error:
        emit(Collected((), f"OpInfo has not been asked, as it cannot be imported: {error}"))
        return
    for task in tasks:
        emit(Collected(((task.op, collect(task, op_db)),)))


def quiet() -> None:
    """Sends what C++ code writes to the standard streams nowhere."""
    sys.stdout.flush()
    sys.stderr.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _find_samples(job: SampleJob, emit: Emit) -> tuple[SampleSpec, ...]:
    name = job.task.name
    overloads = {schema.name.overload for schema in job.task.schemas}

    def accepts(sample: SampleSpec) -> bool:
        if sample in job.deadly or sample.overload not in overloads:
            return False
        emit(About(sample))
        domain = domain_of(job.task.op, sample.overload)
        try:
            call = make_call(name, job.task.schemas, sample)
            if domain.double_checks:
                call.in_double().eager()
            results = call.eager()
        except Exception:
            return False
        return bool(results) and not (domain.sensitive and _is_rounded_from_extremes(sample, results))

    known = tuple(sample for sample in job.known if accepts(sample))
    drawn = DRAWN if job.task.modules else DRAWN_FOR_TORCH
    generated = (
        sample
        for schema in job.task.schemas
        for sample in generate_samples(schema, _domain(job.task, schema), accepts, drawn)
    )

    def judged(sample: SampleSpec) -> SampleSpec:
        emit(About(sample))
        return looked_at(sample, name, job.task.schemas)

    plain = tuple(dict.fromkeys((*generated, *known)))
    is_scripted = job.task.target is Target.TORCHSCRIPT
    measured = (
        sample
        for schema in job.task.schemas
        for sample in calls_with_lengths(schema, plain, accepts, is_scripted=is_scripted)
    )
    return (*map(judged, plain), *measured)


def _is_rounded_from_extremes(sample: SampleSpec, results: Sequence[torch.Tensor]) -> bool:
    """Whether the largest whole numbers make a result that is rounded: on the way it may have run over, or not."""
    has_extremes = any(x.recipe.kind == "edges" and x.dtype in WHOLE for x in sample.tensors)
    return has_extremes and any(result.is_floating_point() for result in results)


def _domain(task: VerifyTask, schema: AtenSchema) -> Domain:
    """What is known of the arguments. How a real tensor carries a complex one is no convention of torch's functions."""
    domain = domain_of(task.op, schema.name.overload)
    return domain if task.modules else replace(domain, complex="")
