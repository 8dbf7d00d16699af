"""Whose a definition is: the marker line above what symgen wrote, and the fingerprint in it.

    # symgen: aten::hypot 5d41402abc4b2a76
    @_onnx_symbolic("aten::hypot")
    def hypot(g, input, other): ...

The fingerprint is that of the decorators and the `def` below the line as they were written. As long as it fits, nobody
edited the definition and symgen may replace it. A definition without such a line belongs to the user.
"""

from __future__ import annotations

import ast
import bisect
import hashlib
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

_MARKER = re.compile(r"[ \t\f]*# symgen: (?P<key>[^\s\[]\S*) (?P<fingerprint>[0-9a-f]{16})[ \t\f]*")
_DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Marker:
    """The line above a generated definition. `key` is the operator that it serves, or a helper's name."""

    key: str
    fingerprint: str

    @property
    def is_operator(self) -> bool:
        """Whether the definition serves an operator; else it is a helper, or a test."""
        return "::" in self.key

    def __str__(self) -> str:
        return f"# symgen: {self.key} {self.fingerprint}"


def parse_marker(line: str) -> Marker | None:
    """Reads a marker line, its line end taken off; None for any other line."""
    match = _MARKER.fullmatch(line)
    return Marker(match["key"], match["fingerprint"]) if match else None


def fingerprint(source: str) -> str:
    """The fingerprint of a definition: 16 hexadecimal digits over its syntax tree and its comments.

    What a formatter changes leaves it alone: line breaks, blank lines, quotes, redundant parentheses, trailing commas,
    the indentation of a docstring, the spaces in a comment. It is the same under every version of Python. `source` may
    be indented as a whole. Text that isn't Python is taken as it stands.
    """
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    is_indented = source[:1] in (" ", "\t", "\f")
    block = f"if 1:\n{source}" if is_indented else source
    try:
        tree = ast.parse(block)
    except SyntaxError:
        parts = [source]
    else:
        if is_indented:
            tree.body = tree.body[0].body  # type: ignore[attr-defined]
        parts = list(_comments(block, tree))
        _write_syntax(tree, parts)
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _write_syntax(node: ast.AST, parts: list[str]) -> None:
    """The tree as a flat row of names and values; a field that is empty doesn't count, so new ones don't either."""
    parts.append(type(node).__name__)
    for name in node._fields:
        value = getattr(node, name, None)
        if value is None or value == [] or name in ("ctx", "kind", "type_comment"):
            continue
        parts.append(name)
        items = value if isinstance(value, list) else (value,)
        if name == "body" and isinstance(node, _DOCUMENTED):
            items = items[_write_docstring(node, parts) :]
        elif isinstance(node, ast.Delete) and isinstance(items[0], ast.Tuple):
            items = items[0].elts
        for item in items:
            if isinstance(item, ast.AST):
                _write_syntax(item, parts)
            else:
                parts.append(repr(item))
    parts.append(")")


def _write_docstring(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, parts: list[str]) -> int:
    """Writes the docstring without its indentation, and returns how many statements that were."""
    text = ast.get_docstring(node, clean=True)
    if text is None:
        return 0
    parts += ("docstring", *(line.rstrip() for line in text.rstrip().splitlines()))
    return 1


def _comments(source: str, tree: ast.Module) -> Iterator[str]:
    """Each comment with the number of statements that begin before it or on its line."""
    if "#" not in source:
        return
    starts = sorted(node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt))
    for token in tokenize.generate_tokens(io.StringIO(source, newline="").readline):
        if token.type == tokenize.COMMENT:
            text = "".join(token.string.removeprefix("#").split())
            yield f"{bisect.bisect_right(starts, token.start[0])} {text}"
