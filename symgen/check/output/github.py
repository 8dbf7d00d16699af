"""Workflow commands of GitHub Actions, which become annotations on a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from symgen.check.findings import Finding
from symgen.check.output.text import sentence

_IN_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY = {**_IN_MESSAGE, **str.maketrans({":": "%3A", ",": "%2C"})}


def render(findings: Sequence[Finding]) -> str:
    """`::error file=…,line=…,col=…,title=CODE::message`, a line each."""
    return "\n".join(map(_command, findings))


def _command(finding: Finding) -> str:
    place = finding.location
    properties = {"file": place.path, "line": place.line, "col": place.column, "title": f"symgen {finding.code}"}
    listed = ",".join(f"{name}={str(value).translate(_IN_PROPERTY)}" for name, value in properties.items())
    return f"::error {listed}::{sentence(finding).translate(_IN_MESSAGE)}"
