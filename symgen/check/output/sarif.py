"""SARIF 2.1.0, which code scanning and many editors read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePath

import symgen
from symgen.check.findings import Finding
from symgen.check.output.text import sentence
from symgen.check.rules import RULES, Rule

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(findings: Sequence[Finding]) -> str:
    """One run with the rules that found something, and a result for each finding."""
    found = {finding.code for finding in findings}
    rules = [rule for rule in RULES if rule.code in found]
    positions = {rule.code: number for number, rule in enumerate(rules)}
    described = [
        {
            "id": rule.code,
            "name": rule.name,
            "shortDescription": {"text": rule.name},
            "fullDescription": {"text": rule.why},
        }
        for rule in rules
    ]
    driver = {"name": "symgen", "version": symgen.__version__, "rules": described}
    results = [_result(finding, positions[finding.code]) for finding in findings]
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    return json.dumps(log, indent=2)


def _described(rule: Rule) -> dict[str, object]:
    texts = {"shortDescription": {"text": rule.name}, "fullDescription": {"text": rule.why}}
    return {"id": rule.code, "name": rule.name, **texts}


def _result(finding: Finding, rule: int) -> dict[str, object]:
    place = finding.location
    region = {"startLine": place.line, "startColumn": place.column}
    uri = PurePath(place.path).as_posix() if not PurePath(place.path).is_absolute() else PurePath(place.path).as_uri()
    return {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": "error",
        "message": {"text": sentence(finding)},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}],
    }
