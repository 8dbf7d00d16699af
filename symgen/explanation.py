"""Explains how operators would be translated, without running anything: what `symgen match` prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from symgen.config import LOWEST_OPSET, Config
from symgen.introspect.onnx_schemas import HIGHEST_OPSET
from symgen.introspect.refusals import Refusal
from symgen.introspect.runtime_kernels import Kernels
from symgen.lower.lowering import LoweredPlan, lower_plan
from symgen.lower.older_forms import load_older_forms
from symgen.lower.versions import NotExpressibleError
from symgen.match.matcher import Candidate, Match
from symgen.match.same_name import operator_of_same_name
from symgen.model.accuracy import Accuracy
from symgen.model.explanation import CandidateReport, Declared, Explanation, OperatorUse
from symgen.model.names import OpName, parse_op_name
from symgen.model.plan import Disposition, Guarded, Ignored, Plan
from symgen.model.result import Evidence, Strategy
from symgen.sources import Sources, match_in

_DTYPES = {
    "tensor(bool)": "bool",
    "tensor(uint8)": "uint8",
    "tensor(int8)": "int8",
    "tensor(int16)": "int16",
    "tensor(int32)": "int32",
    "tensor(int64)": "int64",
    "tensor(float16)": "float16",
    "tensor(bfloat16)": "bfloat16",
    "tensor(float)": "float32",
    "tensor(double)": "float64",
}
"""The ONNX types that torch has too, by their names there."""

EvidenceOf = Callable[[Plan], Evidence | None]
"""Finds or makes the evidence of a plan."""
AccuracyOf = Callable[[Plan], Accuracy | str | None]
"""Measures the accuracy of a plan, or says why that can't be done; None where it was not asked for."""


@dataclass(frozen=True)
class Proofs:
    """Where an explanation has its proofs from."""

    evidence_of: EvidenceOf = lambda plan: None
    accuracy_of: AccuracyOf = lambda plan: None


def explain_operators(
    asked: Sequence[str],
    config: Config,
    sources: Sources,
    kernels: Kernels,
    proofs: Proofs = Proofs(),
) -> tuple[Explanation, ...]:
    """Explains each operator; all names are resolved before the first is explained.

    Raises:
        UnknownNameError: where nothing declares an operator.
    """
    names = [parse_op_name(text) for text in asked]
    for name in names:
        sources.catalogue.operator(name)
    return tuple(
        _explain(text, name, config.opset or LOWEST_OPSET, sources, kernels, proofs)
        for text, name in zip(asked, names, strict=True)
    )


def _explain(asked: str, name: OpName, lowest: int, sources: Sources, kernels: Kernels, proofs: Proofs) -> Explanation:
    catalogue = sources.catalogue
    arrival = catalogue.arrives_as(name)
    operator = catalogue.operator(arrival.op)
    match = match_in(sources, arrival.op)
    standard = operator_of_same_name(arrival.op, sources.schemas)
    return Explanation(
        asked=asked,
        op=arrival.op.qualified,
        arrival=arrival.reason,
        overloads=tuple(Declared(str(schema), schema.location) for schema in operator.overloads),
        stubs=tuple(Declared(_on_one_line(str(stub)), stub.location) for stub in operator.stubs),
        standardised=(standard.name, sources.schemas.history(standard.name)[0].since_version) if standard else None,
        registered=catalogue.registered.opsets(arrival.op.qualified),
        refusals=_sentences(catalogue.registered.refusals(arrival.op.qualified, HIGHEST_OPSET)),
        candidates=tuple(_report(candidate, lowest, sources, kernels, proofs) for candidate in _with_open(match)),
        reason="" if match.plans else match.no_plan.reason,
    )


def _with_open(match: Match) -> tuple[Candidate, ...]:
    """The candidates; where none of them has a plan, the one that only torch can tell more about."""
    if match.plans or any(candidate.strategy is Strategy.DERIVED for candidate in match.candidates):
        return match.candidates
    return (*match.candidates, Candidate(Strategy.DERIVED, "not tried, as it takes torch: --verify does"))


def _report(candidate: Candidate, lowest: int, sources: Sources, kernels: Kernels, proofs: Proofs) -> CandidateReport:
    plan = candidate.plan
    if plan is None:
        return CandidateReport(candidate.strategy, candidate.verdict)
    try:
        ranges = lower_plan(plan, sources.schemas, load_older_forms(), lowest)
    except NotExpressibleError as error:
        return CandidateReport(candidate.strategy, str(error), plan=plan.body.source)
    return CandidateReport(
        strategy=candidate.strategy,
        verdict=candidate.verdict,
        opsets=tuple((lowered.first, lowered.last) for lowered in ranges),
        parameters=tuple((p.stub_name, _fate(plan.dispositions[p.name])) for p in plan.parameters),
        operators=_operators(ranges[-1], sources, kernels),
        limits=plan.limits,
        plan=plan.body.source,
        evidence=proofs.evidence_of(plan),
        accuracy=proofs.accuracy_of(plan),
    )


def _operators(lowered: LoweredPlan, sources: Sources, kernels: Kernels) -> tuple[OperatorUse, ...]:
    """The operators of the newest form, helpers' included."""
    functions = (lowered.function, *lowered.helpers)
    names = sorted({name for function in functions for name, _ in function.operators})
    return tuple(_operator(name, lowered.last, sources, kernels) for name in names)


def _operator(name: str, opset: int, sources: Sources, kernels: Kernels) -> OperatorUse:
    history = sources.schemas.history(name)
    schema = sources.schemas.at(name, opset)
    types = kernels.types(schema, opset) if schema else frozenset()
    dtypes = tuple(dtype for onnx_type, dtype in _DTYPES.items() if onnx_type in types)
    return OperatorUse(name, history[0].since_version, dtypes)


def _on_one_line(stub: str) -> str:
    return " ".join(line.strip() for line in stub.splitlines())


def _fate(disposition: Disposition) -> str:
    match disposition:
        case Guarded(allowed):
            return f"anything but {allowed} is refused"
        case Ignored(reason):
            return f"ignored: {reason}"
        case _:
            return "used"


def _sentences(refusals: Iterable[Refusal]) -> tuple[str, ...]:
    return tuple(f"{r.message} (where {r.condition})" if r.condition else r.message for r in refusals)
