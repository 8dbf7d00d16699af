"""What the dynamo exporter never asks for, as torch.export makes other operators of it, is put right through these."""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass

from symgen.lower.versions import NotExpressibleError
from symgen.match.matcher import Match
from symgen.model.names import parse_op_name
from symgen.model.plan import NoPlan
from symgen.model.result import Evidence, SampleResult
from symgen.pipeline.exporters import Exporter
from symgen.pipeline.release_records import ReleaseRecords
from symgen.pipeline.translate import Translation, translate
from symgen.sources import Sources, match_in
from symgen.verify.task import Verification, VerifyTask

_NAME = re.compile(r"\baten::\w+")
_TAKEN_APART = "torch.export takes it apart"
_SHOWN = 3


@dataclass(frozen=True)
class InParts:
    """Parts whose functions, corrected, put an operator right, and what was seen of it with symgen's."""

    parts: tuple[str, ...]
    seen: Verification

    @property
    def reason(self) -> str:
        """What is said of it."""
        return f"with symgen's {' and '.join(self.parts)} it is right"


def right_in_parts(
    match: Match,
    taken_apart: Evidence,
    faults: Iterable[SampleResult],
    sources: Sources,
    exporter: Exporter,
    known: ReleaseRecords,
) -> Generator[VerifyTask, Verification, InParts | None]:
    """The parts at fault, if an operator is right with symgen's functions for them; else None.

    Args:
        match: the operator.
        taken_apart: what was seen with a function for the operator itself, which says what is made of it instead.
        faults: what is wrong with the exporter's own translation; none of it may be left as it is.
        sources: where the parts' translations come from.
        exporter: the one that takes it apart.
        known: which functions of the exporter's own are at fault.
    """
    found = parts_at_fault(taken_apart, sources, exporter, known.faulty(exporter.target))
    if not found:
        return None
    seen = yield task_with_parts(match, found, exporter)
    return InParts(tuple(found), seen) if puts_right(seen, faults) else None


def parts_of(taken_apart: Evidence) -> tuple[str, ...]:
    """The operators that torch.export makes of one that is never asked for, each once."""
    return tuple(dict.fromkeys(name for one in taken_apart.never_asked for name in _NAME.findall(one.detail)))


def what_is_made(taken_apart: Evidence) -> str:
    """The same as a sentence: what is made of different calls, each once."""
    said = [one.detail.partition(": ")[2] or _TAKEN_APART for one in taken_apart.never_asked]
    first, *others = dict.fromkeys(said)
    shown = [first, *(one.removeprefix("torch.export makes ") for one in others[: _SHOWN - 1])]
    return ", or ".join([*shown, *(["others"] if len(others) >= _SHOWN else [])])


def probe_task(match: Match, exporter: Exporter) -> VerifyTask | None:
    """What shows whether an operator without a plan is asked for at all; None where all are.

    It says nothing of why there is no plan, which `fix` knows more of than others who look for what it saw.
    """
    probe = exporter.probe(NoPlan(match.op, "a probe"), match.overloads)
    first = exporter.target.opsets.start
    task = VerifyTask(match.op.qualified, match.overloads, ((first, probe),), (first,), target=exporter.target)
    return task if probe else None


def why_no_plan(match: Match, exporter: Exporter) -> NoPlan:
    """Why an exporter has no plan to use for an operator."""
    foreign = "; ".join(map(exporter.leaves, match.plans))
    return NoPlan(match.op, foreign) if foreign else match.no_plan


def parts_at_fault(
    taken_apart: Evidence, sources: Sources, exporter: Exporter, faulty: Collection[str]
) -> Mapping[str, Translation]:
    """Symgen's functions for those parts of an operator that the exporter's own functions are at fault for."""
    return {
        name: translation
        for name in parts_of(taken_apart)
        if name in faulty and (translation := _translation(name, sources, exporter)) is not None
    }


def task_with_parts(match: Match, found: Mapping[str, Translation], exporter: Exporter) -> VerifyTask:
    """The verification of an operator with functions for its parts."""
    modules = tuple(module for translation in found.values() for module in translation.modules)
    opsets = tuple(sorted({opset for translation in found.values() for opset in translation.opsets}))
    return VerifyTask(match.op.qualified, match.overloads, modules, opsets, target=exporter.target)


def puts_right(seen: Verification, faults: Iterable[SampleResult]) -> bool:
    """Whether that was a proof, and nothing that is wrong is left as it is: neither a call nor a whole overload."""
    faults, never_asked = tuple(faults), seen.evidence.never_asked
    calls = set(_calls(never_asked)) & set(_calls(faults))
    reached = {sample.overload or "default" for sample in seen.proven}
    overloads = (set(map(_overload, never_asked)) - reached) & set(map(_overload, faults))
    return seen.evidence.is_proof and not calls and not overloads


def _translation(name: str, sources: Sources, exporter: Exporter) -> Translation | None:
    plans = [plan for plan in match_in(sources, parse_op_name(name)).plans if not exporter.leaves(plan)]
    try:
        return translate(plans[0], sources, lowest=None, own_templates=None, exporter=exporter) if plans else None
    except NotExpressibleError:
        return None


def _calls(results: Iterable[SampleResult]) -> Iterator[tuple[str, str]]:
    return ((result.sample, result.dtype) for result in results)


def _overload(result: SampleResult) -> str:
    return result.sample.partition("(")[0]
