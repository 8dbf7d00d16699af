"""Where something stands: a file and a line, carried by every entry that was read from text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Location:
    """A place in a text file. `line` and `column` count from 1; 0 means that the whole file is meant."""

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        parts = [self.path, *(str(number) for number in (self.line, self.column) if number)]
        return ":".join(parts)
