"""Finds the definitions that symgen wrote, by the marker lines above them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from symgen.check.reading.module import SymbolicModule
from symgen.model.ownership import Marker, parse_marker

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def generated_definitions(module: SymbolicModule) -> Iterator[tuple[Marker, Definition, str]]:
    """Each marker with the definition below it and that definition's text, decorators and all."""
    source = module.source
    if "# symgen: " not in source.text:
        return
    starts = {_first_line(node): node for node in _definitions(module)}
    for number in range(1, len(source.line_starts)):
        marker = parse_marker(source.line(number).rstrip("\r\n"))
        node = starts.get(number + 1) if marker else None
        if marker and node:
            last = node.end_lineno or node.lineno
            yield marker, node, "".join(source.line(line) for line in range(number + 1, last + 1))


def _definitions(module: SymbolicModule) -> Iterator[Definition]:
    for body in module.body.functions():
        if isinstance(body.node, Definition):
            yield body.node


def _first_line(node: Definition) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
