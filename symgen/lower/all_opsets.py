"""Lowers a plan for files in which one function serves every opset from its own on, as those of torch itself."""

from __future__ import annotations

from dataclasses import replace

from symgen.lower.lowering import LOWEST_OPSET, LoweredPlan, OlderForms, lower_at, lower_plan
from symgen.lower.versions import NEWEST_OPSET, NotExpressibleError, Schemas
from symgen.model.plan import Plan


def lower_for_all(
    plan: Plan, schemas: Schemas, older_forms: OlderForms, lowest: int = LOWEST_OPSET
) -> tuple[LoweredPlan, ...]:
    """The plan's code in as few ranges as can be: functions ask for the opset where an operator has an older form.

    Raises:
        NotExpressibleError: where even the newest opset cannot say it.
    """
    first = lower_plan(plan, schemas, older_forms, lowest)[0].first
    ranges: list[LoweredPlan] = []
    for opset in range(first, NEWEST_OPSET + 1):
        if ranges and _serves(ranges[-1], opset, schemas, older_forms):
            ranges[-1] = replace(ranges[-1], last=opset)
        else:
            ranges.append(lower_at(plan, schemas, older_forms, opset, oldest=opset))
    return tuple(ranges)


def _serves(lowered: LoweredPlan, opset: int, schemas: Schemas, older_forms: OlderForms) -> bool:
    """Whether the code of a range is right at a later opset too."""
    try:
        return lowered.code == lower_at(lowered.plan, schemas, older_forms, opset, oldest=lowered.first).code
    except NotExpressibleError:
        return False
