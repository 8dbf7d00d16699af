"""What a check says: findings, and the edits that mend them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from symgen.model.location import Location


class Edit(NamedTuple):
    """A replacement of the characters from `start` up to `end` of a file's text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a file: where, why in one line, and what to do about it."""

    code: str
    location: Location
    message: str
    fix: str = ""
    """What mends it, in words; empty where there is no one answer."""
    edits: tuple[Edit, ...] = ()
    """What `--fix` does; empty where a person has to decide."""
    scope: tuple[int, int] = (0, 0)
    """The lines, first and last, on which an ignoring comment counts beside the finding's own line."""

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """Findings are listed by file, place and code."""
        return (self.location.path, self.location.line, self.location.column, self.code, self.message)
