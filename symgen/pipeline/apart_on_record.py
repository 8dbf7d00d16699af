"""What is on record of operators that an exporter never asks for: what is made of them, and whether that is right."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

from symgen.match.matcher import Match
from symgen.model.names import parse_op_name
from symgen.model.result import Evidence, SampleResult
from symgen.model.standing import Apart, Proof, Through, Torch
from symgen.pipeline.exporters import Exporter
from symgen.pipeline.in_parts import parts_at_fault, parts_of, puts_right, task_with_parts, what_is_made
from symgen.pipeline.release_records import ReleaseRecord, ReleaseRecords, plan_digest
from symgen.sources import Sources, match_in
from symgen.verify.record import load_record

AT_FAULT = frozenset({Torch.WRONG, Torch.REFUSES, Torch.NONE})
"""What there is to put right."""


@dataclass(frozen=True)
class PartState:
    """How an operator that others are made of stands in an exporter."""

    torch: Callable[[int], Torch]
    first_proven: int | None
    """The opset from which symgen's function for it is verified."""

    def is_at_fault(self, opset: int) -> bool:
        """Whether what the exporter has for it is known to be wrong, to refuse arguments, or to be lacking."""
        return self.torch(opset) in AT_FAULT

    def is_mended(self, opset: int) -> bool:
        """Whether symgen's function is verified there."""
        return self.first_proven is not None and self.first_proven <= opset


@dataclass(frozen=True)
class OnRecord:
    """How an operator that is never asked for stands at each opset, and what was seen of it."""

    at: Callable[[int], Apart]
    proof: Proof


@dataclass(frozen=True)
class Asked:
    """An operator, and what is to be known of it and its parts."""

    match: Match
    exporter: Exporter
    torch: Callable[[int], Torch]
    """What there is for it without symgen."""
    faults: tuple[SampleResult, ...]
    state_of: Callable[[str], PartState | None]
    """How a part stands; None for one that nothing declares."""


def apart_on_record(
    asked: Asked, here: Evidence | None, known: ReleaseRecords, sources: Sources, *, may_have_run: bool
) -> OnRecord | None:
    """What is on record of an operator that is never asked for; None where nothing says that it is one.

    A run of the operator with symgen's functions for its parts counts before one that came with symgen. Without any
    it is derived, for the opsets at which a part is at fault, and each such part has a verified function.

    Args:
        asked: the operator.
        here: what a verification on this machine saw that never asked for it.
        known: what came with symgen.
        sources: where the parts' translations come from.
        may_have_run: whether this machine has records of the operator at all.
    """
    op, exporter = asked.match.op.qualified, asked.exporter
    record = known.of_parts(op, exporter.target)
    taken = here or (record.proof.evidence if record else None)
    if taken is None or not taken.never_asked:
        return None
    made = Apart(what_is_made(taken))
    run = _run_here(asked, taken, known, sources) if may_have_run else None
    if run is None and record is not None:
        run = _run_on_release(record, made, sources)
    if run is not None:
        told, evidence, since = run
        told = replace(told, made=made.made)

        def state(opset: int) -> Apart:
            return told if asked.torch(opset) in AT_FAULT and opset >= since else made

        seen = replace(evidence, never_asked=taken.never_asked)
        return OnRecord(state, Proof(op, exporter.target, "parts", seen))
    return OnRecord(lambda opset: _derived(made, taken, asked, opset), Proof(op, exporter.target, "parts", taken))


_Run = tuple[Apart, Evidence, int]
"""What was run with symgen's functions for which parts, what was seen, and the first opset."""


def _run_here(asked: Asked, taken: Evidence, known: ReleaseRecords, sources: Sources) -> _Run | None:
    """A run with functions for the parts, as `fix` makes one, if it is on this machine's record."""
    found = parts_at_fault(taken, sources, asked.exporter, known.faulty(asked.exporter.target))
    if not found:
        return None
    seen = load_record(task_with_parts(asked.match, found, asked.exporter))
    if seen is None:
        return None
    through = Through.VERIFIED if puts_right(seen, asked.faults) else Through.NONE
    since = max(translation.first for translation in found.values())
    return Apart(parts=tuple(found), through=through), seen.evidence, since


def _run_on_release(record: ReleaseRecord, made: Apart, sources: Sources) -> _Run | None:
    """The run that came with symgen, if there was one, and the plans of the parts are what they were."""
    parts = tuple(name for name, _ in record.parts)
    if not parts or not all(_is_plan_of(name, digest, sources) for name, digest in record.parts):
        return None
    firsts = [first for first, _, state in record.spans if state == Through.VERIFIED]
    through = Through.VERIFIED if firsts else Through.NONE
    return Apart(parts=parts, through=through), record.proof.evidence, min(firsts, default=0)


def _is_plan_of(name: str, digest: str, sources: Sources) -> bool:
    plans = match_in(sources, parse_op_name(name)).plans
    return bool(plans) and plan_digest(plans[0]) == digest


def _derived(made: Apart, taken: Evidence, asked: Asked, opset: int) -> Apart:
    """What follows for an opset from what is on record of the parts."""
    if asked.torch(opset) not in AT_FAULT:
        return made
    at_fault = [(name, state) for name, state in _states(parts_of(taken), asked) if state.is_at_fault(opset)]
    if not at_fault or not all(state.is_mended(opset) for _, state in at_fault):
        return made
    return replace(made, parts=tuple(name for name, _ in at_fault), through=Through.DERIVED)


def _states(names: Collection[str], asked: Asked) -> Iterable[tuple[str, PartState]]:
    found = ((name, asked.state_of(name)) for name in names)
    return ((name, state) for name, state in found if state is not None)
