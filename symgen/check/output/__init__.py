"""How findings are written: for people, for scripts, for GitHub's annotations, for tools that read SARIF."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from symgen.check.findings import Finding
from symgen.check.output.github import render_github
from symgen.check.output.json import render_json
from symgen.check.output.sarif import render_sarif
from symgen.check.output.text import render_text

FORMATS: Mapping[str, Callable[[Sequence[Finding]], str]] = {
    "text": render_text,
    "json": render_json,
    "github": render_github,
    "sarif": render_sarif,
}
"""What `--output-format` takes; each gives the text without a last line end, empty where there is nothing to say."""
