"""Strategy 4: operators without another plan get one from torch's own decomposition, which child processes trace."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from symgen.introspect.catalogue import ATEN
from symgen.match.derived.plan import WHY, derived_plan, sayable_steps
from symgen.match.derived.vocabulary import Vocabulary
from symgen.match.matcher import Candidate
from symgen.model.names import OpName
from symgen.model.plan import Plan
from symgen.model.result import Strategy
from symgen.sources import Sources, match_in, parameter_names
from symgen.verify.decomposition_jobs import TraceJob
from symgen.verify.messages import Failed
from symgen.verify.pool import Pool
from symgen.verify.task import VerifyTask


def with_derived(sources: Sources, ops: Iterable[OpName], pool: Pool) -> Sources:
    """The sources with a derived candidate for each ATen operator that has no plan without."""
    lacking = [op for op in dict.fromkeys(ops) if op.namespace == ATEN and not match_in(sources, op).plans]
    found = {op.qualified: derived_candidate(sources, op, pool) for op in lacking}
    return replace(sources, derived={**sources.derived, **found})


def derived_candidate(sources: Sources, op: OpName, pool: Pool, hidden: frozenset[str] = frozenset()) -> Candidate:
    """What torch's decomposition of an operator makes; entries of the knowledge for `hidden` operators are not used."""
    overloads = sources.catalogue.overloads_reaching(op)
    vocabulary = Vocabulary(
        sources.knowledge,
        lambda base: sources.catalogue.overloads_reaching(OpName(ATEN, base)),
        hidden | {op.base},
    )
    traced = pool.ask(TraceJob(VerifyTask(op.qualified, overloads), sayable_steps(vocabulary)))
    if isinstance(traced, Failed):
        return Candidate(Strategy.DERIVED, f"torch's decomposition can't be traced: {traced.error}")
    plan = derived_plan(op, overloads, parameter_names(sources, overloads), traced, vocabulary)
    return Candidate(Strategy.DERIVED, WHY, plan) if isinstance(plan, Plan) else Candidate(Strategy.DERIVED, plan)
