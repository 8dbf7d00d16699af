"""What other files import of a module, and which of its helpers no file calls any more."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from symgen.merge.leftovers import WORD, is_untouched_helper
from symgen.merge.locate import survey
from symgen.merge.source import parse_source


def unneeded_helpers(content: bytes, path: str, others: Iterable[bytes]) -> list[str]:
    """The keys of helpers that symgen wrote, nobody edited, and neither another file nor one that stays has a word of.

    Args:
        content: the module with the helpers.
        path: its name, for messages.
        others: the files that may import from it.

    Raises:
        MergeError: where the module is not Python, or not byte-exact for libcst.
    """
    ground = survey(parse_source(content, path))
    statements = ground.source.statements
    helpers = {one.name: one for index, one in enumerate(statements) if is_untouched_helper(ground, index)}
    pending = [one.text for one in statements if one.name not in helpers and not one.is_import]
    pending += [other.decode("utf-8", "replace") for other in others]
    for text in pending:
        pending += [helpers.pop(name).text for name in helpers.keys() & set(WORD.findall(text))]
    return [one.marker.key for one in helpers.values() if one.marker]


def imported_names(contents: Iterable[bytes], module: str) -> frozenset[str]:
    """The names that files take from the module of that name, wherever it stands: imported, or as its attributes.

    Of a file that is no Python they are all of its words.
    """
    return frozenset().union(*(_names_from(module, content) for content in contents))


def _names_from(module: str, content: bytes) -> frozenset[str]:
    text = content.decode("utf-8", "replace")
    if module not in text:
        return frozenset()
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return frozenset(WORD.findall(text))
    return frozenset(_taken_from(module, tree))


def _taken_from(module: str, tree: ast.Module) -> Iterator[str]:
    bound = {module}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] == module:
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {alias.asname for alias in node.names if alias.asname and alias.name.split(".")[-1] == module}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
            if owner in bound:
                yield node.attr
