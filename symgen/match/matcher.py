"""Lists how an operator can be translated, best first; the pipeline tries the candidates until one is proven."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.introspect.onnx_schemas import OnnxSchemas
from symgen.match.knowledge import Knowledge
from symgen.match.parameters import merge_parameters
from symgen.match.planner import plan_from_entry
from symgen.match.same_name import operator_of_same_name, plan_same_name
from symgen.match.untranslatable import reason_for
from symgen.model.names import OpName
from symgen.model.plan import NoPlan, Parameter, Plan
from symgen.model.result import Strategy
from symgen.model.schema import AtenSchema


@dataclass(frozen=True)
class Candidate:
    """One way to translate an operator, with its static verdict: a plan, or why there is none."""

    strategy: Strategy
    verdict: str
    plan: Plan | None = None


@dataclass(frozen=True)
class Match:
    """All candidates for one operator, in the order in which they are tried."""

    op: OpName
    overloads: tuple[AtenSchema, ...]
    candidates: tuple[Candidate, ...]

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The candidates that can be tried."""
        return tuple(candidate.plan for candidate in self.candidates if candidate.plan is not None)

    @property
    def no_plan(self) -> NoPlan:
        """Why nothing can be tried: the known reason, else what each strategy says."""
        known = reason_for(self.op)
        said = "; ".join(f"{c.strategy}: {c.verdict}" for c in self.candidates if c.plan is None)
        return NoPlan(self.op, known or f"no strategy found a translation ({said})")


def match_operator(
    op: OpName,
    overloads: Sequence[AtenSchema],
    stub_names: Sequence[str],
    schemas: OnnxSchemas,
    knowledge: Knowledge,
) -> Match:
    """The candidates for an operator.

    Args:
        overloads: those that reach the exporter under this name.
        stub_names: the names of the parameters in the `.pyi`, by position.

    Raises:
        PlanError: where a knowledge entry contradicts the operator's schema.
    """
    overloads = tuple(overloads)
    parameters = merge_parameters(overloads, stub_names)
    candidates = [_by_entry(op, overloads, parameters, knowledge), _by_name(op, overloads, parameters, schemas)]
    candidates.sort(key=lambda candidate: candidate.plan is None)
    return Match(op, overloads, tuple(candidates))


def _by_entry(
    op: OpName, overloads: Sequence[AtenSchema], parameters: Sequence[Parameter] | None, knowledge: Knowledge
) -> Candidate:
    entry = knowledge.entry(op.qualified)
    if entry is None:
        return Candidate(Strategy.DECOMPOSITION, "the knowledge has no entry")
    if parameters is None or entry.function.shared_tree.args.vararg is not None:
        parameters = _variadic_parameters(overloads)
    plan = plan_from_entry(entry, op, overloads, parameters, knowledge)
    return Candidate(Strategy.DECOMPOSITION, plan.why, plan)


def _by_name(
    op: OpName, overloads: Sequence[AtenSchema], parameters: Sequence[Parameter] | None, schemas: OnnxSchemas
) -> Candidate:
    if op.namespace == "quantized":
        return Candidate(Strategy.SAME_NAME, "ONNX operators take tensors of numbers, not quantised ones")
    onnx = operator_of_same_name(op, schemas)
    if onnx is None:
        return Candidate(Strategy.SAME_NAME, "ONNX has no operator of this name")
    if parameters is None:
        return Candidate(Strategy.SAME_NAME, "the overloads disagree on what an argument's position means")
    plan = plan_same_name(op, overloads, parameters, onnx)
    if isinstance(plan, str):
        return Candidate(Strategy.SAME_NAME, plan)
    return Candidate(Strategy.SAME_NAME, plan.why, plan)


def _variadic_parameters(overloads: Sequence[AtenSchema]) -> tuple[Parameter, ...]:
    """The parameters that the overloads share at the front; the entry tells the rest apart itself."""
    shared = overloads[0].arguments[:1]
    return tuple(Parameter(a.name, a.name, (a.type,)) for a in shared)
