"""What a verification found wrong, each kind of failure once and with the smallest sample that shows it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from symgen.model.result import SampleResult, Verdict
from symgen.model.sample import FLOATS, SampleSpec
from symgen.verify.messages import Ended, ShrinkJob, Shrunk
from symgen.verify.pool import Pool
from symgen.verify.task import Verification, VerifyTask

_MOST_KINDS = 6
"""Kinds of failure of one operator that are made small: the most frequent ones, and one of each verdict."""
_DEADLY = frozenset({Verdict.CRASH, Verdict.TIMEOUT})


@dataclass(frozen=True)
class Finding:
    """One kind of failure of an operator."""

    op: str
    sample: SampleSpec
    """The smallest sample that shows it; its values are stored where they are few."""
    result: SampleResult
    opsets: tuple[int, ...] = ()
    """The opsets at which the kind was seen."""
    dtypes: tuple[str, ...] = ()
    """The dtypes in which it was seen."""
    count: int = 1
    """How many samples showed it."""


def find_smallest(
    tasks: Sequence[VerifyTask],
    verifications: Sequence[Verification],
    pool: Pool,
    tell: Callable[[str, int, int], None],
) -> tuple[Finding, ...]:
    """The findings of all verifications, in their order, the most frequent kind of an operator first.

    After each, `tell` is told of which operator it is, and how many there are of how many.
    """
    waiting: dict[int, tuple[int, Finding]] = {}
    found: list[tuple[int, Finding]] = []
    for place, (task, seen) in enumerate(zip(tasks, verifications, strict=True)):
        for finding in kinds_of_failure(seen):
            if finding.result.verdict in _DEADLY:
                found.append((place, finding))
            else:
                waiting[pool.submit(ShrinkJob(task, finding.sample, finding.result))] = (place, finding)
    for number, message in pool.messages() if waiting else ():
        if number not in waiting:
            continue
        if isinstance(message, Shrunk):
            place, finding = waiting[number]
            waiting[number] = (place, replace(finding, sample=message.sample, result=message.result))
        elif isinstance(message, Ended):
            found.append(waiting.pop(number))
            tell(found[-1][1].op, len(found), len(found) + len(waiting))
        if not waiting:
            break
    found.sort(key=lambda item: (item[0], -item[1].count, str(item[1].sample)))
    return tuple(_distinct([finding for _, finding in found]))


def kinds_of_failure(seen: Verification) -> tuple[Finding, ...]:
    """Each kind of failure with the smallest of the samples that showed it."""
    kinds: dict[object, list[tuple[SampleSpec, SampleResult]]] = {}
    for sample, result in seen.failed:
        kinds.setdefault(_kind(sample, result), []).append((sample, result))
    frequent = sorted(kinds.values(), key=len, reverse=True)
    # One of each verdict stays, whatever is more frequent: a rare wrong number is worse than any loud failure.
    verdicts = [failures[0][1].verdict for failures in frequent]
    order = sorted(range(len(frequent)), key=lambda place: verdicts[place] in verdicts[:place])
    return tuple(_finding(seen.op, frequent[place]) for place in sorted(order[:_MOST_KINDS]))


def _finding(op: str, failures: Sequence[tuple[SampleSpec, SampleResult]]) -> Finding:
    # What the runtime itself shows comes before what only the reference can, which no reproduction runs.
    sample, result = min(failures, key=lambda failure: (failure[1].by_reference, *_weight(failure[0])))
    return Finding(
        op,
        sample,
        result,
        opsets=tuple(sorted({result.opset for _, result in failures})),
        dtypes=tuple(sorted({dtype for sample, _ in failures for dtype in sample.dtypes})),
        count=len({sample for sample, _ in failures}),
    )


def _kind(sample: SampleSpec, result: SampleResult) -> object:
    """What failures of one cause are likely to share: the verdict, and what was passed or what the error says."""
    error = re.sub(r"[\d.e+-]+|\[.*?\]|'.*?'", "", result.detail)
    given = tuple(name for name, _ in sample.keywords), len(sample.positional)
    precise = all(dtype in FLOATS for dtype in sample.dtypes)
    is_error = result.verdict not in {Verdict.WRONG_VALUE, Verdict.WRONG_SHAPE, Verdict.WRONG_DTYPE}
    return result.verdict, sample.overload, error if is_error else (given, precise)


def _weight(sample: SampleSpec) -> tuple[int, int, str]:
    """Small samples come first."""
    elements = sum(math.prod(tensor.shape) + len(tensor.shape) for tensor in sample.tensors)
    return len(sample.values), elements, str(sample)


def _distinct(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Without those that have become the same sample with the same verdict."""
    seen: set[object] = set()
    for finding in findings:
        key = finding.op, finding.result.verdict, str(finding.sample)
        if key not in seen:
            seen.add(key)
            yield finding
