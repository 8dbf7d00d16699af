"""One line a finding, as compilers write them."""

from __future__ import annotations

from collections.abc import Sequence

from symgen.check.findings import Finding


def render(findings: Sequence[Finding]) -> str:
    """`path:line:column: CODE message (fix)`, a line each."""
    return "\n".join(f"{finding.location}: {finding.code} {sentence(finding)}" for finding in findings)


def sentence(finding: Finding) -> str:
    """The message with the fix in parentheses."""
    return f"{finding.message} ({finding.fix})" if finding.fix else finding.message
