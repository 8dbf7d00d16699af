"""Changes of a text as splices, and the way from a syntax tree's positions to the text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

LINE_END = re.compile(r"\r\n|\r|\n")
"""What ends a line for Python; a form feed or another separator of Unicode doesn't."""


@dataclass(frozen=True)
class Splice:
    """`text` takes the place of what stands from `start` to `end`."""

    start: int
    end: int
    text: str

    def moved(self, offset: int) -> Splice:
        """The same splice of a text in which this one begins at `offset`."""
        return Splice(self.start + offset, self.end + offset, self.text)


def apply_splices(text: str, splices: Iterable[Splice]) -> str:
    """The text with all splices in it; several insertions at one place come in the order in which they are given.

    Raises:
        ValueError: where two splices overlap that are not both deletions.
    """
    parts, done, last = list[str](), 0, ""
    for splice in sorted(splices, key=lambda splice: (splice.start, splice.end)):
        if splice.start < done and (splice.text or last):
            raise ValueError(f"splices overlap at {splice.start}")
        parts += (text[done : splice.start], splice.text)
        done, last = max(done, splice.end), splice.text
    return "".join([*parts, text[done:]])


def newline_before(text: str, position: int) -> str:
    """The line end that a line inserted at `position` gets: the nearest above, else the first of all."""
    end = text.rfind("\n", 0, position)
    if end >= 0:
        return "\r\n" if text[end - 1 : end] == "\r" else "\n"
    first = LINE_END.search(text)
    return first[0] if first else "\n"


def line_end(text: str, position: int) -> int:
    """Where the line that holds `position` ends, its line end included."""
    match = LINE_END.search(text, position)
    return match.end() if match else len(text)


def line_start(text: str, position: int) -> int:
    """Where the line that holds `position` begins."""
    return max(text.rfind("\n", 0, position), text.rfind("\r", 0, position)) + 1


class Positions:
    """Offsets of the nodes of a tree that `ast` made of a text."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _line_starts(self) -> tuple[int, ...]:
        return (0, *(match.end() for match in LINE_END.finditer(self.text)))

    def start(self, node: ast.expr | ast.stmt | ast.alias) -> int:
        """The first character of a node."""
        return self._offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt | ast.alias) -> int:
        """The character after a node."""
        return self._offset(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def _offset(self, line: int, utf8_column: int) -> int:
        start = self._line_starts[line - 1]
        row = self.text[start : start + utf8_column]
        return start + (utf8_column if row.isascii() else len(row.encode()[:utf8_column].decode()))
