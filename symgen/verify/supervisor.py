"""The process between the parent and the children: it imports torch once, forks a child per job, and outlives crashes.

Where the system has no fork, each child is a fresh process that imports torch itself.
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import signal
import time
import traceback
from collections import deque
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from symgen.config import Target
from symgen.model.result import SampleResult, Verdict
from symgen.model.sample import SampleSpec
from symgen.verify.decomposition_jobs import TraceJob
from symgen.verify.messages import (
    About,
    AccuracyJob,
    Counted,
    Ended,
    Failed,
    Job,
    Message,
    OpInfoJob,
    RunJob,
    SampleJob,
    Seen,
    ShrinkJob,
)
from symgen.verify.plan import Case
from symgen.verify.user_jobs import UserJob

HAS_FORK = "fork" in multiprocessing.get_all_start_methods()
_HANGS_UNTIL_GIVEN_UP = 3
_DEATHS_UNTIL_GIVEN_UP = 200


def serve(connection: Connection, workers: int, limit: float) -> None:
    """Takes (number, job) from the connection and sends (number, message) back until the other end goes away."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if HAS_FORK:
        try:
            _warm_up()
        except Exception as error:
            connection.send((-1, Failed(f"{type(error).__name__}: {error}", traceback.format_exc())))
            return
    Supervisor(connection, workers, limit).run()


def _warm_up() -> None:
    """Imports all that the children need, and does the first export, which is slow."""
    import torch

    from symgen.verify import roundtrip, worker

    worker.quiet()
    torch.set_num_threads(1)
    x = torch.ones(2)
    run, _ = roundtrip.load(roundtrip.export(roundtrip.call_module(torch.abs, [x], {}), [x], 17, True))
    run([x])


def _warm_up_for_traces() -> None:
    """Imports what tracing a decomposition takes, so that not every child has to."""
    import torch._decomp
    import torch._refs
    import torch.fx.experimental.proxy_tensor  # noqa: F401


@functools.cache
def _warm_up_for_programs() -> None:
    """Does the first export by the dynamo exporter, which takes seconds, and keeps the tables that it makes."""
    # What fails here fails in the children too, who can say so.
    with contextlib.suppress(Exception):
        import torch

        from symgen.verify.exporter_tables import keep_exporter_tables
        from symgen.verify.exporting import export_program

        keep_exporter_tables()
        export_program(torch.nn.ReLU(), [torch.ones(2)], 18, False, {})


@dataclass
class _Child:
    """A running child: its job, and what it said last."""

    number: int
    job: Job
    process: BaseProcess
    connection: Connection
    about: About | None = None
    since: float = field(default_factory=time.monotonic)
    seen: dict[Case, set[SampleSpec]] = field(default_factory=dict)
    finished: bool = False


