"""How findings are written: for people, for scripts, for GitHub's annotations, for tools that read SARIF."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

from symgen.check.findings import Finding

FORMATS = ("text", "json", "github", "sarif")
"""What `--output-format` takes; each has a module with a function `render`."""


def render(findings: Sequence[Finding], output_format: str) -> str:
    """The findings in one of the formats, without a last line end; empty where there is nothing to say."""
    module = importlib.import_module(f"{__name__}.{output_format}")
    write: Callable[[Sequence[Finding]], str] = module.render
    return write(findings)
