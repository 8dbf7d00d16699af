"""Verification of operators, one or many: samples are found, cases planned and run, and the evidence is summed up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from symgen.model.result import Evidence, SampleResult, Verdict
from symgen.model.run import operators
from symgen.model.sample import SampleSpec
from symgen.verify.exported_plan import cases_of
from symgen.verify.free_results import FREE_RESULTS
from symgen.verify.lengths import is_refused_length, refused_lengths
from symgen.verify.messages import Counted, Ended, Failed, Found, Message, RunJob, SampleJob, Seen
from symgen.verify.opinfo import known_samples
from symgen.verify.plan import Case, chosen_samples, range_ends
from symgen.verify.pool import Pool, start_pool
from symgen.verify.task import SampleSet, Verification, VerifyTask


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    done: int
    total: int
    samples: int
    failures: int
    last: str
    """The operator that was finished last."""
    seen: Verification
    """What was seen of it."""


ProgressCallback = Callable[[Progress], None]


class InterruptedVerification(KeyboardInterrupt):
    """Ctrl-C; `done` is what had been finished."""

    def __init__(self, done: tuple[Verification, ...]) -> None:
        super().__init__(f"interrupted after {operators(len(done))}")
        self.done = done


def verify(task: VerifyTask, *, pool: Pool | None = None, workers: int = 2) -> Verification:
    """Verifies one operator.

    Raises:
        PoolError: where torch, onnx or onnxruntime cannot be loaded.
        InterruptedVerification: on Ctrl-C; no process is left behind.
    """
    return verify_many((task,), pool=pool, workers=workers)[0]


def verify_many(
    tasks: Sequence[VerifyTask], *, workers: int = 2, progress: ProgressCallback | None = None, pool: Pool | None = None
) -> tuple[Verification, ...]:
    """Verifies operators side by side; the results come in the order of the tasks.

    Raises:
        PoolError: where torch, onnx or onnxruntime cannot be loaded.
        InterruptedVerification: on Ctrl-C, with what is done; no process is left behind.
    """
    return _run(tasks, workers, progress, pool, run_cases=True)


def collect_samples(
    tasks: Sequence[VerifyTask], *, workers: int = 2, pool: Pool | None = None
) -> tuple[SampleSet, ...]:
    """Only the samples that eager torch takes, without a round trip; for tests of what is not verified."""
    return tuple(done.samples for done in _run(tasks, workers, None, pool, run_cases=False))


def _run(
    tasks: Sequence[VerifyTask], workers: int, progress: ProgressCallback | None, pool: Pool | None, *, run_cases: bool
) -> tuple[Verification, ...]:
    if not tasks:
        return ()
    own = pool or start_pool(workers)
    session = _Session(own, tasks, progress, run_cases)
    try:
        return session.run()
    except KeyboardInterrupt:
        own.close()
        raise InterruptedVerification(session.done) from None
    finally:
        if pool is None:
            own.close()


@dataclass(eq=False)
class _State:
    """What is known of one task so far; two tasks may be equal."""

    task: VerifyTask
    notes: list[str] = field(default_factory=list)
    samples: tuple[SampleSpec, ...] = ()
    results: list[tuple[SampleSpec, SampleResult]] = field(default_factory=list)
    exports: int = 0
    runs: int = 0
    open_jobs: int = 0
    error: str = ""


class _Session:
    """Sends the jobs of all tasks and gathers what comes back."""

    def __init__(
        self, pool: Pool, tasks: Sequence[VerifyTask], progress: ProgressCallback | None, run_cases: bool
    ) -> None:
        self._pool = pool
        self._states = [_State(task) for task in tasks]
        self._progress = progress
        self._run_cases = run_cases
        self._owner: dict[int, _State] = {}
        self._finished: dict[int, Verification] = {}

    @property
    def done(self) -> tuple[Verification, ...]:
        """What is finished, in the order of the tasks."""
        return tuple(self._finished[place] for place in sorted(self._finished))

    def run(self) -> tuple[Verification, ...]:
        """Goes on until every task is finished."""
        known = known_samples([state.task for state in self._states], self._pool)
        waiting = list(reversed(self._states))
        for state in self._states:
            state.notes += known.notes
        for _ in range(min(len(waiting), self._pool.workers + 1)):
            self._begin(waiting.pop(), known.samples)
        for number, message in self._pool.messages():
            state = self._owner[number]
            self._take(state, message)
            if isinstance(message, Ended) and not state.open_jobs:
                self._finish(state)
                if waiting:
                    self._begin(waiting.pop(), known.samples)
                if len(self._finished) == len(self._states):
                    break
        return self.done

    def _begin(self, state: _State, known: dict[str, tuple[SampleSpec, ...]]) -> None:
        self._submit(state, SampleJob(state.task, known.get(state.task.op, ())))

    def _submit(self, state: _State, job: SampleJob | RunJob) -> None:
        state.open_jobs += 1
        self._owner[self._pool.submit(job)] = state

    def _take(self, state: _State, message: Message) -> None:
        match message:
            case Found(samples):
                state.samples = samples
                if self._run_cases:
                    for cases in self._shares(cases_of(state.task, samples)):
                        self._submit(state, RunJob(state.task, cases))
            case Seen(_, sample, result):
                state.results.append((sample, result))
            case Counted(exports, runs):
                state.exports += exports
                state.runs += runs
            case Failed(error, _):
                state.error = error
            case Ended():
                state.open_jobs -= 1

    def _shares(self, cases: tuple[Case, ...]) -> Iterable[tuple[Case, ...]]:
        """One share per worker where few tasks are left to run beside it, else all at once."""
        alone = len(self._states) - len(self._finished) < self._pool.workers
        count = self._pool.workers if alone else 1
        size = -(-len(cases) // count) if cases else 1
        return (cases[start : start + size] for start in range(0, len(cases), size))

    def _finish(self, state: _State) -> None:
        place = self._states.index(state)
        verification = _summed_up(state)
        self._finished[place] = verification
        if self._progress is not None:
            every = [done.evidence for done in self._finished.values()]
            self._progress(
                Progress(
                    done=len(every),
                    total=len(self._states),
                    samples=sum(evidence.samples for evidence in every),
                    failures=sum(len(evidence.failures) for evidence in every),
                    last=state.task.op,
                    seen=verification,
                )
            )


def _summed_up(state: _State) -> Verification:
    """The evidence of a task from all that was seen of it."""
    is_torchs = not state.task.modules
    refused_at_lengths = [pair for pair in state.results if is_refused_length(*pair, is_torchs)]
    told = [pair for pair in state.results if not is_refused_length(*pair, is_torchs)]
    results = [result for _, result in told]
    right = [result for result in results if result.verdict is Verdict.RIGHT]
    proven = {sample for sample, result in state.results if result.verdict is Verdict.RIGHT}
    failures = [result for result in results if result.verdict.is_failure]
    if state.error:
        failures.append(SampleResult("", "", min(state.task.opsets), "", Verdict.EXPORT_ERROR, state.error))
    evidence = Evidence(
        samples=len(proven),
        dtypes=_once(dtype for sample in proven for dtype in sample.dtypes),
        opsets=tuple(sorted({result.opset for result in right})),
        modes=_once(result.mode for result in right),
        max_abs_err=max((result.max_abs_err for result in right), default=0.0),
        max_rel_err=max((result.max_rel_err for result in right), default=0.0),
        by_reference=_once(result.dtype for result in right if result.by_reference and result.dtype),
        refused=tuple(result for result in results if result.verdict is Verdict.REFUSED),
        failures=tuple(failures),
        no_kernel=tuple(result for result in results if result.verdict is Verdict.NO_KERNEL),
        never_asked=tuple(result for result in results if result.verdict is Verdict.NEVER_ASKED),
        exports=state.exports,
        runs=state.runs,
        notes=(*state.notes, *_unasked(state)),
        refused_lengths=refused_lengths(refused_at_lengths, state.task.schemas),
    )
    plain = tuple(sample for sample in state.samples if not sample.has_lengths)
    sample_set = SampleSet(state.task.op, plain, tuple(state.notes))
    right_only = set(_only(state, Verdict.RIGHT))
    return Verification(
        state.task.op,
        evidence,
        sample_set,
        proven=tuple(sample for sample in chosen_samples(state.task, state.samples) if sample in right_only),
        refused=_only(state, Verdict.REFUSED),
        failed=tuple((sample, result) for sample, result in told if result.verdict.is_failure),
        same=FREE_RESULTS.get(state.task.op, ""),
        ends=range_ends(state.task),
    )


def _unasked(state: _State) -> Iterable[str]:
    """What became of the overloads that an exporter never asked for, where it did ask for others."""
    never = {
        sample.overload: result.detail for sample, result in state.results if result.verdict is Verdict.NEVER_ASKED
    }
    others = {sample.overload for sample, result in state.results if result.verdict is not Verdict.NEVER_ASKED}
    return (
        f"{overload or 'default'}: {detail}" for overload, detail in never.items() if others and overload not in others
    )


def _only(state: _State, verdict: Verdict) -> tuple[SampleSpec, ...]:
    """The samples that showed this and nothing else, within torch's own tolerances, in their order."""
    plain = {
        (sample, result.verdict is verdict and (verdict is not Verdict.RIGHT or not result.detail))
        for sample, result in state.results
    }
    showed = {sample for sample, agrees in plain if agrees}
    others = {sample for sample, agrees in plain if not agrees}
    return tuple(sample for sample in state.samples if sample in showed - others and not sample.has_lengths)


def _once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(values)))
