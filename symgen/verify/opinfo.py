"""OpInfo's samples as data, kept on disk by torch version, as OpInfo takes seconds to import."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from symgen.introspect.cache import cached
from symgen.introspect.torch_install import find_torch
from symgen.model.sample import SampleSpec
from symgen.verify.messages import Collected, Ended, Failed, Message, OpInfoJob
from symgen.verify.pool import Pool
from symgen.verify.samples_as_json import sample_from_json, sample_to_json
from symgen.verify.task import VerifyTask

_MANY = 16
"""Operators from which on each child imports OpInfo."""
_SOURCES = (Path(__file__), *map(Path(__file__).with_name, ("opinfo_samples.py", "samples_as_json.py")))


@dataclass(frozen=True)
class KnownSamples:
    """Samples by operator, and what is to be said of them."""

    samples: dict[str, tuple[SampleSpec, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def known_samples(tasks: Sequence[VerifyTask], pool: Pool) -> KnownSamples:
    """OpInfo's samples: those that are cached, and the others by way of a child process that imports OpInfo."""
    known: dict[str, tuple[SampleSpec, ...]] = {}
    missing: list[VerifyTask] = []
    for task in tasks:
        try:
            known[task.op] = load_cached(task.op)
        except LookupError:
            missing.append(task)
    if not missing:
        return KnownSamples(known)
    notes: dict[str, None] = {}
    for message in _answers(missing, pool):
        if isinstance(message, Collected):
            notes[message.note] = None
            for op, samples in message.samples:
                known[op] = samples
                store(op, samples)
        elif isinstance(message, Failed):
            notes[f"OpInfo's samples are missing: {message.error}"] = None
    return KnownSamples(known, tuple(note for note in notes if note))


def _answers(tasks: Sequence[VerifyTask], pool: Pool) -> Iterator[Message]:
    """What the children say; many tasks are shared among them, as each child must import OpInfo."""
    count = pool.workers if len(tasks) >= _MANY else 1
    running = {pool.submit(OpInfoJob(tuple(tasks[start::count]))) for start in range(count)}
    for number, message in pool.messages():
        if number in running:
            yield message
            if isinstance(message, Ended):
                running.remove(number)
        if not running:
            return


def load_cached(op: str) -> tuple[SampleSpec, ...]:
    """The samples in the cache.

    Raises:
        LookupError: where the cache has none for this torch.
    """

    def absent() -> Any:
        raise LookupError(op)

    return tuple(map(sample_from_json, _cached(op, absent)))


def store(op: str, samples: Sequence[SampleSpec]) -> None:
    """Puts the samples of an operator into the cache."""
    _cached(op, lambda: [sample_to_json(sample) for sample in samples])


def _cached(op: str, build: Callable[[], Any]) -> Any:
    return cached(f"opinfo/{op.replace('::', '.')}", [find_torch().version], _SOURCES, build)
