"""Decides what becomes of one operator: tries its candidates against torch, and says who wins where torch has its own.

Each operator is a generator that yields the verifications it needs and receives what they saw, so that a driver can run
those of many operators side by side.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from symgen.lower.versions import NotExpressibleError
from symgen.match.matcher import Match
from symgen.model.plan import NoPlan, Plan
from symgen.model.result import Evidence, SampleResult, Status, Strategy, Verdict
from symgen.pipeline.exporters import TORCHSCRIPT_EXPORTER, Exporter
from symgen.pipeline.in_parts import probe_task, right_in_parts, why_no_plan
from symgen.pipeline.release_records import ReleaseRecords
from symgen.pipeline.resolve import Request
from symgen.pipeline.translate import Translation, from_opset, translate
from symgen.sources import Sources, match_in
from symgen.verify.domains import domain_of
from symgen.verify.task import Verification, VerifyTask

FAILS_ALOUD = frozenset({Verdict.EXPORT_ERROR, Verdict.INVALID_MODEL, Verdict.RUNTIME_ERROR, Verdict.CRASH})
"""Failures that nobody takes for a result."""
_NOTHING_TO_CORRECT = "torch has no function of its own to correct"
Trial = Generator[VerifyTask, Verification, "Decision"]


@dataclass(frozen=True)
class Settings:
    """What the decisions of a run depend on beside the operators."""

    lowest: int | None = None
    """The opset asked for."""
    force: bool = False
    correct: bool = False
    """Whether only operators that torch has already are written (`fix`)."""
    verify: bool = True
    own_templates: Path | None = None
    exporter: Exporter = TORCHSCRIPT_EXPORTER
    known: ReleaseRecords = field(default_factory=ReleaseRecords)
    """What was seen when symgen was made: faults of torch's own functions that the samples here may not show."""


@dataclass(frozen=True)
class Decision:
    """What is to be done for one operator. With a translation or a stub there is something to write."""

    request: Request
    match: Match
    status: Status
    reason: str = ""
    translation: Translation | None = None
    stub: NoPlan | None = None
    verification: Verification | None = None
    parts: tuple[str, ...] = ()
    """The operators that it is made of instead, whose functions are corrected in its place."""

    @property
    def evidence(self) -> Evidence:
        """What was seen; empty where nothing was run."""
        return self.verification.evidence if self.verification else Evidence()

    @property
    def strategy(self) -> Strategy:
        """How the operator was translated."""
        if self.translation is None:
            return Strategy.NONE
        arrives_as_another = self.request.note and self.request.asked.rpartition("::")[2] != self.request.op.base
        return Strategy.ALIAS if arrives_as_another else self.translation.plan.strategy

    @property
    def opset(self) -> int | None:
        """The number of the first file, None where nothing is written."""
        return self.translation.first if self.translation else None


def decide(request: Request, sources: Sources, settings: Settings) -> Trial:
    """The decision for one operator."""
    match = match_in(sources, request.op)
    exporter = settings.exporter
    own = exporter.own_opsets(request.op, sources)
    if settings.correct and not own:
        return Decision(request, match, Status.UNCHANGED, _NOTHING_TO_CORRECT)
    below, note, fault, seen = exporter.target.opsets.stop, "", None, None
    lengths: frozenset[str] = frozenset()
    plans = [plan for plan in match.plans if not exporter.leaves(plan)]
    if own and not (settings.force and plans):
        fault, seen = yield from _fault_of_torch(match, own, sources, settings)
        first = own[0]
        lengths = _refused_lengths(seen, plans) if fault == "" else lengths
        if lengths:
            fault = f"refuses the length of an input as {', '.join(sorted(lengths))}"
        if fault is None:
            own = ()
            if settings.correct:
                unjudged = f"{exporter.describe(first)} {_unjudged(plans)}"
                return Decision(request, match, Status.UNCHANGED, _NOTHING_TO_CORRECT if seen else unjudged)
        elif not fault and _asks_for_newer_form(match, sources, settings):
            note = f"{exporter.describe(first)} is right, and made of older operators"
        elif not fault:
            if first <= (settings.lowest or exporter.target.opsets.start) or settings.correct or not plans:
                judged = _judged(seen.evidence) if seen else _unjudged(plans)
                return Decision(request, match, Status.UNCHANGED, f"{exporter.describe(first)} {judged}{_but(match)}")
            below = first
            note = f"torch's own function serves opset {first} and later"
        else:
            note = f"{exporter.describe(first)} {fault}"
    if settings.force and exporter.told_fault(request.op, sources) is None:
        own = ()
    if not plans:
        is_lacking = seen is not None and exporter.lacks(seen)
        known = () if is_lacking else exporter.own_opsets(request.op, sources)
        decision = yield from _without_plan(request, match, known, note, settings)
        return (yield from _or_in_parts(decision, seen, sources, settings)) if fault else decision
    decision = yield from _first_proven(request, match, sources, settings, below)
    if seen is not None and _refuses_more(decision, seen):
        reason = f"the ONNX operator of the same name takes less than that: {decision.reason}"
        decision = replace(decision, status=Status.FAILED, reason=reason, translation=None)
    if lengths and seen is not None and not _takes_more(decision, seen, lengths):
        reason = f"{note}, for which symgen has no better"
        return Decision(request, match, Status.UNCHANGED, reason, verification=decision.verification)
    if fault and decision.status is Status.UNCHANGED:
        # What is wrong stands in other operators' functions, and stays so.
        decision = replace(decision, status=Status.FAILED)
        return (yield from _or_in_parts(_with_note(decision, note), seen, sources, settings))
    return _with_note(decision, note)


