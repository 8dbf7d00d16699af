"""Which operators can be exported, by whom and from which opset on, and why the rest can't be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symgen.config import HIGHEST_OPSET, LOWEST_OPSET
from symgen.lower.emitter import Emitter
from symgen.lower.lowering import lower_at
from symgen.lower.older_forms import load_older_forms
from symgen.lower.torchscript import TORCHSCRIPT
from symgen.lower.versions import NotExpressibleError
from symgen.match.matcher import Match
from symgen.model.names import OpName
from symgen.model.plan import Plan
from symgen.model.result import Strategy
from symgen.sources import Sources, match_in


@dataclass(frozen=True)
class CoverageRow:
    """One operator; an opset of None says that this one doesn't serve it at all."""

    op: str
    arrives_as: str
    """The name that reaches the TorchScript exporter; the rest of the row speaks of that one."""
    declared: bool
    """Whether a `.pyi` of torch declares it."""
    torch: tuple[int, ...]
    """The opsets at which torch registers a function."""
    symgen: int | None
    """The lowest opset from which symgen has a translation."""
    strategy: Strategy
    family: str
    reason: str
    """Why neither serves it; empty where one does."""

    def served_by(self, opset: int) -> str:
        """`torch`, `symgen` or `neither`: who serves the operator in an export at an opset."""
        if any(since <= opset for since in self.torch):
            return "torch"
        return "symgen" if self.symgen is not None and self.symgen <= opset else "neither"


def list_coverage(sources: Sources, names: Sequence[OpName] = ()) -> tuple[CoverageRow, ...]:
    """A row for each of the names; without any, for every forward operator with a public name, sorted.

    Raises:
        UnknownNameError: where nothing declares an operator.
    """
    for name in names:
        sources.catalogue.operator(name)
    return tuple(_row(name, sources) for name in names or forward_operators(sources))


def forward_operators(sources: Sources) -> tuple[OpName, ...]:
    """Every forward operator with a public name, sorted."""
    return tuple(name for name in sources.catalogue if is_forward(name.base))


def is_forward(base: str) -> bool:
    """Whether it is a public operator and no gradient."""
    return not base.startswith("_") and not base.endswith("_") and "backward" not in base.split("_")


def count_coverage(rows: Sequence[CoverageRow], opset: int) -> Mapping[str, int]:
    """How many operators are served by whom at an opset."""
    counts = Counter(row.served_by(opset) for row in rows)
    return {name: counts[name] for name in ("torch", "symgen", "neither")}


def _row(name: OpName, sources: Sources) -> CoverageRow:
    catalogue = sources.catalogue
    arrival = catalogue.arrives_as(name).op
    registered = catalogue.registered.opsets(arrival.qualified)
    match = match_in(sources, arrival)
    lowest, reason = _lowest_opset(match, sources)
    return CoverageRow(
        op=name.qualified,
        arrives_as=arrival.qualified,
        declared=bool(catalogue.stubs.of_torch(name.base)),
        torch=registered,
        symgen=lowest,
        strategy=match.plans[0].strategy if lowest is not None else Strategy.NONE,
        family=match.plans[0].family if match.plans else "",
        reason="" if registered or lowest is not None else reason,
    )


def _lowest_opset(match: Match, sources: Sources) -> tuple[int | None, str]:
    """The lowest opset at which the first plan can be said, or why there is none."""
    if not match.plans:
        return None, match.no_plan.reason
    return lowest_opset(match.plans[0], sources, range(LOWEST_OPSET, HIGHEST_OPSET + 1))


def lowest_opset(plan: Plan, sources: Sources, opsets: range, emitter: Emitter = TORCHSCRIPT) -> tuple[int | None, str]:
    """The lowest of some opsets at which the plan can be said, or why there is none.

    What can be said at one opset can be said at every later one.
    """

    def objection(opset: int) -> NotExpressibleError | None:
        try:
            lower_at(plan, sources.schemas, load_older_forms(), opset, emitter=emitter)
        except NotExpressibleError as error:
            return error
        return None

    served = range(max(opsets.start, plan.since), opsets.stop)
    if not served:
        return None, f"it can be said from opset {plan.since} on"
    opset, first = served[0], objection(served[0])
    if first is None:
        return opset, ""
    if last := objection(served[-1]):
        return None, str(last)
    while first is not None:
        opset = max(opset + 1, first.since)
        first = objection(opset)
    return opset, ""
