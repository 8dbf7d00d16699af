"""Puts entries into a comma-separated list of the source, and takes them out, in the style that the list has.

Such a list is the value of `__all__`, or the names of a `from` import. It stands on one line, or has an entry a line,
or several entries on each of several lines; entries may carry comments; a comma may follow the last one.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from symgen.merge.splice import LINE_END, Splice, apply_splices, line_end, line_start
from symgen.merge.style import FileStyle

_COMMENT = re.compile(r"#[^\r\n]*")


@dataclass(frozen=True)
class Entry:
    """One entry of a list: where it stands in the statement, and what it is sorted by."""

    start: int
    end: int
    key: str


@dataclass(frozen=True)
class EntryList:
    """A list inside a statement's text. `opening` and `closing` are what is between its brackets.

    Without brackets they are where the first entry begins and the last ends, and `bracketed` is False.
    """

    text: str
    entries: tuple[Entry, ...]
    opening: int
    closing: int
    bracketed: bool = True
    is_tuple: bool = False

    @property
    def has_trailing_comma(self) -> bool:
        """Whether a comma follows the last entry."""
        return bool(self.entries) and self._comma_after(len(self.entries) - 1) is not None

    def _comma_after(self, index: int) -> int | None:
        end = self.entries[index + 1].start if index + 1 < len(self.entries) else self.closing
        gap = _COMMENT.sub(lambda match: " " * len(match[0]), self.text[self.entries[index].end : end])
        return self.entries[index].end + gap.index(",") if "," in gap else None

    def starts_line(self, index: int) -> bool:
        """Whether an entry is the first thing on its line."""
        entry = self.entries[index]
        return not self.text[line_start(self.text, entry.start) : entry.start].strip()

    def indent(self, index: int) -> str:
        """What stands before an entry that starts its line; spaces up to it for another."""
        entry = self.entries[index]
        before = self.text[line_start(self.text, entry.start) : entry.start]
        return before if not before.strip() else " " * len(before)

    @property
    def one_per_line(self) -> bool:
        """Whether each entry has its own line."""
        starts = [line_start(self.text, entry.start) for entry in self.entries]
        if len(starts) == 1:
            return self.starts_line(0)
        return len(starts) > 1 and len(set(starts)) == len(starts)

    @property
    def grows_by_lines(self) -> bool:
        """Whether an entry can be put anywhere without a change of the lines that are there."""
        return self.has_trailing_comma and not self.on_last_line(len(self.entries) - 1)

    def on_last_line(self, index: int) -> bool:
        """Whether the list ends on the line of an entry."""
        return not LINE_END.search(self.text, self.entries[index].end, self.closing)


def insert_entries(
    listing: EntryList, additions: Sequence[tuple[int, str]], newline: str, style: FileStyle
) -> list[Splice]:
    """The splices that add entries; each addition is the index of the entry before which it goes, and its text."""
    if not additions:
        return []
    if not listing.entries:
        return _fill(listing, [text for _, text in additions], newline, style)
    splices = []
    for index, group in groupby(sorted(additions, key=lambda addition: addition[0]), key=lambda addition: addition[0]):
        splices += list(_insert(listing, index, [text for _, text in group], newline))
    if listing.one_per_line:
        return splices
    return _keep_short(listing, splices, additions, newline, style)


def remove_entries(listing: EntryList, indexes: Collection[int]) -> list[Splice]:
    """The splices that take entries out, with the comments on their lines."""
    kept = [index for index in range(len(listing.entries)) if index not in indexes]
    if not kept:
        return [Splice(listing.opening, listing.closing, "")]
    splices = [_removal(listing, index) for index in sorted(indexes) if index < kept[-1]]
    if kept[-1] < len(listing.entries) - 1:
        splices += _remove_tail(listing, kept[-1])
    if listing.is_tuple and len(kept) == 1 and not listing.has_trailing_comma:
        splices.append(Splice(listing.entries[kept[0]].end, listing.entries[kept[0]].end, ","))
    return _joined(splices)


def sorted_position(keys: Sequence[str], key: str) -> int:
    """Where a key goes: into its place in a sorted list, however it is sorted; at the end of one that is not."""
    ordered = [[order(one) for one in keys] for order in _ORDERS]
    for order, ranks in zip(_ORDERS, ordered, strict=True):
        if all(one <= other for one, other in pairwise(ranks)):
            return bisect.bisect_right(ranks, order(key))
    order, ranks = max(zip(_ORDERS, ordered, strict=True), key=lambda pair: _longest_rise(pair[1]))
    is_kept = len(keys) >= _LONG and _longest_rise(ranks) >= _LARGELY * len(keys)
    return fitting_index(ranks, order(key)) if is_kept else len(keys)


def is_mostly_sorted(names: Sequence[str]) -> bool:
    """Whether all names but a few stand in alphabetical order."""
    return bool(names) and _longest_rise(names) >= _MOSTLY * len(names)


def _longest_rise(names: Sequence[str]) -> int:
    """The length of the longest row of names, not necessarily adjacent, that is in order."""
    ends: list[str] = []
    for name in names:
        index = bisect.bisect_right(ends, name)
        ends[index : index + 1] = [name]
    return len(ends)


def fitting_index(names: Sequence[str], name: str) -> int:
    """The place with the fewest names on the wrong side."""
    wrong = sum(other < name for other in names)
    best, fewest = 0, wrong
    for index, other in enumerate(names, 1):
        wrong += 1 if other > name else -1
        if wrong <= fewest:
            best, fewest = index, wrong
    return best


def natural_order(key: str) -> str:
    """The order of isort and of ruff: constants, classes, the rest, with numbers by value."""
    rank = 0 if key.isupper() else 1 if key[:1].isupper() else 2
    return f"{rank} " + re.sub(r"\d+", lambda match: match[0].zfill(9), key.lower())


_MOSTLY = 0.9
"""A list counts as sorted where this share of it is."""
_LARGELY = 0.8
"""A long list of exports is kept in order where this share of it is."""
_LONG = 10
"""In a list that is shorter a single name out of place says that nobody sorts it."""
_ORDERS: tuple[Callable[[str], str], ...] = (natural_order, str, str.lower)


def _fill(listing: EntryList, texts: Sequence[str], newline: str, style: FileStyle) -> list[Splice]:
    inside = listing.text[listing.opening : listing.closing]
    if LINE_END.search(inside):
        at = line_start(listing.text, listing.closing)
        return [Splice(at, at, "".join(f"{style.indent}{text},{newline}" for text in texts))]
    row = ", ".join(texts) + ("," if listing.is_tuple and len(texts) == 1 else "")
    if len(listing.text.rstrip("\r\n")) - len(inside) + len(row) > style.line_length:
        row = newline + "".join(f"{style.indent}{text},{newline}" for text in texts)
    return [Splice(listing.opening, listing.closing, row)]


def _insert(listing: EntryList, index: int, texts: Sequence[str], newline: str) -> Iterator[Splice]:
    if not listing.one_per_line:
        yield from _insert_inline(listing, index, texts)
    elif index == len(listing.entries):
        yield from _append_lines(listing, texts, newline)
    elif listing.starts_line(index):
        above = listing.entries[index - 1].end if index else listing.opening
        at = line_end(listing.text, above)
        yield Splice(at, at, "".join(f"{listing.indent(index)}{text},{newline}" for text in texts))
    else:
        at = listing.entries[index].start
        yield Splice(at, at, "".join(f"{text},{newline}{listing.indent(index)}" for text in texts))


def _insert_inline(listing: EntryList, index: int, texts: Sequence[str]) -> Iterator[Splice]:
    if index < len(listing.entries):
        at = listing.entries[index].start
        yield Splice(at, at, "".join(f"{text}, " for text in texts))
    else:
        at = listing.entries[-1].end
        yield Splice(at, at, "".join(f", {text}" for text in texts))
    if listing.is_tuple and len(listing.entries) == 1 and listing.has_trailing_comma:
        comma = listing._comma_after(0)
        assert comma is not None
        yield Splice(comma, comma + 1, "")


def _append_lines(listing: EntryList, texts: Sequence[str], newline: str) -> Iterator[Splice]:
    last = len(listing.entries) - 1
    indent, end = listing.indent(last), listing.entries[last].end
    if listing.on_last_line(last):
        at = end if not listing.has_trailing_comma else (listing._comma_after(last) or end) + 1
        lines = f",{newline}".join(f"{indent}{text}" for text in texts)
        yield Splice(at, at, f"{newline}{lines}," if listing.has_trailing_comma else f",{newline}{lines}")
        return
    if not listing.has_trailing_comma:
        yield Splice(end, end, ",")
    at = line_end(listing.text, end)
    lines = f",{newline}".join(f"{indent}{text}" for text in texts)
    yield Splice(at, at, f"{lines}{',' if listing.has_trailing_comma else ''}{newline}")


def _keep_short(
    listing: EntryList, splices: list[Splice], additions: Sequence[tuple[int, str]], newline: str, style: FileStyle
) -> list[Splice]:
    """The same splices, or longer ones where a line would get too long."""
    body = listing.text.rstrip("\r\n")
    after = apply_splices(listing.text, splices).rstrip("\r\n")
    if all(len(line) <= style.line_length for line in LINE_END.split(after)):
        return splices
    if LINE_END.search(body):
        return [_on_new_line(listing, splice, newline) for splice in splices]
    if "#" in body[listing.closing :]:
        return splices
    old = [listing.text[entry.start : entry.end] for entry in listing.entries]
    for index, text in sorted(additions, key=lambda addition: addition[0])[::-1]:
        old.insert(index, text)
    rows = newline + "".join(f"{style.indent}{text},{newline}" for text in old)
    return [Splice(listing.opening, listing.closing, rows if listing.bracketed else f"({rows})")]


def _on_new_line(listing: EntryList, splice: Splice, newline: str) -> Splice:
    indent = next((listing.indent(i) for i in range(len(listing.entries)) if listing.starts_line(i)), "    ")
    if splice.text.startswith(", "):
        return Splice(splice.start, splice.end, f",{newline}{indent}{splice.text[2:]}")
    if splice.text.endswith(", "):
        return Splice(splice.start, splice.end, f"{splice.text[:-1]}{newline}{indent}")
    return splice


def _removal(listing: EntryList, index: int) -> Splice:
    """Takes out an entry that another one follows."""
    entry, following = listing.entries[index], listing.entries[index + 1]
    if listing.starts_line(index) and listing.starts_line(index + 1):
        return Splice(line_start(listing.text, entry.start), line_end(listing.text, entry.end), "")
    return Splice(entry.start, following.start, "")


def _remove_tail(listing: EntryList, kept: int) -> list[Splice]:
    """Takes out all entries behind the last that is kept."""
    first, last = listing.entries[kept + 1], listing.entries[-1]
    if listing.starts_line(kept + 1) and not listing.on_last_line(len(listing.entries) - 1):
        lines = Splice(line_start(listing.text, first.start), line_end(listing.text, last.end), "")
        comma = listing._comma_after(kept)
        if listing.has_trailing_comma or comma is None:
            return [lines]
        return [Splice(comma, comma + 1, ""), lines]
    if listing.starts_line(kept + 1) and listing.has_trailing_comma:
        comma = listing._comma_after(kept)
        end = listing._comma_after(len(listing.entries) - 1)
        assert comma is not None
        assert end is not None
        return [Splice(comma, end, "")]
    return [Splice(listing.entries[kept].end, last.end, "")]


def _joined(splices: list[Splice]) -> list[Splice]:
    """Adjacent deletions as they are; overlapping ones as one."""
    result: list[Splice] = []
    for splice in sorted(splices, key=lambda one: (one.start, one.end)):
        if result and splice.start < result[-1].end:
            result[-1] = Splice(result[-1].start, max(result[-1].end, splice.end), result[-1].text + splice.text)
        else:
            result.append(splice)
    return result
