"""`__all__`: names go in and come out, and all else about it stays as it is."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from symgen.merge.sequence import Entry, EntryList, insert_entries, natural_order, remove_entries, sorted_position
from symgen.merge.source import Kind, ModuleSource, Statement
from symgen.merge.splice import Positions, Splice, newline_before
from symgen.merge.style import FileStyle

_WRAPPERS = ("sorted", "list", "tuple", "set", "frozenset")


def exported_names(source: ModuleSource) -> frozenset[str]:
    """The names that stand in `__all__`, wherever it is made or extended."""
    return frozenset(
        node.value
        for statement in _statements(source)
        for root in statement.tree
        for node in ast.walk(root)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def add_exports(source: ModuleSource, names: Collection[str], style: FileStyle) -> list[Splice]:
    """The splices that put names into `__all__`, into their places where it is sorted and at its end where it isn't.

    A file without `__all__`, or with one that is computed, stays as it is.
    """
    missing = sorted(set(names) - exported_names(source), key=natural_order)
    target = next(_lists(source), None)
    if not missing or target is None:
        return []
    statement, listing = target
    quote = next((listing.text[entry.end - 1] for entry in listing.entries if entry.key), style.quote)
    offset = _sorted_tail(listing)
    keys = [entry.key for entry in listing.entries[offset:]]
    additions = [(offset + sorted_position(keys, name), f"{quote}{name}{quote}") for name in missing]
    newline = newline_before(source.text, statement.end)
    return [splice.moved(statement.begin) for splice in insert_entries(listing, additions, newline, style)]


def remove_exports(source: ModuleSource, names: Collection[str]) -> list[Splice]:
    """The splices that take names out of every literal list of `__all__`."""
    splices = []
    for statement, listing in _lists(source):
        indexes = [index for index, entry in enumerate(listing.entries) if entry.key in names]
        if indexes:
            splices += [splice.moved(statement.begin) for splice in remove_entries(listing, indexes)]
    return splices


def _sorted_tail(listing: EntryList) -> int:
    """The index of the first entry behind the last one that is no plain name, as `*other.__all__`."""
    return max((index + 1 for index, entry in enumerate(listing.entries) if not entry.key), default=0)


def _statements(source: ModuleSource) -> Iterator[Statement]:
    kinds = (Kind.SIMPLE, Kind.COMPOUND)
    return (statement for statement in source.statements if statement.kind in kinds and "__all__" in statement.text)


def _lists(source: ModuleSource) -> Iterator[tuple[Statement, EntryList]]:
    """The literal lists that unconditional statements give to `__all__`, those of assignments first."""
    found = [(statement, node) for statement in _statements(source) for node in statement.tree]
    for wanted in (ast.Assign | ast.AnnAssign, ast.AugAssign):
        for statement, node in found:
            value = _value(node) if isinstance(node, wanted) else None
            listing = _find_list(statement.text, value) if value else None
            if listing:
                yield statement, listing


def _value(node: ast.stmt) -> ast.expr | None:
    match node:
        case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
            return value
        case ast.AnnAssign(target=ast.Name(id="__all__"), value=value):
            return value
        case ast.AugAssign(target=ast.Name(id="__all__"), value=value):
            return value
        case _:
            return None


def _find_list(text: str, value: ast.expr) -> EntryList | None:
    """The display of names inside an expression: itself, an operand of `+`, or what `sorted` and the like are given."""
    match value:
        case ast.List() | ast.Tuple() | ast.Set():
            return _entry_list(text, value)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _find_list(text, right) or _find_list(text, left)
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name in _WRAPPERS:
            return _find_list(text, argument)
        case _:
            return None


def _entry_list(text: str, node: ast.List | ast.Tuple | ast.Set) -> EntryList | None:
    positions = Positions(text)
    start, end = positions.start(node), positions.end(node)
    keys = [_key(element) for element in node.elts]
    if any(key is None for key in keys):
        return None
    entries = _entries(positions, node.elts, [key or "" for key in keys])
    bracketed = not isinstance(node, ast.Tuple) or text[start] == "("
    if not bracketed:
        return EntryList(text, entries, start, end, bracketed=False, is_tuple=True)
    return EntryList(text, entries, start + 1, end - 1, is_tuple=isinstance(node, ast.Tuple))


def _entries(positions: Positions, elements: Sequence[ast.expr], keys: Sequence[str]) -> tuple[Entry, ...]:
    pairs = zip(elements, keys, strict=True)
    return tuple(Entry(positions.start(element), positions.end(element), key) for element, key in pairs)


def _key(element: ast.expr) -> str | None:
    """A name as it is, the empty string for what stands for names (`*other.__all__`), None for anything else."""
    if isinstance(element, ast.Constant) and isinstance(element.value, str):
        return element.value
    return "" if isinstance(element, ast.Starred | ast.Name | ast.Attribute | ast.Subscript) else None
