"""The forms of a plan for the dynamo exporter, which stand beside each other in its table."""

from __future__ import annotations

from dataclasses import replace

from symgen.lower.emitter import Emitter
from symgen.lower.lowering import LoweredPlan, lower_plan
from symgen.lower.older_forms import load_older_forms
from symgen.lower.torchlib import TORCHLIB, TORCHLIB_OPSET
from symgen.lower.versions import NotExpressibleError, Schemas
from symgen.model.plan import Plan


def torchlib_forms(plan: Plan, schemas: Schemas, newest: int, emitter: Emitter = TORCHLIB) -> tuple[LoweredPlan, ...]:
    """The first form, and each later one that can stand beside it; each serves until the next, the last to `newest`.

    Raises:
        NotExpressibleError: where no opset can say the plan.
    """
    forms: list[LoweredPlan] = []
    for lowered in _ranges(plan, schemas, newest, emitter):
        if not forms or is_convertible(lowered, forms[0], schemas):
            forms.append(lowered)
    ends = [*(form.first - 1 for form in forms[1:]), newest]
    return tuple(replace(form, last=last) for form, last in zip(forms, ends, strict=True))


def is_convertible(lowered: LoweredPlan, first: LoweredPlan, schemas: Schemas) -> bool:
    """Whether a later form can stand beside the first one, and the exporter takes it for what it means.

    It takes every node for one of its usual opset and converts it from there. So a later form may use operators that
    are new since, but none that has changed since.
    """
    used = {pair for function in (lowered.function, *lowered.helpers) for pair in function.operators}
    helpers = {helper.name: helper for helper in first.helpers}
    if any(helpers.get(helper.name, helper) != helper for helper in lowered.helpers):
        return False
    return all(since <= TORCHLIB_OPSET or schemas.at(name, TORCHLIB_OPSET) is None for name, since in used)


def _ranges(plan: Plan, schemas: Schemas, newest: int, emitter: Emitter) -> tuple[LoweredPlan, ...]:
    """The plan's ranges; an onnx that is older than its newest operators leaves these out."""
    try:
        return lower_plan(plan, schemas, load_older_forms(), TORCHLIB_OPSET, emitter, newest)
    except NotExpressibleError:
        return lower_plan(plan, schemas, load_older_forms(), TORCHLIB_OPSET, emitter)
