"""What the dynamo exporter never asks for, as torch.export makes other operators of it, is put right through these."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass

from symgen.lower.versions import NotExpressibleError
from symgen.match.matcher import Match
from symgen.model.names import parse_op_name
from symgen.model.result import Evidence, SampleResult
from symgen.pipeline.exporters import Exporter
from symgen.pipeline.release_records import ReleaseRecords
from symgen.pipeline.translate import Translation, translate
from symgen.sources import Sources, match_in
from symgen.verify.task import Verification, VerifyTask

_NAME = re.compile(r"\baten::\w+")


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
    faulty = known.faulty(exporter.target)
    named = dict.fromkeys(name for one in taken_apart.never_asked for name in _NAME.findall(one.detail))
    found = {
        name: translation
        for name in named
        if name in faulty and (translation := _translation(name, sources, exporter)) is not None
    }
    if not found:
        return None
    modules = tuple(module for translation in found.values() for module in translation.modules)
    opsets = tuple(sorted({opset for translation in found.values() for opset in translation.opsets}))
    seen = yield VerifyTask(match.op.qualified, match.overloads, modules, opsets, target=exporter.target)
    untouched = set(_calls(seen.evidence.never_asked)) & set(_calls(faults))
    return InParts(tuple(found), seen) if seen.evidence.is_proof and not untouched else None


def _translation(name: str, sources: Sources, exporter: Exporter) -> Translation | None:
    plans = [plan for plan in match_in(sources, parse_op_name(name)).plans if not exporter.leaves(plan)]
    try:
        return translate(plans[0], sources, lowest=None, own_templates=None, exporter=exporter) if plans else None
    except NotExpressibleError:
        return None


def _calls(results: Iterable[SampleResult]) -> Iterator[tuple[str, str]]:
    return ((result.sample, result.dtype) for result in results)
