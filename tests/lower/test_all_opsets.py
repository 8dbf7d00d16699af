"""Code that serves every opset from its own on."""

from __future__ import annotations

import pytest

from symgen.config import Config
from symgen.lower.all_opsets import lower_for_all
from symgen.lower.lowering import LoweredPlan, lower_plan
from symgen.lower.older_forms import load_older_forms
from symgen.model.names import parse_op_name
from symgen.sources import Sources, load_sources, match_in


@pytest.fixture(scope="module")
def sources() -> Sources:
    return load_sources(Config())


def lower(op: str, sources: Sources) -> tuple[LoweredPlan, ...]:
    plan = match_in(sources, parse_op_name(op)).plans[0]
    return lower_for_all(plan, sources.schemas, load_older_forms())


def test_an_older_form_gives_way_to_the_operator_at_its_first_opset(sources: Sources) -> None:
    (lowered,) = lower("aten::hypot", sources)
    assert (lowered.first, lowered.last) == (9, 20)
    helpers = {helper.name: "\n".join(helper.body) for helper in lowered.helpers}
    assert helpers["_equal"].startswith("    if g.opset >= 11:\n        return g.op('Equal', a, b)\n")
    assert "if g.opset >= 10:\n        return g.op('IsInf', x, detect_negative_i=" in helpers["_is_infinite"]
    assert dict(next(h.operators for h in lowered.helpers if h.name == "_equal"))["Equal"] == 11


def test_slices_are_the_exporters_own(sources: Sources) -> None:
    (lowered,) = lower("aten::diff", sources)
    assert any("symbolic_helper._slice_helper(g, x, [axis]" in line for h in lowered.helpers for line in h.body)


def test_what_no_older_form_hides_is_a_range_of_its_own(sources: Sources) -> None:
    assert [lowered.first for lowered in lower("aten::logsumexp", sources)] == [9, 18]
    plan = match_in(sources, parse_op_name("aten::logsumexp")).plans[0]
    assert len(lower_plan(plan, sources.schemas, load_older_forms())) >= 2