def _or_in_parts(
    decision: Decision, own: Verification | None, sources: Sources, settings: Settings
) -> Generator[VerifyTask, Verification, Decision]:
    """The decision as it is, or, where the exporter never asks for the operator, to correct what it asks for."""
    if decision.status is not Status.FAILED or not settings.exporter.never_asks(decision.evidence):
        return decision
    match, exporter = decision.match, settings.exporter
    on_record = settings.known.faults(match.op.qualified, exporter.target, exporter.target.opsets)
    faults = [*(own.evidence.failures if own else ()), *on_record]
    found = yield from right_in_parts(match, decision.evidence, faults, sources, exporter, settings.known)
    if found is None:
        return decision
    reason = f"{decision.reason}; {found.reason}"
    return replace(decision, status=Status.UNCHANGED, reason=reason, verification=found.seen, parts=found.parts)


def _fault_of_torch(
    match: Match, own: Sequence[int], sources: Sources, settings: Settings
) -> Generator[VerifyTask, Verification, tuple[str | None, Verification | None]]:
    """What is wrong with torch's own function, as the end of a sentence; empty where nothing is, None without one.

    And what was seen of it, where it was verified.
    """
    exporter = settings.exporter
    opsets = tuple(range(max(own[0], settings.lowest or exporter.target.opsets.start), exporter.target.opsets.stop))
    known = _fault_in(Evidence(failures=settings.known.faults(match.op.qualified, exporter.target, opsets)))
    on_record = known and f"{known}, as was seen when symgen was made"
    if not settings.verify:
        told = exporter.told_fault(match.op, sources)
        return (on_record if on_record and not told else told), None
    verification = yield VerifyTask(match.op.qualified, match.overloads, opsets=opsets, target=exporter.target)
    if exporter.lacks(verification):
        return None, verification
    return _fault_in(verification.evidence) or on_record, verification


def _fault_in(seen: Evidence) -> str:
    if seen.failures:
        # A wrong number that nothing tells of says more than a model that does not load.
        first = next((one for one in seen.failures if one.verdict not in FAILS_ALOUD), seen.failures[0])
        return f"is not right: {first.verdict} at opset {first.opset} for {first.sample} ({first.dtype})"
    if seen.refused:
        return f"refuses arguments: {seen.refused[0].detail or seen.refused[0].sample}"
    return ""


def _judged(seen: Evidence) -> str:
    """What is said of torch's own function where nothing wrong was seen."""
    return "is right" if seen.samples else "could not be judged: no sample runs"


def _unjudged(plans: Sequence[Plan]) -> str:
    """What is said of torch's own function where nothing is run."""
    return "was not judged" + ("; --force writes another all the same" if plans else "")


def _asks_for_newer_form(match: Match, sources: Sources, settings: Settings) -> bool:
    """Whether the opset that was asked for has a form of its own, which the exporter's own function lacks."""
    if settings.lowest is None or settings.correct or not match.plans:
        return False
    return settings.exporter.has_newer_form(match.plans[0], sources, settings.lowest)


def _refuses_more(decision: Decision, own: Verification) -> bool:
    """Whether the ONNX operator of the same name refuses arguments that torch's own function has right."""
    translation, seen = decision.translation, decision.verification
    if translation is None or seen is None or translation.plan.strategy is not Strategy.SAME_NAME:
        return False
    wrong = {*own.refused, *(sample for sample, _ in own.failed)}
    return bool(set(seen.refused) & set(own.samples.samples) - wrong)


def _refused_lengths(own: Verification | None, plans: Sequence[Plan]) -> frozenset[str]:
    """The arguments as which torch's own function refuses a length, and symgen's plan takes it from the graph."""
    taken = plans[0].graph_values if plans else ()
    return frozenset(own.evidence.refused_lengths if own else ()).intersection(taken)


def _takes_more(decision: Decision, own: Verification, lengths: frozenset[str]) -> bool:
    """Whether symgen's function takes one of the lengths that torch's refuses, and all that torch's has right."""
    seen = decision.verification
    if decision.translation is None or seen is None:
        return False
    return bool(lengths.difference(seen.evidence.refused_lengths)) and not set(seen.refused) & set(own.samples.samples)


def _but(match: Match) -> str:
    """What torch's own function was not asked for, and symgen's has."""
    takes_complex = match.plans and domain_of(match.op.qualified).complex
    return "; --force writes one that takes complex numbers as well" if takes_complex else ""