class Supervisor:
    """Runs jobs in children, up to `workers` at a time; a silence longer than `limit` seconds is a hang.

    On a machine on which more processes run than it has cores, it waits as much longer.
    """

    def __init__(self, connection: Connection, workers: int, limit: float) -> None:
        self._connection = connection
        self._workers = workers
        self._limit = limit
        self._context: Any = multiprocessing.get_context("fork" if HAS_FORK else "spawn")
        self._waiting: deque[tuple[int, Job]] = deque()
        self._children: list[_Child] = []
        self._hangs: dict[int, int] = {}
        self._deaths: dict[int, int] = {}

    def run(self) -> None:
        """The loop; ends when the parent goes away."""
        try:
            while True:
                self._start_children()
                for ready in wait([self._connection, *(child.connection for child in self._children)], timeout=0.5):
                    if ready is self._connection:
                        self._take_job()
                    else:
                        self._listen(next(child for child in self._children if child.connection is ready))
                self._end_hangs()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            pass
        finally:
            for child in self._children:
                child.process.kill()

    def _take_job(self) -> None:
        number, job = self._connection.recv()
        if isinstance(job, RunJob):
            self._waiting.appendleft((number, job))
        else:
            self._waiting.append((number, job))

    def _start_children(self) -> None:
        while self._waiting and len(self._children) < self._workers:
            number, job = self._waiting.popleft()
            if HAS_FORK and isinstance(job, TraceJob):
                _warm_up_for_traces()
            if HAS_FORK and _is_of_programs(job):
                _warm_up_for_programs()
            here, there = self._context.Pipe(duplex=False)
            others = [self._connection, here, *(child.connection for child in self._children)]
            process = self._context.Process(target=_child, args=(job, there, others if HAS_FORK else []), daemon=True)
            process.start()
            there.close()
            self._children.append(_Child(number, job, process, here))

    def _listen(self, child: _Child) -> None:
        """Takes what a child has said; its end is an end or a death."""
        try:
            message = child.connection.recv()
        except (EOFError, ConnectionResetError):
            child.process.join()
            self._remove(child)
            if child.finished:
                self._send(child.number, Ended())
            else:
                self._go_on_after_death(child, Verdict.CRASH, cause_of(child.process.exitcode))
            return
        child.since = time.monotonic()
        if isinstance(message, About):
            child.about = message
        elif isinstance(message, Ended):
            child.finished = True
        else:
            if isinstance(message, Seen):
                child.seen.setdefault(message.case, set()).add(message.sample)
            self._send(child.number, message)

    def _end_hangs(self) -> None:
        for child in list(self._children):
            limit = self._limit * _patience(child.job)
            if time.monotonic() - child.since > limit * _crowding() and not child.connection.poll():
                child.process.kill()
                child.process.join()
                self._remove(child)
                self._hangs[child.number] = self._hangs.get(child.number, 0) + 1
                self._go_on_after_death(child, Verdict.TIMEOUT, f"no end within {limit:g} s")

    def _remove(self, child: _Child) -> None:
        child.connection.close()
        self._children.remove(child)

    def _go_on_after_death(self, child: _Child, verdict: Verdict, detail: str) -> None:
        """Says which sample the child died of, and has the rest done by another child."""
        number, job, about = child.number, child.job, child.about
        self._deaths[number] = self._deaths.get(number, 0) + 1
        hopeless = self._hangs.get(number, 0) >= _HANGS_UNTIL_GIVEN_UP or self._deaths[number] > _DEATHS_UNTIL_GIVEN_UP
        if about is None or isinstance(job, OpInfoJob | ShrinkJob | AccuracyJob | UserJob):
            self._send(number, Failed(f"the child process ended early: {detail}", "", verdict, detail))
            self._send(number, Ended())
        elif isinstance(job, SampleJob):
            self._waiting.appendleft((number, replace(job, deadly=job.deadly | {about.sample})))
        elif about.case is not None:
            case = about.case
            seen = child.seen.setdefault(case, set())
            dead = [s for s in case.samples if s not in seen] if about.exporting else [about.sample]
            for sample in dead:
                self._send(number, Seen(case, sample, _died(case, sample, verdict, detail)))
            self._send(number, Counted(exports=1, runs=len(seen)))
            seen.update(dead)
            rest = _unseen(job.cases, case, child.seen)
            if rest and not hopeless:
                self._waiting.appendleft((number, replace(job, cases=rest)))
            else:
                self._send(number, Ended())

    def _send(self, number: int, message: Message) -> None:
        self._connection.send((number, message))


def _unseen(cases: tuple[Case, ...], last: Case, seen: dict[Case, set[SampleSpec]]) -> tuple[Case, ...]:
    """What is left to do: the last case without what was seen, and all after it."""
    place = cases.index(last)
    rest = last.without(frozenset(seen.get(last, ())))
    return (*((rest,) if rest else ()), *cases[place + 1 :])


def _died(case: Case, sample: SampleSpec, verdict: Verdict, detail: str) -> SampleResult:
    return SampleResult(str(sample), "/".join(sample.dtypes), case.opset, case.label, verdict, detail)


def _patience(job: Job) -> int:
    """How many times longer than a sample a job may be silent: importing OpInfo or the user's modules takes long."""
    if isinstance(job, OpInfoJob | AccuracyJob):
        return 20
    return 6 if isinstance(job, UserJob) or _is_of_programs(job) else 1


def _crowding() -> float:
    """How many processes there are for a core, at least 1; 1 where the system doesn't tell."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return max(1.0, load / (os.cpu_count() or 1))


def _is_of_programs(job: Job) -> bool:
    """Whether a job exports with the dynamo exporter."""
    return isinstance(job, RunJob | ShrinkJob) and job.task.target is not Target.TORCHSCRIPT


def cause_of(exit_code: int | None) -> str:
    """Why a process ended: `SIGFPE`, or the exit status."""
    if exit_code is not None and exit_code < 0:
        return signal.Signals(-exit_code).name
    return f"exit status {exit_code}"


def _child(job: Job, connection: Connection, others: list[Connection]) -> None:
    """The child's whole life."""
    for other in others:
        other.close()
    try:
        from symgen.verify.worker import work

        work(job, connection.send)
    except BrokenPipeError:
        os._exit(1)
    except Exception as error:
        connection.send(Failed(f"{type(error).__name__}: {error}", traceback.format_exc()))
    connection.send(Ended())
    connection.close()
    os._exit(0)
