"""From the traces of torch's own decomposition to a plan."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence
from dataclasses import replace

from symgen.match.derived.branches import merged
from symgen.match.derived.phrases import SAYABLE, CannotBeSaidError
from symgen.match.derived.text import Writer, Written
from symgen.match.derived.vocabulary import Vocabulary
from symgen.match.knowledge import Entry
from symgen.match.parameters import merge_parameters
from symgen.match.planner import WITHOUT_INFLUENCE, plan_with_helpers
from symgen.match.promotion import promotion_rule
from symgen.model.location import Location
from symgen.model.names import OpName
from symgen.model.plan import Parameter, Plan, PlanError, PlanFunction, PromotionKind, names_read
from symgen.model.result import Strategy
from symgen.model.schema import AtenSchema
from symgen.model.traces import Traced

FAMILY = "derived"
_SEEN_BEST = (PromotionKind.LIKE_FIRST, PromotionKind.DOUBLE)
"""Kinds that the table of promotions lacks."""
WHY = "derived from torch's own decomposition, the same for all ranks and arguments that were tried"


def derived_plan(
    op: OpName, overloads: Sequence[AtenSchema], stub_names: Sequence[str], traced: Traced, vocabulary: Vocabulary
) -> Plan | str:
    """The plan that the traces make, or why they make none."""
    parameters = merge_parameters(overloads, stub_names)
    if parameters is None:
        return "the overloads disagree on what an argument's position means"
    if not traced.traces:
        return traced.reason
    tree = merged(traced.traces)
    if tree is None:
        return "torch decomposes it in ways that neither ranks nor arguments explain"
    anchor = next(iter(traced.promoted or traced.traces[0].ranks))
    try:
        written = Writer(str(op), anchor, [p.name for p in parameters], vocabulary).write(tree)
    except CannotBeSaidError as error:
        return f"torch decomposes it into aten::{error}, which there is no translation for"
    try:
        return _plan(op, overloads, parameters, traced, written, vocabulary)
    except (PlanError, SyntaxError) as error:
        return f"what torch's decomposition makes is no plan: {error}"


def _plan(
    op: OpName,
    overloads: Sequence[AtenSchema],
    parameters: Sequence[Parameter],
    traced: Traced,
    written: Written,
    vocabulary: Vocabulary,
) -> Plan:
    read = {name for name in _names_in(written.text) if name in {p.name for p in parameters}}
    ignored, fixed = {}, {}
    for parameter in parameters:
        if parameter.name in read or parameter.name in WITHOUT_INFLUENCE:
            continue
        values = {repr(trace.known.get(parameter.name)) for trace in traced.traces}
        if len(values) > 1:
            ignored[parameter.name] = "torch's own decomposition is the same for all its values"
        else:
            fixed[parameter.name] = traced.traces[0].known.get(parameter.name)
    arguments = ", ".join(["op", *(p.name for p in parameters if p.name in read)])
    source = f'def {op.identifier}({arguments}):\n    """As torch\'s own decomposition has it."""\n{written.text}'
    rule = promotion_rule(op.base, parameters)
    entry = Entry(
        names=(op.qualified,),
        function=PlanFunction(op.identifier, source),
        family=FAMILY,
        summary="As torch's own decomposition has it.",
        location=Location("", 0),
        promote=None if rule else traced.promoted,
        kind=traced.kind if rule is None or traced.kind in _SEEN_BEST else "",
        ignore=ignored,
        only=fixed,
    )
    helpers = vocabulary.helpers_of(written.helpers, list(written.entries.values()))
    plan = plan_with_helpers(entry, op, overloads, parameters, helpers)
    return replace(plan, strategy=Strategy.DERIVED, why=WHY)


def _names_in(body: str) -> frozenset[str]:
    return names_read(ast.parse(textwrap.dedent(body)))


def sayable_steps(vocabulary: Vocabulary) -> frozenset[str]:
    """The operators that a trace need not decompose."""
    return SAYABLE | vocabulary.names()
