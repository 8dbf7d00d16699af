"""The findings for scripts; the keys are part of the command-line contract."""

from __future__ import annotations

import json
from collections.abc import Sequence

from symgen.check.findings import Finding


def render(findings: Sequence[Finding]) -> str:
    """A list of objects, empty where there is nothing to say."""
    return json.dumps([_record(finding) for finding in findings], indent=2)


def _record(finding: Finding) -> dict[str, object]:
    return {
        "code": finding.code,
        "path": finding.location.path,
        "line": finding.location.line,
        "column": finding.location.column,
        "message": finding.message,
        "fix": finding.fix,
    }
