"""Comments that say of a finding that it is meant: `# symgen: ignore[SG008] reason`."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping

from symgen.check.findings import Finding
from symgen.check.source import Source

_COMMENT = re.compile(r"#\s*symgen:\s*ignore(?:\[(?P<codes>[^\]]*)\])?(?!\w)")


def without_ignored(findings: Iterable[Finding], source: Source) -> list[Finding]:
    """The findings on which no comment says to ignore them.

    A comment counts for its own line, for the line below where it stands alone, and, anywhere between the first
    decorator of a function and its body, for what is found of the function as a whole. Without codes it counts for all.
    """
    if not _COMMENT.search(source.text):
        return list(findings)
    ignored = _ignored_lines(source)
    return [finding for finding in findings if not _is_ignored(finding, ignored)]


def _is_ignored(finding: Finding, ignored: Mapping[int, frozenset[str]]) -> bool:
    first, last = finding.scope
    lines = {finding.location.line, *range(first, last + 1)}
    codes = frozenset().union(*(ignored.get(line, frozenset()) for line in lines))
    return finding.code in codes or "" in codes


def _ignored_lines(source: Source) -> dict[int, frozenset[str]]:
    lines: dict[int, frozenset[str]] = {}
    for line, text, alone in _comments(source):
        match = _COMMENT.match(text)
        if match:
            codes = frozenset(code.strip() for code in (match["codes"] or "").split(","))
            for number in (line, line + 1) if alone else (line,):
                lines[number] = lines.get(number, frozenset()) | codes
    return lines


def _comments(source: Source) -> Iterator[tuple[int, str, bool]]:
    """Each comment with its line, and whether nothing else stands on that line."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string, not token.line[: token.start[1]].strip()
    except (tokenize.TokenError, SyntaxError):
        return
