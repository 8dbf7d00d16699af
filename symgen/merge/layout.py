"""Formats generated code as its target file is written, with the formatter of ruff."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache

from symgen.merge.splice import LINE_END
from symgen.merge.style import FileStyle

_CUT = "# ---- symgen formats up to here ----"


def format_sources(sources: Sequence[str], style: FileStyle) -> list[str]:
    """Formats top-level definitions, all in one run of ruff; each comes back with one line end."""
    if not sources:
        return []
    text = f"\n{_CUT}\n".join(source.strip("\n") for source in sources)
    parts = re.split(rf"^{_CUT}$", _ruff_format(text, style), flags=re.MULTILINE)
    assert len(parts) == len(sources), "the formatter lost a definition"
    return [part.strip("\n") + "\n" for part in parts]


def sort_imports(text: str, first_party: str) -> str:
    """A whole new file with its imports in ruff's order, those of the project's own package last."""
    setting = f"lint.isort.known-first-party=['{first_party}']"
    options = ["--isolated", "--no-cache", "--quiet", "--select", "I", "--fix", "--config", setting]
    command = [_ruff(), "check", *options, "--stdin-filename", "generated.py", "-"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    if done.returncode:
        raise ValueError(f"the imports cannot be sorted: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout.decode()


def format_method(source: str, outer: str, style: FileStyle) -> str:
    """Formats a function for the body of a class that is itself indented by `outer`; it comes back indented."""
    (text,) = format_sources([f"class _:\n{indent_code(source, style.indent)}"], style)
    return indent_code(text, outer).partition("\n")[2]


def indent_code(source: str, prefix: str) -> str:
    """The code with every line indented, but for blank lines and the inner lines of strings that are no docstrings."""
    kept = set(_lines_inside_strings(source))
    lines = source.splitlines(keepends=True)
    return "".join(
        line if number in kept or not line.strip() else prefix + line for number, line in enumerate(lines, 1)
    )


def _lines_inside_strings(source: str) -> Iterator[int]:
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
        if isinstance(node, ast.expr) and is_text and id(node) not in docstrings:
            yield from range(node.lineno + 1, (node.end_lineno or node.lineno) + 1)


def _ruff_format(text: str, style: FileStyle) -> str:
    tab = style.indent.startswith("\t")
    options = {
        "line-length": str(style.line_length),
        "indent-width": "4" if tab else str(len(style.indent)),
        "format.indent-style": "'tab'" if tab else "'space'",
        "format.quote-style": "'single'" if style.quote == "'" else "'double'",
        "format.line-ending": "'lf'",
    }
    settings = [part for name, value in options.items() for part in ("--config", f"{name}={value}")]
    command = [_ruff(), "format", "--isolated", "--no-cache", "--stdin-filename", "generated.py", *settings, "-"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    if done.returncode:
        raise ValueError(f"the generated code cannot be formatted: {done.stderr.decode(errors='replace').strip()}")
    return LINE_END.sub("\n", done.stdout.decode())


@cache
def _ruff() -> str:
    from ruff import find_ruff_bin  # type: ignore[import-untyped]

    return str(find_ruff_bin())
