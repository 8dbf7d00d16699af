"""Finds the definitions that symgen wrote, by the marker lines above them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from symgen.check.reading.module import SymbolicModule

if TYPE_CHECKING:
    from symgen.model.ownership import Marker

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def generated_definitions(module: SymbolicModule) -> Iterator[tuple[Marker, Definition, str]]:
    """Each marker with the definition below it and that definition's text, decorators and all."""
    source = module.source
    if "# symgen: " not in source.text:
        return
    lines = [source.line(number).rstrip("\r\n") for number in range(1, len(source.line_starts) + 1)]
    for body in module.body.functions:
        if isinstance(body.node, Definition):
            first = min([body.node.lineno, *(decorator.lineno for decorator in body.node.decorator_list)])
            marker = _marker_above(lines, first)
            if marker:
                last = _last_line(lines, body.node)
                yield marker, body.node, "".join(source.line(number) for number in range(first, last + 1))


def fits(marker: Marker, text: str) -> bool:
    """Whether a definition is as symgen wrote it."""
    from symgen.model.ownership import fingerprint

    return fingerprint(text) == marker.fingerprint


def _marker_above(lines: Sequence[str], first: int) -> Marker | None:
    """The nearest marker among the comments and blank lines above a definition."""
    from symgen.model.ownership import parse_marker

    for line in reversed(lines[: first - 1]):
        if line.strip() and not line.lstrip().startswith("#"):
            return None
        marker = parse_marker(line)
        if marker:
            return marker
    return None


def _last_line(lines: Sequence[str], node: Definition) -> int:
    """The last line of a definition, with the comments after its end that are indented like its body."""
    last = number = node.end_lineno or node.lineno
    for line in lines[number:]:
        number += 1
        comment = line.lstrip()
        if comment and not comment.startswith("#"):
            break
        if comment and len(line) - len(comment) > node.col_offset:
            last = number
    return last
