"""Fingerprints: a formatter edits nothing, a person does."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from ruff import find_ruff_bin
from torch.onnx._internal import torchscript_exporter

from symgen.model.ownership import Marker, fingerprint, parse_marker

SYMBOLIC_FILE = Path(torchscript_exporter.__file__).with_name("symbolic_opset9.py")
FUNCTION = '''\
@_onnx_symbolic("aten::hypot")
@_promoted("input", "other")
def hypot(g, input, other, *, scale=(1.0,)):
    """The root of the sum of squares.

    Without overflow.
    """
    # the larger one first
    larger = g.op("Max", input, other)  # of both
    if scale is None or (input is other and larger is not None):
        del larger, other
        return f"{input!r:>10}" "tail"
    return g.op("Sqrt", larger, axes_i=[1, 2])
'''
LAYOUTS = {
    "other quotes": FUNCTION.replace('"', "'").replace("'''", '"""'),
    "line breaks": FUNCTION.replace(
        'g.op("Max", input, other)', 'g.op(\n        "Max",\n        input,\n        other,\n    )'
    ),
    "redundant parentheses": FUNCTION.replace("return g.op", "return (g.op").replace("[1, 2])", "[1, 2]))"),
    "a trailing comma": FUNCTION.replace("axes_i=[1, 2])", "axes_i=[1, 2],)"),
    "blank lines": FUNCTION.replace("    # the", "\n\n    # the"),
    "a docstring's indentation": FUNCTION.replace("    Without", "  Without").replace("squares.\n", "squares.  \n"),
    "strings joined": FUNCTION.replace('" "tail"', 'tail"'),
    "parentheses of del": FUNCTION.replace("del larger, other", "del (larger, other)"),
    "the space of a comment": FUNCTION.replace("# the", "#the"),
    "carriage returns": FUNCTION.replace("\n", "\r\n"),
    "two spaces": FUNCTION.replace("    ", "  "),
    "backslashes": FUNCTION.replace(" or (input", " or \\\n        (input"),
    "a method's indentation": "".join(f"    {line}" for line in FUNCTION.splitlines(keepends=True)),
}
EDITS = {
    "a number": ("1.0", "1.5"),
    "a name": ("def hypot(g, input", "def hypot(g, self"),
    "a string": ('"Sqrt"', '"Abs"'),
    "a comment": ("the larger one first", "tuned by hand"),
    "a comment that moves": ("  # of both\n", "\n    # of both\n    pass\n"),
    "a new comment": ("    del", "    # tuned\n    del"),
    "a docstring": ("Without overflow", "With overflow"),
    "an operator": ("or (input", "and (input"),
    "a decorator": ("aten::hypot", "aten::hypot2"),
    "a tuple that is one no more": ("(1.0,)", "(1.0)"),
    "the nesting": ("        return f", "    return f"),
}


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_layout_is_no_edit(text: str) -> None:
    assert text != FUNCTION
    assert fingerprint(text) == fingerprint(FUNCTION)


@pytest.mark.parametrize(("old", "new"), EDITS.values(), ids=EDITS.keys())
def test_anything_else_is_an_edit(old: str, new: str) -> None:
    assert old in FUNCTION
    assert fingerprint(FUNCTION.replace(old, new)) != fingerprint(FUNCTION)


def definitions(text: str) -> Iterator[str]:
    lines = text.splitlines(keepends=True)
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield "".join(lines[first - 1 : node.end_lineno])


@pytest.mark.parametrize("settings", [("40", "double"), ("200", "single")], ids=["narrow", "wide"])
def test_a_formatter_over_all_of_torch_s_functions_edits_none(settings: tuple[str, str]) -> None:
    length, quotes = settings
    text = SYMBOLIC_FILE.read_text()
    options = ["--isolated", "--line-length", length, "--config", f"format.quote-style='{quotes}'"]
    command = [find_ruff_bin(), "format", *options, "-"]
    formatted = subprocess.run(command, input=text, text=True, capture_output=True, check=True).stdout
    assert formatted != text
    assert [*map(fingerprint, definitions(text))] == [*map(fingerprint, definitions(formatted))]


def test_black_over_all_of_torch_s_functions_edits_none() -> None:
    pytest.importorskip("black", reason="black is no dependency of the tests")
    text = SYMBOLIC_FILE.read_text()
    command = [sys.executable, "-m", "black", "-q", "-l", "60", "-C", "-"]
    formatted = subprocess.run(command, input=text, text=True, capture_output=True, check=True).stdout
    assert formatted != text
    assert [*map(fingerprint, definitions(text))] == [*map(fingerprint, definitions(formatted))]


def test_the_fingerprint_is_the_same_everywhere() -> None:
    assert fingerprint(FUNCTION) == "88a0bae772a40a1a"


def test_a_marker_is_read_as_it_is_written() -> None:
    marker = Marker("aten::hypot", "5d41402abc4b2a76")
    assert parse_marker(f"\t{marker} ") == marker
    assert marker.is_operator
    assert not Marker("_promoted", "5d41402abc4b2a76").is_operator


@pytest.mark.parametrize(
    "line",
    ["# symgen: ignore[SG008] the sign is meant", "# symgen: aten::hypot", "# symgen: a 5d41402abc4b2a7", "x = 1"],
)
def test_other_lines_are_no_markers(line: str) -> None:
    assert parse_marker(line) is None
