"""Makes a plan of a knowledge entry: every parameter accounted for, promotion and helpers found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symgen.match.knowledge import Entry, Knowledge
from symgen.match.promotion import promotion_rule
from symgen.match.vocabulary import foreign_names
from symgen.model.names import OpName
from symgen.model.plan import (
    Disposition,
    Guarded,
    Ignored,
    Mapped,
    Parameter,
    Plan,
    PlanError,
    PlanFunction,
    Promotion,
    PromotionKind,
)
from symgen.model.result import Strategy
from symgen.model.schema import AtenSchema

WITHOUT_INFLUENCE: Mapping[str, str] = {
    "layout": "ONNX tensors are all strided",
    "device": "ONNX Runtime places tensors itself",
    "pin_memory": "ONNX Runtime places tensors itself",
    "memory_format": "ONNX tensors are all contiguous",
    "generator": "ONNX operators keep their own random state",
    "non_blocking": "ONNX Runtime schedules copies itself",
}
"""Arguments that never change a result, for every operator that has them."""


def plan_from_entry(
    entry: Entry, op: OpName, overloads: Sequence[AtenSchema], parameters: Sequence[Parameter], knowledge: Knowledge
) -> Plan:
    """The plan that an entry of the knowledge stands for.

    Raises:
        PlanError: where the entry leaves a parameter out, names one that the operator lacks, or isn't in the language.
    """
    return plan_with_helpers(entry, op, overloads, parameters, knowledge.helpers_of(entry.function, entry.family))


def plan_with_helpers(
    entry: Entry,
    op: OpName,
    overloads: Sequence[AtenSchema],
    parameters: Sequence[Parameter],
    helpers: tuple[PlanFunction, ...],
) -> Plan:
    """The plan that an entry stands for, whose body calls these helpers.

    Raises:
        PlanError: where the entry leaves a parameter out, names one that the operator lacks, or isn't in the language.
    """
    promotion = _promotion(entry, op, parameters)
    _check_vocabulary(entry, helpers)
    return Plan(
        op=op,
        overloads=tuple(overloads),
        parameters=tuple(parameters),
        dispositions=_dispositions(entry, op, parameters),
        body=entry.function,
        strategy=Strategy.DECOMPOSITION,
        why=f"an entry of the family {entry.family}",
        promotion=promotion,
        helpers=helpers,
        family=entry.family,
        since=entry.since,
        graph_values=entry.values,
        returns_list=entry.returns_list,
        quantized=entry.quantized,
        limits=entry.limits,
        dynamo_only=entry.dynamo_only,
        torchscript_only=entry.torchscript_only,
        summary=entry.summary,
    )


def _check_vocabulary(entry: Entry, helpers: Sequence[PlanFunction]) -> None:
    for function in (entry.function, *helpers):
        foreign = foreign_names(function, [helper.name for helper in helpers])
        if foreign:
            message = f"{function.name} names what the plan language doesn't have: {', '.join(foreign)}"
            raise PlanError(message, location=entry.location)


def _promotion(entry: Entry, op: OpName, parameters: Sequence[Parameter]) -> Promotion | None:
    """What the entry says, completed by the promotion table."""
    rule = promotion_rule(op.base, parameters)
    promoted = entry.promote if entry.promote is not None else rule.parameters if rule else ()
    if not promoted:
        return None
    kind = PromotionKind(entry.kind) if entry.kind else rule.kind if rule else PromotionKind.DEFAULT
    return Promotion(kind, promoted, entry.widen, entry.as_float, entry.precise, entry.unrounded)


def _dispositions(entry: Entry, op: OpName, parameters: Sequence[Parameter]) -> dict[str, Disposition]:
    function = entry.function.shared_tree
    if function.args.vararg is not None:
        return {parameter.name: Mapped() for parameter in parameters}
    named = {*entry.function.arguments}
    unknown = {*named, *entry.only, *entry.ignore, *entry.quantized} - {parameter.name for parameter in parameters}
    if unknown:
        raise PlanError(f"{op} has no parameter {', '.join(sorted(unknown))}", location=entry.location)
    read = entry.function.reads
    found: dict[str, Disposition] = {}
    for parameter in parameters:
        name = parameter.name
        if name in entry.only:
            found[name] = Guarded(repr(entry.only[name]))
        elif name in entry.ignore:
            found[name] = Ignored(entry.ignore[name])
        elif name in named and name in read:
            found[name] = Mapped()
        elif name in WITHOUT_INFLUENCE:
            found[name] = Ignored(WITHOUT_INFLUENCE[name])
    return found
