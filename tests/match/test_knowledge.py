"""The knowledge as a whole: every entry makes a plan for its operator, and names mean one thing each."""

from __future__ import annotations

from collections import Counter

import pytest

from symgen.config import Config
from symgen.lower.lowering import lower_plan
from symgen.lower.older_forms import load_older_forms
from symgen.lower.torchlib import TORCHLIB
from symgen.lower.torchscript import TORCHSCRIPT
from symgen.lower.versions import NotExpressibleError
from symgen.match.knowledge import Knowledge, load_family, load_knowledge
from symgen.model.names import parse_op_name
from symgen.resources import templates_folder
from symgen.sources import Sources, load_sources, match_in

KNOWLEDGE: Knowledge = load_knowledge()


@pytest.fixture(scope="module")
def sources() -> Sources:
    return load_sources(Config())


def test_a_helper_has_a_name_of_its_own() -> None:
    runtime = [path.stem.removeprefix("_") for path in (templates_folder() / "torchscript" / "runtime").glob("*.py")]
    own = [name for path in KNOWLEDGE.paths for name in load_family(path).helpers]
    counts = Counter([*runtime, *own, *load_older_forms().functions])

    assert {name for name, count in counts.items() if count > 1} == set()


def test_an_operator_has_one_entry() -> None:
    names = [name for path in KNOWLEDGE.paths for entry in load_family(path).entries for name in entry.names]

    assert {name for name, count in Counter(names).items() if count > 1} == set()


@pytest.mark.parametrize("name", KNOWLEDGE.names())
def test_an_entry_makes_a_plan_that_can_be_said(name: str, sources: Sources) -> None:
    match = match_in(sources, parse_op_name(name))

    plan = match.plans[0]
    assert plan.summary, "an entry says what it computes"
    emitter = TORCHLIB if plan.dynamo_only else TORCHSCRIPT
    assert lower_plan(plan, sources.schemas, load_older_forms(), emitter=emitter)[-1].last == 20
    other = TORCHSCRIPT if plan.dynamo_only else TORCHLIB
    if foreign := plan.dynamo_only or plan.torchscript_only:
        with pytest.raises(NotExpressibleError, match=foreign):
            lower_plan(plan, sources.schemas, load_older_forms(), emitter=other)


def test_files_are_short() -> None:
    long = {path.name: count for path in KNOWLEDGE.paths if (count := len(path.read_text("utf-8").splitlines())) > 400}
    assert long == {}
