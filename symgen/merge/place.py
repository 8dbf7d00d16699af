"""Where a new definition goes: among its like in the order of the file, after what it needs, before what closes it."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from symgen.merge.locate import Ground
from symgen.merge.sequence import fitting_index, is_mostly_sorted
from symgen.merge.source import Kind, Statement
from symgen.merge.splice import LINE_END, Splice, line_end, newline_before

_SHORTEST_KINSHIP = 4
_MODELINE = re.compile(r"#.*(\bvi(m)?:|\bex:|-\*-|\bLocal Variables:|\bEnd:|\bkate:|:tabSize)")
_REGISTERED = re.compile(r"""["']([A-Za-z_][\w.]*::\w+)["']""")


@dataclass(frozen=True)
class NewItem:
    """A definition that is to be placed. Its lines end in LF, the last one too."""

    key: str
    name: str
    text: str
    needs: frozenset[str] = frozenset()
    """The keys of the helpers that must stand above it."""
    after: int = -1
    """The last statement that must stand above it, as the one that makes its decorator."""


class _Peer(NamedTuple):
    """A function that others are placed by: its name, and its sort: a namespace of operators, tests, or neither."""

    name: str
    sort: str | None


class Layout:
    """The top level of a file while definitions are being placed: indexes of statements, and new items.

    `helpers` are the keys of the new helpers.
    """

    def __init__(self, ground: Ground, helpers: frozenset[str]) -> None:
        self._helpers = helpers | {key for key in ground.owned if ground.is_helper(key)}
        self._statements = ground.source.statements
        self._text = ground.source.text
        self._top = ground.source.top
        self._owned = ground.owned
        self._items: list[int | NewItem] = [*range(len(self._statements))]
        self._known = {index: peer for index, one in enumerate(self._statements) if (peer := _statement_peer(one))}
        self._is_sorted: dict[str | None, bool] = {}
        self._closing = closing_index(self._statements)

    def place(self, item: NewItem) -> None:
        """Places a function among its like."""
        self._items.insert(max(self._lowest(item), self._among_peers(item)), item)

    def place_helper(self, item: NewItem, users: Collection[str], *, first: bool = False) -> None:
        """Places a helper above all that symgen wrote here but helpers; in a sorted file, above all functions.

        With `first` it goes above all registered functions, for those that come later can be anywhere among them.
        """
        positions = [position for user in users if (position := self._position(user)) is not None]
        positions += [position for position, one in enumerate(self._items) if self._is_generated_function(one)]
        peers = self._peers(None)
        if first or self._sorted(None, peers):
            positions += [position for position, _ in peers[:1]]
        self._items.insert(max(self._lowest(item), min(positions, default=self._end())), item)

    def _position(self, wanted: int | str) -> int | None:
        """Where a statement, or the definition of a key, stands by now."""
        index = self._owned.get(wanted) if isinstance(wanted, str) else wanted
        for position, item in enumerate(self._items):
            if item == index or (isinstance(item, NewItem) and item.key == wanted):
                return position
        return None

    def _lowest(self, item: NewItem) -> int:
        """The first position at which everything that the item needs stands above it."""
        helpers = [] if item.key in self._helpers else [key for key in self._owned if key in self._helpers]
        wanted: list[int | str] = [*item.needs, *helpers, *([item.after] if item.after >= 0 else [])]
        return max((position + 1 for one in wanted if (position := self._position(one)) is not None), default=0)

    def _among_peers(self, item: NewItem) -> int:
        sort = _sort(item.name, item.key)
        peers = self._peers(sort)
        if not peers:
            return self._end()
        names = [name for _, name in peers]
        index = fitting_index(names, item.name) if self._sorted(sort, peers) else family_index(names, item.name)
        return peers[index - 1][0] + 1 if index else peers[0][0]

    def _sorted(self, sort: str | None, peers: Sequence[tuple[int, str]]) -> bool:
        """Whether the functions of a sort are in alphabetical order; the first answer holds for all that are added."""
        return self._is_sorted.setdefault(sort, bool(peers) and is_mostly_sorted([name for _, name in peers]))

    def _peers(self, sort: str | None) -> list[tuple[int, str]]:
        """The functions of one sort with their positions; where there are none, those of any sort, then the public."""
        found = [
            (position, peer)
            for position, item in enumerate(self._items)
            if (
                peer := _Peer(item.name, _sort(item.name, item.key))
                if isinstance(item, NewItem)
                else self._known.get(item)
            )
        ]
        sorts = {peer.sort for _, peer in found}
        same = [(position, name) for position, (name, other) in found if other == sort and sort in sorts - {None}]
        special = [(position, name) for position, (name, other) in found if other is not None]
        return same or special or [(position, name) for position, (name, _) in found if not name.startswith("_")]

    def _is_generated_function(self, item: int | NewItem) -> bool:
        if isinstance(item, NewItem):
            return item.key not in self._helpers
        marker = self._statements[item].marker
        return marker is not None and item == self._owned.get(marker.key) and marker.key not in self._helpers

    def _end(self) -> int:
        """Behind everything but the statements that close the file."""
        has_closing = self._closing < len(self._statements)
        return self._items.index(self._closing) if has_closing else len(self._items)

    def splices(self, blank_lines: int) -> Iterator[Splice]:
        """The insertions of all new items."""
        above, waiting = -1, list[NewItem]()
        for item in [*self._items, len(self._statements)]:
            if isinstance(item, NewItem):
                waiting.append(item)
                continue
            if waiting:
                yield self._insertion(self._statements[above] if above >= 0 else None, waiting, blank_lines)
            above, waiting = item, []

    def _insertion(self, above: Statement | None, items: Iterable[NewItem], blank_lines: int) -> Splice:
        text = self._text
        at = _behind(text, above) if above else self._top
        newline = newline_before(text, at)
        gap = newline * blank_lines
        code = "".join(gap + LINE_END.sub(lambda _: newline, item.text) for item in items)
        code = code if text[:at].strip("\r\n") else code.removeprefix(gap)
        if at and text[at - 1] not in "\r\n":
            code = newline + code.removesuffix(newline)
        if text[at : at + 1].strip() and not _begins_with_modeline(text, at):
            code += gap
        return Splice(at, at, code)


def _statement_peer(statement: Statement) -> _Peer | None:
    if statement.kind is not Kind.FUNCTION:
        return None
    registered = _REGISTERED.search(statement.text.partition("def ")[0])
    return _Peer(statement.name, _sort(statement.name, registered[1] if registered else ""))


def _sort(name: str, key: str) -> str | None:
    """The namespace of an operator, `test_` for tests, None for the rest."""
    namespace, parted, _ = key.partition("::")
    return namespace if parted else "test_" if name.startswith("test_") else None


def family_index(names: Sequence[str], name: str) -> int:
    """Behind the last of the names that are most alike; at the end where none is."""
    kinship = [_kinship(other, name) for other in names]
    closest = max(kinship)
    if closest < _SHORTEST_KINSHIP:
        return len(names)
    return max(index for index, one in enumerate(kinship, 1) if one == closest)


def _kinship(one: str, other: str) -> int:
    """The number of letters that two names begin or end with in common."""
    first, second = one.strip("_"), other.strip("_")
    return max(_common(first, second), _common(first[::-1], second[::-1]))


def _common(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))


def closing_index(statements: Sequence[Statement]) -> int:
    """The first of the statements that close a file, as `del torch` or the main block; else their number."""
    index = len(statements)
    while index > 1 and _closes(statements[index - 1]):
        index -= 1
    return index


def _closes(statement: Statement) -> bool:
    """Whether a statement at the end of a file has to stay there: it deletes names, or does its work with them."""
    if statement.kind in (Kind.FUNCTION, Kind.CLASS) or statement.is_docstring:
        return False
    works = (ast.Delete, ast.Expr, ast.For, ast.While, ast.Raise, ast.Assert)
    return all(isinstance(node, works) or _is_main_block(node) for node in statement.tree)


def _is_main_block(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(node.test))


def _behind(text: str, statement: Statement) -> int:
    """The end of a statement, and of a comment right below it that a blank line parts from what follows."""
    end = statement.end
    while text.startswith("#", end) and not _begins_with_modeline(text, end):
        end = line_end(text, end)
    return end if end == len(text) or LINE_END.match(text, end) else statement.end


def _begins_with_modeline(text: str, position: int) -> bool:
    return _MODELINE.match(text[position : line_end(text, position)]) is not None
