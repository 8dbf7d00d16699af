"""Runs the trials of many operators side by side: their verifications go to the pool together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

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


@dataclass
class _Round:
    """What trials wait for at the same time; each goes on as soon as its verification is there."""

    waiting: Sequence[_Running]
    decisions: dict[int, Decision]
    before: Step
    """How far the rounds before have come."""
    listener: Listener
    later: dict[int, _Running | None] = field(default_factory=dict)
    now: Step = field(init=False)
    """How far the run is."""

    def __post_init__(self) -> None:
        self.now = self.before

    def hear(self, progress: Progress) -> None:
        """Takes the trials that waited for this on, and tells how many are decided."""
        for running in self.waiting:
            if running.task.op == progress.last:
                self.go_on(running, progress.seen)
        samples, failures = self.before.samples + progress.samples, self.before.failures + progress.failures
        self.now = Step(progress.last, len(self.decisions), self.before.total, samples, failures)
        self.listener(self.now)

    def go_on(self, running: _Running, seen: Verification) -> None:
        """Takes a trial to its next verification or its decision, once."""
        if running.place not in self.later:
            self.later[running.place] = _advance(running.place, running.trial, seen, self.decisions)


def run_trials(trials: Sequence[Trial], pool: Pool | None, listener: Listener) -> tuple[Decision, ...]:
    """Runs every trial to its end; the decisions come in the trials' order.

    Raises:
        PoolError: where the processes that verify can't be started.
        InterruptedVerification: on Ctrl-C.
    """
    decisions: dict[int, Decision] = {}
    waiting = [running for place, trial in enumerate(trials) if (running := _advance(place, trial, None, decisions))]
    step = Step("", len(decisions), len(trials))
    while waiting:
        turn = _Round(waiting, decisions, step, listener)
        seen = verify_remembered([running.task for running in waiting], pool, turn.hear)
        for running, verification in zip(waiting, seen, strict=True):
            turn.go_on(running, verification)
        waiting = [running for _, running in sorted(turn.later.items()) if running is not None]
        step = turn.now
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
