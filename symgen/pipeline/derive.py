"""Strategy 4: operators without another plan get one from torch's own decomposition, which child processes trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from symgen.config import LOWEST_OPSET
from symgen.introspect.catalogue import ATEN
from symgen.lower.lowering import lower_plan
from symgen.lower.older_forms import load_older_forms
from symgen.lower.versions import NotExpressibleError
from symgen.match.derived.plan import WHY, derived_plan, sayable_steps
from symgen.match.derived.vocabulary import Vocabulary
from symgen.match.matcher import Candidate
from symgen.match.untranslatable import reason_for
from symgen.model.names import OpName
from symgen.model.plan import Plan, PlanError
from symgen.model.result import Strategy, Verdict
from symgen.model.traces import Traced
from symgen.sources import Sources, match_in, parameter_names
from symgen.verify.decomposition_jobs import TraceJob
from symgen.verify.messages import Failed
from symgen.verify.pool import Pool
from symgen.verify.task import VerifyTask
from symgen.verify.user_jobs import UserJob

_KILLED = "SIGKILL"
"""From outside: torch sends itself no such signal."""


def with_derived(sources: Sources, ops: Iterable[OpName], pool: Pool, lowest: int | None = None) -> Sources:
    """The sources with a derived candidate for each ATen operator that has no plan and that torch lacks at `lowest`."""
    lacking = [op for op in dict.fromkeys(ops) if _is_lacking(op, sources, lowest or LOWEST_OPSET)]
    found = zip(lacking, derived_candidates(sources, lacking, pool), strict=True)
    return replace(sources, derived={**sources.derived, **{op.qualified: candidate for op, candidate in found}})


def _is_lacking(op: OpName, sources: Sources, lowest: int) -> bool:
    if op.namespace != ATEN or reason_for(op):
        return False
    is_served = sources.catalogue.registered.serving(op.qualified, lowest) is not None
    return not is_served and not match_in(sources, op).plans


def derived_candidates(
    sources: Sources, ops: Sequence[OpName], pool: Pool, hidden: frozenset[str] = frozenset()
) -> tuple[Candidate, ...]:
    """What torch's decompositions of operators make; entries of the knowledge for `hidden` operators are not used."""
    vocabularies = [_vocabulary(sources, hidden | {op.base}) for op in ops]
    jobs: list[UserJob[Traced]] = [
        TraceJob(VerifyTask(op.qualified, sources.catalogue.overloads_reaching(op)), sayable_steps(vocabulary))
        for op, vocabulary in zip(ops, vocabularies, strict=True)
    ]
    traces = pool.ask_all(jobs)
    return tuple(
        _candidate(sources, op, vocabulary, traced)
        for op, vocabulary, traced in zip(ops, vocabularies, traces, strict=True)
    )


def _vocabulary(sources: Sources, hidden: frozenset[str]) -> Vocabulary:
    return Vocabulary(sources.knowledge, lambda base: sources.catalogue.overloads_reaching(OpName(ATEN, base)), hidden)


def _candidate(sources: Sources, op: OpName, vocabulary: Vocabulary, traced: Traced | Failed) -> Candidate:
    if isinstance(traced, Failed):
        return Candidate(Strategy.DERIVED, _why_untraced(traced))
    overloads = sources.catalogue.overloads_reaching(op)
    plan = derived_plan(op, overloads, parameter_names(sources, overloads), traced, vocabulary)
    if not isinstance(plan, Plan):
        return Candidate(Strategy.DERIVED, plan)
    try:
        lower_plan(plan, sources.schemas, load_older_forms())
    except (PlanError, NotExpressibleError) as error:
        return Candidate(Strategy.DERIVED, f"what torch's decomposition makes can't be said in ONNX: {error}")
    return Candidate(Strategy.DERIVED, WHY, plan)


def _why_untraced(failed: Failed) -> str:
    """Why there are no traces, for people who know nothing of the process that should have made them."""
    if failed.death is Verdict.CRASH and failed.cause != _KILLED:
        return f"torch itself crashes when a call of it is traced ({failed.cause})"
    if failed.death is Verdict.CRASH:
        return "torch's decomposition can't be traced: the system ended the process, for want of memory perhaps"
    return f"torch's decomposition can't be traced: {failed.cause or failed.error}"
