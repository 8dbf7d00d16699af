"""What stays behind when definitions go: helpers and imports that nothing else uses, and how they are taken out."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence

from symgen.merge.imports import remove_imports
from symgen.merge.locate import Ground
from symgen.merge.names import free_names
from symgen.merge.source import ModuleSource, Statement
from symgen.merge.splice import Splice, line_end, line_start
from symgen.model.ownership import fingerprint

WORD = re.compile(r"[^\W\d]\w*")
"""A name, in whatever text."""


def drop_leftovers(
    ground: Ground,
    gone: Collection[int],
    gone_texts: Sequence[str],
    new_texts: Sequence[str],
    deletions: Sequence[Splice] = (),
) -> list[Splice]:
    """The splices that take out helpers and imports which only texts that are gone used.

    Args:
        ground: the file.
        gone: the statements whose text is replaced or taken out.
        gone_texts: those texts, and what a class lost.
        new_texts: what comes into the file.
        deletions: the splices that take out what goes.
    """
    kept = {index: one for index, one in enumerate(ground.source.statements) if index not in gone}
    needed = {name for text in new_texts for name in _used_names(text)}
    pending = sorted({name for text in gone_texts for name in free_names(text).all} - needed)
    splices = []
    for name in pending:
        index = next((i for i in kept if kept[i].name == name and is_untouched_helper(ground, i)), None)
        if index is not None and not _is_used(name, [one for i, one in kept.items() if i != index]):
            helper = kept.pop(index)
            splices += remove_statement(ground.source, helper)
            # What kept another helper in the file may have been this one: those it calls are looked at once more.
            pending += sorted(free_names(helper.text).all - needed)
    code = [one for one in kept.values() if not one.is_import]
    unused = {name for name in pending if _is_import(ground, name) and not _is_used(name, code)}
    return splices + remove_imports(ground.source, unused, [*deletions, *splices])


def remove_statement(source: ModuleSource, statement: Statement) -> list[Splice]:
    """The splices that take out a generated definition, its marker line, and the blank lines above it."""
    text, begin, end = source.text, statement.begin, statement.end
    marker = line_start(text, statement.marker_offset) if statement.marker else begin
    start = marker
    while start > statement.start and not text[line_start(text, start - 1) : start].strip():
        start = line_start(text, start - 1)
    if text[end : end + 1].strip():
        start = marker
    if end == len(text) and start > 0 and not text.endswith(("\n", "\r")):
        start -= 2 if text.endswith("\r\n", 0, start) else 1
    marker_end = line_end(text, marker) if marker < begin else marker
    if marker_end == begin:
        return [Splice(start, end, "")]
    return [Splice(start, marker_end, ""), Splice(begin, end, "")]


def is_untouched_helper(ground: Ground, index: int) -> bool:
    """Whether a statement is a helper as symgen wrote it."""
    marker = ground.source.statements[index].marker
    if marker is None or not ground.is_owned(index) or not ground.is_helper(marker.key):
        return False
    return fingerprint(ground.source.statements[index].text) == marker.fingerprint


def _is_import(ground: Ground, name: str) -> bool:
    bindings = ground.bindings.by_name.get(name, ())
    return bool(bindings) and all(binding.target and binding.certain for binding in bindings)


def _is_used(name: str, statements: Sequence[Statement]) -> bool:
    word = re.compile(rf"\b{re.escape(name)}\b")
    return any(word.search(one.text) and name in _names_in(one) for one in statements)


def _names_in(statement: Statement) -> frozenset[str]:
    """The names that a statement uses; the strings in what symgen wrote itself are no names."""
    return frozenset(free_names(statement.text).all) if statement.marker else _used_names(statement.text)


def _used_names(text: str) -> frozenset[str]:
    """The names in a text, and those in its strings, docstrings apart: they may be annotations, or `__all__`."""
    block = f"if 1:\n{text}" if text[:1] in (" ", "\t", "\f") else text
    try:
        return frozenset(_names(ast.parse(block)))
    except SyntaxError:
        return frozenset(WORD.findall(text))


def _names(tree: ast.AST) -> Iterator[str]:
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Global):
            yield from node.names
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield from _named_by(node.value)


def _named_by(text: str) -> Iterator[str]:
    """The names in a string that is an expression, as an annotation in quotes is; prose is none."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    yield from (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
