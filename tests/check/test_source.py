"""Positions and encodings: what the parser says of a file, in the characters and bytes that the file has."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from symgen.check import Finding
from symgen.check.source import Source, UndecodableError, decode, detect_encoding

Check = Callable[..., list[Finding]]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_lines_end_where_python_ends_them(line_end: str) -> None:
    text = line_end.join(["a = 1", "b = '\x0c\x1c\u2028'", "c = 3"])
    source = Source("file.py", text)
    statements = ast.parse(text).body
    assert [source.segment(statement) for statement in statements] == text.split(line_end)


def test_columns_count_characters() -> None:
    source = Source("file.py", "größe = 'äöü' + wrong\n")
    (name,) = [node for node in ast.walk(ast.parse(source.text)) if isinstance(node, ast.Name) and node.id == "wrong"]
    assert source.column(name.lineno, name.col_offset) == source.text.index("wrong") + 1
    assert source.segment(name) == "wrong"


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        pytest.param(b"x = 1\n", "utf-8", id="no cookie"),
        pytest.param(b"\xef\xbb\xbfx = 1\n", "utf-8-sig", id="byte order mark"),
        pytest.param(b"# -*- coding: latin-1 -*-\nx = '\xe4'\n", "iso8859-1", id="cookie"),
        pytest.param(b"#!/usr/bin/env python\r\n# vim: set fileencoding=cp1252 :\r\n", "cp1252", id="second line"),
        pytest.param(b"x = 1\n# coding: latin-1\n", "utf-8", id="cookie after code"),
    ],
)
def test_the_encoding_is_the_one_that_python_takes(content: bytes, encoding: str) -> None:
    assert detect_encoding(content) == encoding
    assert decode(content).encode(encoding) == content


@pytest.mark.parametrize("content", [b"x = '\xe4'\n", b"# coding: none-such\n"], ids=["bytes", "name"])
def test_bytes_that_are_no_text_are_refused(content: bytes) -> None:
    with pytest.raises(UndecodableError):
        decode(content)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("def f(:\n", 1, id="syntax"),
        pytest.param("x = 1\n  y = 2\n", 2, id="indentation"),
        pytest.param("x = 1\ny = '\n", 2, id="string"),
        pytest.param("x = '\0'\n", 1, id="null"),
        pytest.param("x = " + "(" * 500 + ")" * 500, 1, id="nested too deeply"),
        pytest.param("print 'hello'\n", 1, id="Python 2"),
    ],
)
def test_a_file_that_is_not_python_has_one_finding(check: Check, text: str, line: int) -> None:
    (finding,) = check(text)
    assert (finding.code, finding.location.line) == ("SG000", line)
    assert finding.message.startswith("not a Python file: ")
