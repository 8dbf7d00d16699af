"""Which samples meet which opset in the dynamo exporter: an export takes a second, so many calls share one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from symgen.config import Target
from symgen.model.sample import SampleSpec
from symgen.verify.choose import choose_samples
from symgen.verify.domains import domain_of
from symgen.verify.plan import Case, group_samples, plan_cases, range_ends
from symgen.verify.task import VerifyTask

EXPORTED = "exported"
NO_FUNCTION = "No ONNX function"
"""What the exporter says where it has no translation of an operator."""
CALLS_OF_AN_EXPORT = 8
_CHOSEN_AT_FIRST, _CHOSEN_LATER = 48, 16


def cases_of(task: VerifyTask, samples: Sequence[SampleSpec]) -> tuple[Case, ...]:
    """The exports of a task, for whichever exporter it is."""
    if task.target is Target.TORCHSCRIPT:
        return plan_cases(task, samples)
    plain = [sample for sample in samples if not sample.has_lengths]
    of_real = [sample for sample in plain if not _is_complex(sample)]
    of_complex = [sample for sample in plain if task.knows_complex and _is_complex(sample)]
    return (*_exported(task, of_real), *_exported(task, of_complex), *_measured(task, samples))


def _exported(task: VerifyTask, samples: Sequence[SampleSpec]) -> Iterator[Case]:
    """At the first opset all that the samples show, with dynamic axes; fewer at the others, and with fixed axes."""
    for turn, opset in enumerate(_opsets(task)):
        most = len(samples) if task.full else _CHOSEN_LATER if turn else _CHOSEN_AT_FIRST
        chosen = set(choose_samples(samples, most))
        groups = [group for group in shaped_groups(samples) if chosen & set(group)]
        # What stands in one model has one dtype, as far as there are enough: others may lack a kernel.
        groups.sort(key=lambda group: (group[0].overload, group[0].dtypes))
        calls = 1 if domain_of(task.op).alone else CALLS_OF_AN_EXPORT
        yield from _batches(opset, groups, calls)
        if groups and not turn:
            yield Case(opset, EXPORTED, False, tuple(group[0] for group in groups[:calls]))


def _measured(task: VerifyTask, samples: Sequence[SampleSpec]) -> Iterator[Case]:
    """Calls with lengths, those of each overload together."""
    groups = shaped_groups([sample for sample in samples if sample.has_lengths])
    calls = 1 if domain_of(task.op).alone else CALLS_OF_AN_EXPORT
    for opset in _opsets(task):
        yield from _batches(opset, groups, calls)


def _batches(opset: int, groups: Sequence[Sequence[SampleSpec]], calls: int) -> Iterator[Case]:
    """Exports of so many calls each, with dynamic axes."""
    # Each has one overload: others may lack a translation, or torch.export may take them apart.
    for _, found in itertools.groupby(groups, key=lambda group: group[0].overload):
        of_overload = list(found)
        for start in range(0, len(of_overload), calls):
            batch = of_overload[start : start + calls]
            yield Case(opset, EXPORTED, True, tuple(sample for group in batch for sample in group))


def _opsets(task: VerifyTask) -> tuple[int, ...]:
    """Without modules the exporter is judged as it is, which says the same at each opset and converts it."""
    if task.full:
        return task.opsets
    return range_ends(task) if task.modules else task.opsets[:1]


def shaped_groups(samples: Sequence[SampleSpec]) -> list[list[SampleSpec]]:
    """Samples that one export may serve: the same call but for values and for sizes other than 0 and 1."""

    def pattern(sample: SampleSpec) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(min(size, 2) for size in tensor.shape) for tensor in sample.tensors)

    groups: dict[tuple[int, tuple[tuple[int, ...], ...]], list[SampleSpec]] = {}
    for place, group in enumerate(group_samples(samples)):
        for sample in group:
            groups.setdefault((place, pattern(sample)), []).append(sample)
    return list(groups.values())


def _is_complex(sample: SampleSpec) -> bool:
    return any(dtype.startswith("complex") for dtype in sample.dtypes)
