"""Three-way merge of lists of lines: what each side changed since the base, put together where they don't meet."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Lines = Sequence[str]


@dataclass(frozen=True)
class Region:
    """A part of the base with what became of it on both sides."""

    base: Lines
    mine: Lines
    new: Lines

    @property
    def is_conflict(self) -> bool:
        """Whether both sides changed it, each in its own way."""
        return self.mine != self.new and self.base not in (self.mine, self.new)

    @property
    def merged(self) -> Lines:
        """The side that changed it; for a conflict this has no meaning."""
        return self.new if self.mine == self.base else self.mine


@dataclass(frozen=True)
class _Kept:
    """Lines `start` to `end` of the base that both sides have, and where they begin there."""

    start: int
    end: int
    mine: int
    new: int


def merge_regions(base: Lines, mine: Lines, new: Lines) -> Iterator[Region]:
    """The whole text in regions: those that all three share, and between them what one side or both changed."""
    at_base = at_mine = at_new = 0
    for kept in (*_kept_by_both(base, mine, new), _Kept(len(base), len(base), len(mine), len(new))):
        between = Region(base[at_base : kept.start], mine[at_mine : kept.mine], new[at_new : kept.new])
        if between.base or between.mine or between.new:
            yield between
        same = base[kept.start : kept.end]
        if same:
            yield Region(same, same, same)
        length = kept.end - kept.start
        at_base, at_mine, at_new = kept.end, kept.mine + length, kept.new + length


def _kept_by_both(base: Lines, mine: Lines, new: Lines) -> Iterator[_Kept]:
    """Where the runs of lines that each side has in common with the base overlap, in order."""
    ours = list(_common(base, mine))
    theirs = list(_common(base, new))
    while ours and theirs:
        one, other = ours[0], theirs[0]
        start = max(one.a, other.a)
        end = min(one.a + one.size, other.a + other.size)
        if start < end:
            yield _Kept(start, end, one.b + start - one.a, other.b + start - other.a)
        (ours if one.a + one.size < other.a + other.size else theirs).pop(0)


def _common(base: Lines, side: Lines) -> Iterator[difflib.Match]:
    matcher = difflib.SequenceMatcher(None, base, side, autojunk=False)
    return (block for block in matcher.get_matching_blocks() if block.size)
