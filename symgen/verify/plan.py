"""Which samples meet which opset in which mode: planned so that everything is seen, not crossed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from symgen.model.sample import SampleSpec, TensorSpec
from symgen.verify.shapes import grown
from symgen.verify.task import VerifyTask

BUDGET = 280
"""Exports for an operator with up to two ranges of opsets; more ranges get as many each."""

BFLOAT16_SINCE = 13

_MODES = (("traced", True), ("traced", False), ("scripted", True), ("scripted", False))


@dataclass(frozen=True)
class Case:
    """One export, and the samples that run through it; the first is the one that is exported."""

    opset: int
    mode: str
    dynamic: bool
    samples: tuple[SampleSpec, ...]

    @property
    def label(self) -> str:
        """The mode as the evidence names it."""
        return self.mode + ("+dynamic" if self.dynamic else "")

    def without(self, seen: frozenset[SampleSpec]) -> Case | None:
        """The case for the samples that have not been seen; None where none is left."""
        rest = tuple(sample for sample in self.samples if sample not in seen)
        return replace(self, samples=rest) if rest else None


def plan_cases(task: VerifyTask, samples: Sequence[SampleSpec]) -> tuple[Case, ...]:
    """The exports of a task, those of one opset together."""
    groups = _interleaved(group_samples(samples))
    if task.full:
        return tuple(filter(_can_be_said, _everything(task, groups)))
    ends = sorted({end for opsets in task.ranges for end in (opsets[0], opsets[-1])})
    middles = sorted({opsets[len(opsets) // 2] for opsets in task.ranges} - set(ends))
    budget = max(BUDGET, BUDGET // 4 * len(ends))
    every = (
        *(case for turn, group in enumerate(groups) for case in _at_ends(group, turn, ends)),
        *(Case(opset, "traced", True, tuple(group)) for opset in middles for group in groups[:6]),
    )
    wanted = list(filter(_can_be_said, every))
    return tuple(sorted(_within_budget(wanted, budget, ends), key=lambda case: case.opset))


def _can_be_said(case: Case) -> bool:
    """ONNX has had bfloat16 in its operators only since opset 13."""
    return case.opset >= BFLOAT16_SINCE or not any("bfloat16" in sample.dtypes for sample in case.samples)


def _at_ends(group: Sequence[SampleSpec], turn: int, ends: Sequence[int]) -> Iterator[Case]:
    """Every sample at the first and last opset of every range with dynamic axes; the other modes take turns."""
    for place, opset in enumerate(ends):
        yield Case(opset, "traced", True, tuple(group))
        others = _MODES[1:] if turn < 2 else (_MODES[1 + turn // 2 % 3],) if (turn + place) % 2 == 0 else ()
        for mode, dynamic in others:
            yield Case(opset, mode, dynamic, tuple(group) if dynamic else (group[turn % len(group)],))


def _within_budget(wanted: list[Case], budget: int, ends: Sequence[int]) -> list[Case]:
    """The cases, thinned from the least telling group on where there are too many: each opset drops other ones."""
    excess = len(wanted) - budget
    if excess <= 0:
        return wanted
    order: dict[SampleSpec, int] = {}
    for case in wanted:
        order.setdefault(case.samples[0], len(order))
    late = sorted(wanted, key=lambda case: -order[case.samples[0]])
    dropped: set[int] = set()
    for remainder in range(1, max(len(ends), 2) + 1):
        for case in late:
            if len(dropped) == excess:
                break
            place = ends.index(case.opset) if case.opset in ends else 0
            if id(case) not in dropped and (order[case.samples[0]] + place) % max(len(ends), 2) < remainder:
                dropped.add(id(case))
    return [case for case in wanted if id(case) not in dropped]


def _everything(task: VerifyTask, groups: Sequence[Sequence[SampleSpec]]) -> Iterator[Case]:
    for opset in sorted(task.opsets):
        for group in groups:
            for mode, dynamic in _MODES:
                for samples in [tuple(group)] if dynamic else [(sample,) for sample in group]:
                    yield Case(opset, mode, dynamic, samples)


def group_samples(samples: Sequence[SampleSpec]) -> list[list[SampleSpec]]:
    """Samples that one export with dynamic axes serves: the same call but for sizes and values."""
    groups: dict[SampleSpec, list[SampleSpec]] = {}
    for sample in samples:
        plain = tuple(TensorSpec((0,) * len(tensor.shape), tensor.dtype) for tensor in sample.tensors)
        groups.setdefault(sample.with_tensors(plain), []).append(sample)
    return list(groups.values())


def _interleaved(groups: list[list[SampleSpec]]) -> list[list[SampleSpec]]:
    """The groups of all overloads, in turns."""
    overloads: dict[str, list[list[SampleSpec]]] = {}
    for group in groups:
        overloads.setdefault(group[0].overload, []).append(group)
    longest = max(map(len, overloads.values()), default=0)
    return [own[place] for place in range(longest) for own in overloads.values() if place < len(own)]


def twin(sample: SampleSpec) -> SampleSpec | None:
    """The same call with larger sizes, for running a model with dynamic axes on; None where nothing can grow."""
    tensors = sample.tensors
    if any(tensor.recipe.kind == "stored" for tensor in tensors):
        return None
    shapes = grown([tensor.shape for tensor in tensors])
    if all(tensor.shape == shape for tensor, shape in zip(tensors, shapes, strict=True)):
        return None
    return sample.with_tensors(tuple(replace(t, shape=s) for t, s in zip(tensors, shapes, strict=True)))
