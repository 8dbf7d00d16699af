"""Which samples meet which opset in the dynamo exporter: an export takes a second, so many calls share one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symgen.config import Target
from symgen.model.sample import SampleSpec
from symgen.verify.choose import choose_samples
from symgen.verify.plan import Case, group_samples, plan_cases, range_ends
from symgen.verify.task import VerifyTask

EXPORTED = "exported"
CALLS_OF_AN_EXPORT = 8
_CHOSEN_AT_FIRST, _CHOSEN_LATER = 48, 16


def cases_of(task: VerifyTask, samples: Sequence[SampleSpec]) -> tuple[Case, ...]:
    """The exports of a task, for whichever exporter it is."""
    if task.target is Target.TORCHSCRIPT:
        return plan_cases(task, samples)
    return tuple(_exported(task, [sample for sample in samples if not _is_complex(sample)]))


def _exported(task: VerifyTask, samples: Sequence[SampleSpec]) -> Iterator[Case]:
    """At the first opset all that the samples show, with dynamic axes; fewer at the others, and with fixed axes."""
    for turn, opset in enumerate(task.opsets if task.full else range_ends(task)):
        most = len(samples) if task.full else _CHOSEN_LATER if turn else _CHOSEN_AT_FIRST
        chosen = set(choose_samples(samples, most))
        groups = [group for group in group_samples(samples) if chosen & set(group)]
        for batch in _batches(groups):
            yield Case(opset, EXPORTED, True, tuple(sample for group in batch for sample in group))
        if not turn:
            yield Case(opset, EXPORTED, False, tuple(group[0] for group in groups[:CALLS_OF_AN_EXPORT]))


def _batches(groups: Sequence[list[SampleSpec]]) -> Iterator[Sequence[list[SampleSpec]]]:
    starts = range(0, len(groups), CALLS_OF_AN_EXPORT)
    return (groups[start : start + CALLS_OF_AN_EXPORT] for start in starts)


def _is_complex(sample: SampleSpec) -> bool:
    return any(dtype.startswith("complex") for dtype in sample.dtypes)
