"""Runs the trials of many operators side by side: their verifications go to the pool together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.model.run import Listener, Step
from symgen.pipeline.decide import Decision, Trial
from symgen.verify.pool import Pool
from symgen.verify.record import load_record, store_record
from symgen.verify.session import Progress, ProgressCallback, verify_many
from symgen.verify.task import Verification, VerifyTask


@dataclass
class _Running:
    """A trial that waits for a verification."""

    place: int
    trial: Trial
    task: VerifyTask


def run_trials(trials: Sequence[Trial], pool: Pool | None, listener: Listener) -> tuple[Decision, ...]:
    """Runs every trial to its end; the decisions come in the trials' order.

    They go in rounds: first every operator is judged as it stands, then those again of which that was not the end.

    Raises:
        PoolError: where the processes that verify can't be started.
        InterruptedVerification: on Ctrl-C.
    """
    decisions: dict[int, Decision] = {}
    waiting = [running for place, trial in enumerate(trials) if (running := _advance(place, trial, None, decisions))]
    counted = "operators judged"
    while waiting:
        seen = verify_remembered([running.task for running in waiting], pool, _telling(listener, counted))
        waiting = [
            later
            for running, verification in zip(waiting, seen, strict=True)
            if (later := _advance(running.place, running.trial, verification, decisions))
        ]
        counted = "operators judged again"
    return tuple(decisions[place] for place in range(len(trials)))


def verify_remembered(tasks: Sequence[VerifyTask], pool: Pool | None, tell: ProgressCallback) -> list[Verification]:
    """Verifies what is not on record; each is on record as soon as it is finished, however the run ends."""
    found = {task: record for task in tasks if (record := load_record(task)) is not None}
    missing = list(dict.fromkeys(task for task in tasks if task not in found))
    by_op = {task.op: task for task in missing}

    def remember(progress: Progress) -> None:
        store_record(by_op[progress.last], progress.seen)
        tell(progress)

    found |= zip(missing, verify_many(missing, pool=pool, progress=remember), strict=True)
    return [found[task] for task in tasks]


def _advance(place: int, trial: Trial, seen: Verification | None, decisions: dict[int, Decision]) -> _Running | None:
    """Takes a trial to its next verification, or to its decision."""
    try:
        task = next(trial) if seen is None else trial.send(seen)
    except StopIteration as end:
        decisions[place] = end.value
        return None
    return _Running(place, trial, task)


def _telling(listener: Listener, counted: str) -> ProgressCallback:
    def tell(progress: Progress) -> None:
        listener(Step(progress.last, progress.done, progress.total, progress.samples, progress.failures, counted))

    return tell
