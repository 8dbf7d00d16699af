"""How a file is written: its indentation, quotes and line length, so that new code looks like its neighbours."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from symgen.merge.source import Kind, ModuleSource, Statement
from symgen.merge.splice import LINE_END

_T = TypeVar("_T")

DEFAULT_LINE_LENGTH = 88
_LINE_LENGTHS = (DEFAULT_LINE_LENGTH, 100, 120)
_TOKENS = re.compile(
    r"""\#[^\r\n]*|\"{3}[\s\S]*?\"{3}|'{3}[\s\S]*?'{3}|(?P<double>"(?:\\.|[^"\\\r\n])*")|(?P<single>'(?:\\.|[^'\\\r\n])*')"""
)
_CONFIGURATIONS = ("ruff.toml", ".ruff.toml", "pyproject.toml")


@dataclass(frozen=True)
class StyleHints:
    """What a project's configuration says of its formatting; None where it says nothing."""

    line_length: int | None = None
    quote: str | None = None
    indent: str | None = None


@dataclass(frozen=True)
class FileStyle:
    """How new code in one file is written."""

    line_length: int = DEFAULT_LINE_LENGTH
    quote: str = '"'
    indent: str = "    "
    blank_lines: int = 2
    """Between two top-level definitions."""


def observe_style(source: ModuleSource, hints: StyleHints) -> FileStyle:
    """The style of a file: what it shows itself, then the configuration, then what ruff and black do by default.

    The line length is the configuration's where there is one: no file shows it exactly.
    """
    functions = [statement for statement in source.statements if statement.kind is Kind.FUNCTION]
    default = FileStyle()
    return FileStyle(
        line_length=hints.line_length or _line_length(source.statements),
        quote=_quote(source.text) or hints.quote or default.quote,
        indent=_most_common(_indents(functions)) or hints.indent or default.indent,
        blank_lines=_blank_lines(source.statements, default.blank_lines),
    )


def load_style(path: Path) -> StyleHints:
    """Reads the nearest configuration of ruff or black at or above a file's folder; broken ones say nothing."""
    for folder in path.absolute().parents:
        for name in _CONFIGURATIONS:
            hints = _read_hints(folder / name)
            if hints is not None:
                return hints
    return StyleHints()


def parse_style(text: str, *, is_ruff: bool = False) -> StyleHints | None:
    """Reads the text of a pyproject.toml, or of a ruff.toml; None where neither ruff nor black is configured."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    tools = {"ruff": values} if is_ruff else _table(values, "tool")
    ruff, black = _table(tools, "ruff"), _table(tools, "black")
    if not ruff and not black:
        return None
    layout = _table(ruff, "format")
    length = ruff.get("line-length", black.get("line-length"))
    width = ruff.get("indent-width", 4)
    spaces = " " * width if isinstance(width, int) else None
    quote = {"single": "'", "double": '"'}.get(str(layout.get("quote-style")))
    return StyleHints(
        line_length=length if isinstance(length, int) else None,
        quote=quote,
        indent="\t" if layout.get("indent-style") == "tab" else spaces if "indent-width" in ruff else None,
    )


def _read_hints(path: Path) -> StyleHints | None:
    try:
        return parse_style(path.read_text("utf-8"), is_ruff=path.name != "pyproject.toml")
    except (OSError, UnicodeDecodeError):
        return None


def _table(values: Mapping[str, object], name: str) -> Mapping[str, object]:
    found = values.get(name)
    return found if isinstance(found, dict) else {}


def _quote(text: str) -> str | None:
    kinds = Counter(match.lastgroup for match in _TOKENS.finditer(text) if match.lastgroup)
    if not kinds:
        return None
    return "'" if kinds["single"] > kinds["double"] else '"'


def _indents(functions: Iterable[Statement]) -> list[str]:
    return [indent for statement in functions if (indent := statement.indent.replace("\f", ""))]


def _blank_lines(statements: tuple[Statement, ...], default: int) -> int:
    """The usual number of blank lines above a definition or the comment on it."""
    seen = []
    for statement in statements[1:]:
        if statement.kind in (Kind.FUNCTION, Kind.CLASS):
            lines = LINE_END.split(statement.leading)[:-1]
            seen.append(next((i for i, line in enumerate(lines) if line.strip()), len(lines)))
    return _most_common([count for count in seen if count]) or default


def _most_common(values: Sequence[_T]) -> _T | None:
    return Counter(values).most_common(1)[0][0] if values else None


def _line_length(statements: Sequence[Statement]) -> int:
    """The shortest usual limit that all but a few lines keep.

    What symgen wrote itself says nothing of the limit, nor does a docstring, which formatters leave as it is.
    """
    code = [one for one in statements if not one.marker and not one.is_docstring]
    lengths = sorted(len(line) for one in code for line in LINE_END.split(one.text))
    longest = lengths[-1 - len(lengths) // 100] if lengths else 0
    return next((limit for limit in _LINE_LENGTHS if longest <= limit), _LINE_LENGTHS[-1])