def _without_plan(
    request: Request, match: Match, own: Sequence[int], fault: str, settings: Settings
) -> Generator[VerifyTask, Verification, Decision]:
    """A stub, or nothing where torch may have a function: the stub would stand in its way.

    One that is at fault stays uncorrected, which is a failure.
    """
    exporter = settings.exporter
    none = why_no_plan(match, exporter)
    if not own:
        return Decision(request, match, Status.STUB, none.reason, stub=none)
    status = Status.FAILED if fault else Status.UNCHANGED
    probe = probe_task(match, exporter) if settings.verify and fault else None
    if probe is not None:
        seen = yield probe
        never = exporter.never_asks(seen.evidence)
        if never:
            return _with_note(Decision(request, match, status, never, verification=seen), fault)
    its = fault or f"{exporter.describe(own[0])} {'is right' if settings.verify else 'was not judged'}"
    return Decision(request, match, status, f"{its}; symgen has no other ({none.reason})")


def _first_proven(
    request: Request, match: Match, sources: Sources, settings: Settings, below: int
) -> Generator[VerifyTask, Verification, Decision]:
    """The first candidate that is right, else the one that fails least."""
    failed = [Decision(request, match, Status.FAILED, match.no_plan.reason)]
    for plan in match.plans:
        try:
            translation = translate(
                plan,
                sources,
                lowest=settings.lowest,
                own_templates=settings.own_templates,
                below=below,
                exporter=settings.exporter,
            )
        except NotExpressibleError as error:
            failed.append(Decision(request, match, Status.FAILED, str(error)))
            continue
        if not translation.placements:
            return Decision(request, match, Status.UNCHANGED, "no lower opset can say it")
        if not settings.verify:
            return Decision(request, match, Status.WRITTEN, "; ".join(translation.restrictions), translation)
        decision = yield from _raised_until_right(request, match, translation, settings)
        if decision.status is not Status.FAILED:
            return decision
        failed.append(decision)
    judged = [decision for decision in failed if decision.verification is not None]
    return min(judged, key=lambda decision: len(decision.evidence.failures), default=failed[-1])


def _raised_until_right(
    request: Request, match: Match, translation: Translation, settings: Settings
) -> Generator[VerifyTask, Verification, Decision]:
    """Verifies a translation; where only lower opsets fail, it is claimed from the first range that is right."""
    seen = yield _task(match, translation, settings)
    never = settings.exporter.never_asks(seen.evidence)
    if never:
        return Decision(request, match, Status.UNCHANGED, never, verification=seen)
    failing = [failure.opset for failure in seen.evidence.failures]
    if failing:
        later = from_opset(translation, max(failing) + 1)
        if later.placements:
            translation = later
            seen = yield _task(match, translation, settings)
    if not seen.evidence.is_proof and not only_fails_aloud(seen.evidence):
        return Decision(request, match, Status.FAILED, failure_sentence(seen.evidence), verification=seen)
    reasons = [*translation.restrictions, *refusal_sentences(seen.evidence.refused)]
    if seen.evidence.failures:
        reasons.append(failure_sentence(seen.evidence))
    if settings.lowest is not None and translation.first > settings.lowest:
        reasons.append(f"opset {translation.first} is the first at which it can be said and is right")
    status = Status.PARTIAL if reasons else Status.VERIFIED
    return Decision(request, match, status, "; ".join(reasons), translation, verification=seen)


def _task(match: Match, translation: Translation, settings: Settings) -> VerifyTask:
    target = settings.exporter.target
    return VerifyTask(match.op.qualified, match.overloads, translation.modules, translation.opsets, target=target)


def refusal_sentences(refused: Sequence[SampleResult]) -> tuple[str, ...]:
    """What the refused samples were told, each once, without the values of a graph that the exporter adds."""
    said = (result.detail.partition("  [Caused by ")[0] for result in refused)
    return tuple(dict.fromkeys(filter(None, said)))[:3]


def _with_note(decision: Decision, note: str) -> Decision:
    if not note:
        return decision
    return replace(decision, reason=f"{note}; {decision.reason}" if decision.reason else note)


def only_fails_aloud(evidence: Evidence) -> bool:
    """Whether nothing was wrong but a few samples that don't export, load or run: an error, and never a wrong number.

    So it is for tensors without elements in many operators, and for dtypes that an ONNX operator lacks.
    """
    failed = {(failure.sample, failure.dtype) for failure in evidence.failures}
    return all(failure.verdict in FAILS_ALOUD for failure in evidence.failures) and 4 * len(failed) < evidence.samples


def failure_sentence(evidence: Evidence) -> str:
    """What a verification that is no proof saw first."""
    if not evidence.failures:
        return ": ".join(["no sample could be verified", *refusal_sentences(evidence.refused)[:1]])
    first = evidence.failures[0]
    where = f"opset {first.opset}, {first.dtype}, {first.mode}".strip(", ")
    return (
        f"{len(evidence.failures)} samples failed, the first ({where}): {first.verdict}: {first.sample}: {first.detail}"
    )
