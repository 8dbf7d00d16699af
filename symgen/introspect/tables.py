"""Reads the tables that come with symgen: columns between tabs; empty lines and those after a # are passed over."""

from __future__ import annotations

from collections.abc import Iterator

from symgen.errors import ParseError
from symgen.model.location import Location


def rows_of(text: str, path: str, columns: int) -> Iterator[list[str]]:
    """The rows of a table with so many columns.

    Raises:
        ParseError: where a line has another number of them.
    """
    for number, line in enumerate(text.splitlines(), start=1):
        if not line or line.startswith("#"):
            continue
        row = line.split("\t")
        if len(row) != columns:
            raise ParseError(f"{len(row)} columns instead of {columns}", location=Location(path, number))
        yield row
