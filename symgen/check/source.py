"""A file's text, with the way from the parser's positions to characters and bytes."""

from __future__ import annotations

import ast
import codecs
import re
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

_LINE_END = re.compile(r"\r\n|\r|\n")
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK_OR_COMMENT = re.compile(rb"^[ \t\f]*(?:#.*)?$")


class UndecodableError(ValueError):
    """The bytes are not text in the encoding that they declare."""


@dataclass(frozen=True)
class Source:
    """The text of a file as it stands, line ends and all."""

    path: str
    text: str

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Where each line begins, as Python's own parser counts lines (a form feed ends none)."""
        if "\r" in self.text:
            return (0, *(match.end() for match in _LINE_END.finditer(self.text)))
        return (0, *accumulate(len(line) + 1 for line in self.text.split("\n")))[:-1]

    @cached_property
    def _is_ascii(self) -> bool:
        return self.text.isascii()

    def line(self, number: int) -> str:
        """A line by its number, counted from 1, with its line end."""
        starts = self.line_starts
        return self.text[starts[number - 1] : starts[number] if number < len(starts) else None]

    def offset(self, line: int, utf8_column: int) -> int:
        """The character at a position as `ast` gives it: a line from 1, a column in bytes of UTF-8."""
        start = self.line_starts[line - 1]
        if self._is_ascii:
            return start + utf8_column
        before = self.line(line).encode("utf-8", "surrogatepass")[:utf8_column]
        return start + len(before.decode("utf-8", "surrogatepass"))

    def start(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias) -> int:
        """The first character of a node."""
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias) -> int:
        """The character after a node."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.end_lineno, node.end_col_offset)

    def segment(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias) -> str:
        """A node's own text."""
        return self.text[self.start(node) : self.end(node)]

    def column(self, line: int, utf8_column: int) -> int:
        """A column for people: in characters, counted from 1."""
        return self.offset(line, utf8_column) - self.line_starts[line - 1] + 1


def detect_encoding(content: bytes) -> str:
    """The encoding of a Python file: its byte order mark's, its cookie's, else UTF-8.

    Raises:
        UndecodableError: where a cookie names an encoding that Python lacks.
    """
    if content.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    for line in content.split(b"\n", 2)[:2]:
        cookie = _COOKIE.match(line)
        if cookie:
            name = cookie[1].decode("ascii")
            try:
                return codecs.lookup(name).name
            except LookupError:
                raise UndecodableError(f"unknown encoding: {name}") from None
        if not _BLANK_OR_COMMENT.match(line.rstrip(b"\r")):
            break
    return "utf-8"


def decode(content: bytes) -> str:
    """The text of a Python file, with its line ends as they are and without a byte order mark.

    Raises:
        UndecodableError: where the bytes don't fit the encoding.
    """
    encoding = detect_encoding(content)
    try:
        return content.decode(encoding)
    except UnicodeError as error:
        raise UndecodableError(f"the bytes are not {encoding}: {error}") from None
