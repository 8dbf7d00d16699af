"""How new code is to look: what the file shows, and what the project's configuration says."""

from __future__ import annotations

from pathlib import Path

import pytest

from symgen.merge.source import parse_source
from symgen.merge.style import FileStyle, StyleHints, load_style, observe_style, parse_style


def observe(text: str, hints: StyleHints = StyleHints()) -> FileStyle:  # noqa: B008
    return observe_style(parse_source(text.encode(), "f.py"), hints)


@pytest.mark.parametrize(
    ("text", "hints"),
    [
        ("[tool.ruff]\nline-length = 100\n", StyleHints(100)),
        ("[tool.ruff]\nindent-width = 2\n[tool.ruff.format]\nquote-style = 'single'\n", StyleHints(None, "'", "  ")),
        ("[tool.ruff.format]\nindent-style = 'tab'\n", StyleHints(None, None, "\t")),
        ("[tool.black]\nline-length = 79\n", StyleHints(79)),
        ("[tool.other]\n", None),
        ("not toml", None),
    ],
)
def test_the_configuration_is_read(text: str, hints: StyleHints | None) -> None:
    assert parse_style(text) == hints


def test_the_nearest_configuration_counts(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\nline-length = 100\n")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "pyproject.toml").write_text("[project]\n")
    assert load_style(tmp_path / "package" / "f.py") == StyleHints(100)
    (tmp_path / "package" / "ruff.toml").write_text("line-length = 79\n")
    assert load_style(tmp_path / "package" / "f.py") == StyleHints(79)


def test_a_file_shows_its_style() -> None:
    long = "x = [" + "1, " * 30 + "]\n"
    style = observe(f"{long}\ndef f():\n\treturn 'a'\n\ndef g():\n\treturn 'b'\n")
    assert style == FileStyle(line_length=100, quote="'", indent="\t", blank_lines=1)


def test_apostrophes_in_prose_are_no_quotes() -> None:
    assert observe('# it\'s, isn\'t\n"""it\'s"""\nx = "a"\n').quote == '"'


def test_an_empty_file_takes_what_is_configured() -> None:
    assert observe("", StyleHints(79, "'", "  ")) == FileStyle(79, "'", "  ")
    assert observe("") == FileStyle()
