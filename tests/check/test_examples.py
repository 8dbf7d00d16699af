"""The examples on the pages of `symgen explain` are each rule's tests."""

from __future__ import annotations

import pytest

from symgen.check import CheckSettings, check_source
from symgen.check.fixing import fix_text
from symgen.check.index.model import CheckIndex
from symgen.check.rules import RULES, Example, Rule
from symgen.check.rules.rule import MARK
from symgen.check.surroundings import NeighbourRegistration

WRONG = [pytest.param(rule, example, id=f"{rule.code}-{n}") for rule in RULES for n, example in enumerate(rule.wrong)]
RIGHT = [pytest.param(rule, example, id=f"{rule.code}-{n}") for rule in RULES for n, example in enumerate(rule.right)]
MENDED = [parameter for parameter in WRONG if parameter.values[1].fixed]


class OnlyRadiansTested:
    """A project whose tests name rad2deg."""

    def neighbours(self, op: str) -> list[NeighbourRegistration]:
        return []

    def is_tested(self, op: str, function: str) -> bool:
        return op == "aten::rad2deg"


def lines_found(rule: Rule, source: str, example: Example, index: CheckIndex) -> list[int]:
    settings = CheckSettings(select=(rule.code,))
    findings = check_source(source, example.name, index, settings, OnlyRadiansTested())
    assert {finding.code for finding in findings} <= {rule.code}
    return sorted({finding.location.line for finding in findings})


@pytest.mark.parametrize(("rule", "example"), WRONG)
def test_a_wrong_example_is_found_on_its_marked_lines_and_no_others(
    rule: Rule, example: Example, index: CheckIndex
) -> None:
    assert example.marked_lines
    assert lines_found(rule, example.source(), example, index) == example.marked_lines


@pytest.mark.parametrize(("rule", "example"), RIGHT)
def test_a_right_example_has_no_finding(rule: Rule, example: Example, index: CheckIndex) -> None:
    assert lines_found(rule, example.source(), example, index) == []


@pytest.mark.parametrize(("rule", "example"), MENDED)
def test_a_mended_example_is_as_its_page_shows(rule: Rule, example: Example, index: CheckIndex) -> None:
    unmarked = "".join(f"{line.partition(MARK)[0].rstrip()}\n" for line in example.source().splitlines())
    text, count = fix_text(unmarked, example.name, index, CheckSettings(select=(rule.code,)))
    assert text == example.source(example.fixed)
    assert count == len(example.marked_lines)


@pytest.mark.parametrize(("rule", "example"), MENDED)
def test_mending_twice_changes_nothing_more(rule: Rule, example: Example, index: CheckIndex) -> None:
    text = example.source(example.fixed)
    assert fix_text(text, example.name, index, CheckSettings(select=(rule.code,))) == (text, 0)


def test_every_code_has_a_page_with_both_kinds_of_examples() -> None:
    assert [rule.code for rule in RULES] == [f"SG{number:03}" for number in range(17)]
    assert all(rule.wrong and rule.right and rule.why for rule in RULES)
