"""Which samples meet which opset in which mode: planned so that everything is seen, not crossed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from symgen.model.sample import COMPLEX, Length, SampleSpec, TensorSpec
from symgen.model.types import is_tensor_list
from symgen.verify.choose import choose_samples
from symgen.verify.domains import domain_of
from symgen.verify.shapes import grown
from symgen.verify.task import VerifyTask

BUDGET, BUDGET_FOR_TORCH = 280, 420
"""Exports for an operator, as long as that leaves each end of a range enough of them; more for torch's own function."""
LEAST_PER_OPSET = 70
_LEAST_CHOSEN = 24

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

    def only(self, sample: SampleSpec) -> Case:
        """The same export of one sample alone."""
        return replace(self, samples=(sample,))

    def without(self, seen: frozenset[SampleSpec]) -> Case | None:
        """The case for the samples that have not been seen; None where none is left."""
        rest = tuple(sample for sample in self.samples if sample not in seen)
        return replace(self, samples=rest) if rest else None


def plan_cases(task: VerifyTask, samples: Sequence[SampleSpec]) -> tuple[Case, ...]:
    """The exports of a task, those of one opset together."""
    plain = [sample for sample in samples if not sample.has_lengths]
    planned = _everything(task, group_samples(plain)) if task.full else _planned(task, plain)
    cases = (*planned, *_measured(task, samples))
    said = (case for case in cases if _can_be_said(case) and (case.mode != "scripted" or _can_be_scripted(task, case)))
    return tuple(sorted(said, key=lambda case: case.opset))


def chosen_samples(task: VerifyTask, samples: Sequence[SampleSpec]) -> tuple[SampleSpec, ...]:
    """The samples that stand for all: they are exported one by one, and the generated test is made of them."""
    plain = [sample for sample in samples if not sample.has_lengths]
    return choose_samples(plain, max(_exports_per_opset(task) * 3 // 10, _LEAST_CHOSEN))


def _exports_per_opset(task: VerifyTask) -> int:
    budget = BUDGET if task.modules else BUDGET_FOR_TORCH
    return max(budget // len(range_ends(task)), LEAST_PER_OPSET)


def range_ends(task: VerifyTask) -> tuple[int, ...]:
    """The first and the last opset of each range in which the code is the same."""
    return tuple(sorted({end for opsets in task.ranges for end in (opsets[0], opsets[-1])}))


def _planned(task: VerifyTask, samples: Sequence[SampleSpec]) -> Iterator[Case]:
    """At both ends of each range every sample runs with dynamic axes; the chosen ones are exported each in turn."""
    chosen = chosen_samples(task, samples)
    groups = {group[0]: group for group in group_samples(samples)}
    leaders = {sample: group[0] for group in groups.values() for sample in group}
    middles = {opsets[len(opsets) // 2] for opsets in task.ranges} - set(range_ends(task))
    for turn, opset in enumerate(range_ends(task)):
        budget = _exports_per_opset(task)
        waiting = dict(groups)
        for sample in chosen:
            rest = [other for other in waiting.pop(leaders[sample], []) if other != sample]
            yield Case(opset, "traced", False, (sample,))
            yield Case(opset, "traced", True, (sample, *rest))
        budget -= 2 * len(chosen)
        scripted = chosen[turn % 2 :: 2][: max(budget // 4, 8)]
        for place, sample in enumerate(scripted):
            yield Case(opset, "scripted", place % 2 == turn % 2, (sample,))
        for group in list(waiting.values())[: max(budget - len(scripted), 0)]:
            yield Case(opset, "traced", True, tuple(group))
    yield from (Case(opset, "traced", True, (sample,)) for opset in middles for sample in chosen[:6])


def _measured(task: VerifyTask, samples: Sequence[SampleSpec]) -> Iterator[Case]:
    """Calls with lengths are scripted: a trace calls an operator with the numbers that it was made with."""
    groups = group_samples([sample for sample in samples if sample.has_lengths])
    for opset in task.opsets if task.full else range_ends(task):
        yield from (Case(opset, "scripted", True, tuple(group)) for group in groups)


def _can_be_said(case: Case) -> bool:
    """ONNX has had bfloat16 in its operators only since opset 13; complex dtypes are known only to a trace."""
    dtypes = {dtype for sample in case.samples for dtype in sample.dtypes}
    if case.mode == "scripted" and dtypes & set(COMPLEX):
        return False
    return case.opset >= BFLOAT16_SINCE or "bfloat16" not in dtypes


def _can_be_scripted(task: VerifyTask, case: Case) -> bool:
    """Complex results need a trace; a list is a sequence in a script's model, and none holds bfloat16 in ONNX."""
    gives_list = any(is_tensor_list(result.type) for schema in task.schemas for result in schema.returns)
    has_bfloat16 = any("bfloat16" in sample.dtypes for sample in case.samples)
    return domain_of(task.op).scripted and not (gives_list and has_bfloat16)


def _everything(task: VerifyTask, groups: Sequence[Sequence[SampleSpec]]) -> Iterator[Case]:
    for opset in sorted(task.opsets):
        for group in groups:
            for mode, dynamic in _MODES:
                for samples in [tuple(group)] if dynamic else [(sample,) for sample in group]:
                    yield Case(opset, mode, dynamic, samples)


def group_samples(samples: Sequence[SampleSpec]) -> list[list[SampleSpec]]:
    """Samples that one export with dynamic axes serves: the same call but for sizes, lengths and values."""
    # As text: -3 and -3.0 are equal, and not the same call.
    groups: dict[str, list[SampleSpec]] = {}
    for sample in samples:
        plain = tuple(TensorSpec((0,) * len(tensor.shape), tensor.dtype) for tensor in sample.tensors)
        call = sample.with_tensors(plain).with_lengths(lambda _: Length(0))
        groups.setdefault(repr((call.overload, call.positional, call.keywords)), []).append(sample)
    return list(groups.values())


def twin(sample: SampleSpec) -> SampleSpec | None:
    """The same call with larger sizes, for running a model with dynamic axes on; None where nothing can grow."""
    tensors = sample.tensors
    if any(tensor.recipe.kind == "stored" for tensor in tensors):
        return None
    shapes = grown([tensor.shape for tensor in tensors])
    if all(tensor.shape == shape for tensor, shape in zip(tensors, shapes, strict=True)):
        return None
    return sample.with_tensors(tuple(replace(t, shape=s) for t, s in zip(tensors, shapes, strict=True)))
