"""The beginning of a file that holds no code yet."""

from __future__ import annotations

import ast
from dataclasses import replace

from symgen.merge.source import ModuleSource, parse_source
from symgen.merge.splice import LINE_END, Positions


def start_file(before: bytes | None, head: str, path: str) -> ModuleSource:
    """The file to merge into: as it is, or with the generated head where it has no code but a docstring.

    Raises:
        MergeError: where the file can't be merged into.
    """
    source = parse_source(before or b"", path)
    if any(not statement.is_docstring for statement in source.statements):
        return source
    found = LINE_END.search(source.text)
    newline = found[0] if found else "\n"
    text, head = source.text, head.strip("\n") + "\n"
    if source.statements:
        head = "\n" + _without_docstring(head)
    elif text.strip():
        head = "\n" + head
    if text and not text.endswith(("\n", "\r")):
        head = "\n" + head
    started = parse_source(source.encode(text + source.encodable(head).replace("\n", newline)), path)
    return replace(started, is_new=True)


def _without_docstring(head: str) -> str:
    tree = ast.parse(head)
    if ast.get_docstring(tree) is None:
        return head
    return head[Positions(head).end(tree.body[0]) :].lstrip("\n")
