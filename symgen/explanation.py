"""Explains how operators would be translated, without running anything: what `symgen match` prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from symgen.config import Config, Target
from symgen.introspect.newer_operators import load_newer_operators, load_newest_converted
from symgen.introspect.onnx_schemas import HIGHEST_OPSET
from symgen.introspect.refusals import Refusal
from symgen.introspect.runtime_kernels import Kernels
from symgen.introspect.torchlib_functions import load_torchlib_names
from symgen.lower.lowering import LoweredPlan, lower_plan
from symgen.lower.older_forms import load_older_forms
from symgen.lower.torchlib import TORCHLIB_OPSET
from symgen.lower.torchlib_forms import torchlib_forms
from symgen.lower.versions import NotExpressibleError
from symgen.match.matcher import Candidate, Match
from symgen.match.same_name import operator_of_same_name
from symgen.model.accuracy import Accuracy
from symgen.model.explanation import CandidateReport, Declared, Explanation, OperatorUse
from symgen.model.names import OpName, parse_op_name
from symgen.model.plan import Disposition, Guarded, Ignored, Plan
from symgen.model.result import Evidence, Strategy
from symgen.sources import Sources, arrival_in, match_in

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
    explainer = _Explainer(config.target, config.opset or config.target.opsets[0], sources, kernels, proofs)
    return tuple(explainer.explain(text, name) for text, name in zip(asked, names, strict=True))


@dataclass(frozen=True)
class _Explainer:
    """What the explanations of a run draw on."""

    target: Target
    lowest: int
    sources: Sources
    kernels: Kernels
    proofs: Proofs

    def explain(self, asked: str, name: OpName) -> Explanation:
        """One operator."""
        catalogue = self.sources.catalogue
        arrival = arrival_in(self.sources, name, self.target)
        operator = catalogue.operator(arrival.op)
        match = match_in(self.sources, arrival.op)
        newest = self.sources.schemas.newest if self._is_dynamo else HIGHEST_OPSET
        standard = operator_of_same_name(arrival.op, self.sources.schemas, newest)
        history = self.sources.schemas.history(standard.name) if standard else ()
        return Explanation(
            asked=asked,
            op=arrival.op.qualified,
            arrival=arrival.reason,
            overloads=tuple(Declared(str(schema), schema.location) for schema in operator.overloads),
            stubs=tuple(Declared(_on_one_line(str(stub)), stub.location) for stub in operator.stubs),
            standardised=(standard.name, history[0].since_version) if standard else None,
            standard_reach=_reach_of(standard.name) if standard else "",
            registered=self._registered(arrival.op),
            refusals=self._refusals(arrival.op),
            candidates=tuple(self._report(candidate) for candidate in _with_open(match)),
            exporter="dynamo" if self._is_dynamo else "torchscript",
            reach=self._reach(),
            reason="" if match.plans else match.no_plan.reason,
        )

    @property
    def _is_dynamo(self) -> bool:
        return self.target is Target.TORCHLIB

    def _registered(self, op: OpName) -> tuple[int, ...]:
        if self._is_dynamo:
            return (TORCHLIB_OPSET,) if op.qualified in load_torchlib_names() else ()
        return self.sources.catalogue.registered.opsets(op.qualified)

    def _refusals(self, op: OpName) -> tuple[str, ...]:
        if self._is_dynamo:
            return ()
        return _sentences(self.sources.catalogue.registered.refusals(op.qualified, HIGHEST_OPSET))

    def _reach(self) -> str:
        if not self._is_dynamo:
            return ""
        newest = load_newest_converted()
        converts = f"converts them, up to opset {newest}" if newest else "converts them"
        written = f"symgen writes functions for {self.target.opsets[0]} to {self.target.opsets[-1]}"
        return f"builds models of opset {TORCHLIB_OPSET} and {converts}; {written}"

    def _report(self, candidate: Candidate) -> CandidateReport:
        plan = candidate.plan
        if plan is None:
            return CandidateReport(candidate.strategy, candidate.verdict)
        try:
            ranges = self._ranges(plan)
        except NotExpressibleError as error:
            return CandidateReport(candidate.strategy, str(error), plan=plan.body.source)
        return CandidateReport(
            strategy=candidate.strategy,
            verdict=candidate.verdict,
            opsets=tuple((max(lowered.first, self.lowest), lowered.last) for lowered in ranges),
            parameters=tuple((p.stub_name, _fate(plan.dispositions[p.name])) for p in plan.parameters),
            operators=self._operators(ranges[-1]),
            limits=plan.limits,
            plan=plan.body.source,
            evidence=self.proofs.evidence_of(plan),
            accuracy=self.proofs.accuracy_of(plan),
        )

    def _ranges(self, plan: Plan) -> tuple[LoweredPlan, ...]:
        """The forms of a plan, from the lowest opset that is wanted on."""
        schemas = self.sources.schemas
        if self._is_dynamo:
            forms = torchlib_forms(plan, schemas, self.target.opsets[-1])
            return tuple(form for form in forms if form.last >= self.lowest)
        return lower_plan(plan, schemas, load_older_forms(), self.lowest)

    def _operators(self, lowered: LoweredPlan) -> tuple[OperatorUse, ...]:
        """The operators of the newest form, helpers' included."""
        functions = (lowered.function, *lowered.helpers)
        names = sorted({name for function in functions for name, _ in function.operators})
        return tuple(self._operator(name, lowered.last) for name in names)

    def _operator(self, name: str, opset: int) -> OperatorUse:
        history = self.sources.schemas.history(name)
        schema = self.sources.schemas.at(name, opset)
        types = self.kernels.types(schema, opset) if schema else frozenset()
        dtypes = tuple(dtype for onnx_type, dtype in _DTYPES.items() if onnx_type in types)
        return OperatorUse(name, history[0].since_version, dtypes, _reach_of(name))


def _reach_of(name: str) -> str:
    """What the dynamo exporter and the runtime reach of an operator that is newer than most."""
    newer = load_newer_operators().get(name)
    return str(newer) if newer else ""


def _with_open(match: Match) -> tuple[Candidate, ...]:
    """The candidates; where none of them has a plan, the one that only torch can tell more about."""
    if match.plans or any(candidate.strategy is Strategy.DERIVED for candidate in match.candidates):
        return match.candidates
    return (*match.candidates, Candidate(Strategy.DERIVED, "not tried, as it takes torch: --verify does"))


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
