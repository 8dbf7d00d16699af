"""Workflow commands of GitHub Actions, which become annotations on a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from symgen.check.findings import Finding
from symgen.check.output.text import sentence
from symgen.model.location import Location

_IN_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY = {**_IN_MESSAGE, **str.maketrans({":": "%3A", ",": "%2C"})}


def render(findings: Sequence[Finding]) -> str:
    """`::error file=…,line=…,col=…,title=CODE::message`, a line each."""
    return "\n".join(annotation(one.location, f"symgen {one.code}", sentence(one)) for one in findings)


def annotation(place: Location, title: str, message: str) -> str:
    """The command that makes an annotation at a place; without a column on the whole line."""
    properties = {"file": place.path, "line": place.line, **({"col": place.column} if place.column else {})}
    written = {**properties, "title": title}
    listed = ",".join(f"{name}={str(value).translate(_IN_PROPERTY)}" for name, value in written.items())
    return f"::error {listed}::{message.translate(_IN_MESSAGE)}"
