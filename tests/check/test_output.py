"""The forms in which findings are written."""

from __future__ import annotations

import json

import pytest

from symgen.check import Finding
from symgen.check.output import FORMATS, render
from symgen.model.location import Location

FINDINGS = [
    Finding("SG008", Location("a,b/x.py", 3, 7), "f never reads dim", "use it"),
    Finding("SG000", Location("/abs/ä.py", 1, 1), "not a Python file: 100% wrong\n"),
]


def test_text_has_a_line_for_each() -> None:
    text = render(FINDINGS[:1], "text")
    assert text == "a,b/x.py:3:7: SG008 f never reads dim (use it)"


def test_json_is_a_list_of_the_contract_s_objects() -> None:
    assert json.loads(render(FINDINGS, "json")) == [
        {"code": "SG008", "path": "a,b/x.py", "line": 3, "column": 7, "message": "f never reads dim", "fix": "use it"},
        {
            "code": "SG000",
            "path": "/abs/ä.py",
            "line": 1,
            "column": 1,
            "message": "not a Python file: 100% wrong\n",
            "fix": "",
        },
    ]


def test_github_s_commands_are_escaped() -> None:
    assert render(FINDINGS, "github").splitlines() == [
        "::error file=a%2Cb/x.py,line=3,col=7,title=symgen SG008::f never reads dim (use it)",
        "::error file=/abs/ä.py,line=1,col=1,title=symgen SG000::not a Python file: 100%25 wrong%0A",
    ]


def test_sarif_has_rules_and_results_that_point_at_them() -> None:
    log = json.loads(render(FINDINGS, "sarif"))
    (run,) = log["runs"]
    rules, results = run["tool"]["driver"]["rules"], run["results"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in rules] == ["SG000", "SG008"]
    assert [rules[result["ruleIndex"]]["id"] for result in results] == ["SG008", "SG000"]
    (place,) = results[0]["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "a,b/x.py"},
        "region": {"startLine": 3, "startColumn": 7},
    }
    assert results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].startswith("file:///abs/")


@pytest.mark.parametrize("output_format", FORMATS)
def test_nothing_to_say_is_short(output_format: str) -> None:
    text = render([], output_format)
    assert {"text": "", "json": "[]", "github": ""}.get(output_format, text) == text
