"""Adds names to `__all__`, and takes them out, in the style that the list has."""

from __future__ import annotations

import ast
import bisect
import re

from symgen.check.findings import Edit
from symgen.check.source import Source

_FOLLOWING = re.compile(r"[ \t]*,[ \t]*(?:(?:\r\n|\r|\n)[ \t]*)?")
_OPENING = re.compile(r"[\[(]\s*")


def added(source: Source, display: ast.List | ast.Tuple, name: str) -> Edit:
    """The edit that adds a name: in its place where the list is sorted, else at the end."""
    if not display.elts:
        start = source.start(display)
        opening = _OPENING.match(source.text, start)
        at = opening.end() if opening else start
        return Edit(at, at, f'"{name}"')
    quote = source.segment(display.elts[0])[:1]
    entry = f"{quote}{name}{quote}"
    position = _position(display, name)
    if position == len(display.elts):
        at = source.end(display.elts[-1])
        return Edit(at, at, f",{_separator(source, display)}{entry}")
    at = source.start(display.elts[position])
    return Edit(at, at, f"{entry},{_separator(source, display)}")


def removed(source: Source, display: ast.List | ast.Tuple, entry: ast.expr) -> Edit:
    """The edit that takes an entry out, with the comma that belongs to it."""
    position = display.elts.index(entry)
    start, end = source.start(entry), source.end(entry)
    if position + 1 < len(display.elts):
        following = _FOLLOWING.match(source.text, end)
        return Edit(start, following.end() if following else end, "")
    return Edit(source.end(display.elts[position - 1]), end, "") if position else Edit(start, end, "")


def _position(display: ast.List | ast.Tuple, name: str) -> int:
    names = [element.value for element in display.elts if isinstance(element, ast.Constant)]
    texts = [text for text in names if isinstance(text, str)]
    for key in (str, str.casefold):
        keys = [key(text) for text in texts]
        if keys == sorted(keys) and len(keys) == len(display.elts):
            return bisect.bisect(keys, key(name))
    return len(display.elts)


def _separator(source: Source, display: ast.List | ast.Tuple) -> str:
    """What stands between two entries after the comma: a blank, or a line end with the entries' indentation."""
    last = display.elts[-1]
    own_line = source.line(last.lineno)
    before = own_line[: source.start(last) - source.line_starts[last.lineno - 1]]
    if before.strip():
        return " "
    line_end = re.search(r"(?:\r\n|\r|\n)$", source.line(last.lineno))
    return (line_end[0] if line_end else "\n") + before
