"""Where statements begin and end: in everything that torch ships, and in files that libcst does not give back."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from symgen.errors import MergeError
from symgen.merge.bindings import find_bindings
from symgen.merge.source import Kind, parse_source
from symgen.model.definition import Import

TORCH = Path(torch.__file__).parent
LARGEST = 500_000
STUBS = sorted(path for path in TORCH.rglob("*.pyi") if path.stat().st_size < LARGEST)
EXPORTER = sorted((TORCH / "onnx" / "_internal" / "torchscript_exporter").glob("*.py"))


@pytest.mark.parametrize("path", [*STUBS, *EXPORTER], ids=lambda path: path.relative_to(TORCH).as_posix())
def test_the_statements_are_those_that_python_sees(path: Path) -> None:
    content = path.read_bytes()
    source = parse_source(content, str(path))
    assert source.encode(source.text) == content
    tail = source.text[source.statements[-1].end :] if source.statements else source.text
    assert "".join(one.leading + one.text for one in source.statements) + tail == source.text
    found = [(one.line, one.name) for one in source.statements if one.kind in (Kind.FUNCTION, Kind.CLASS)]
    nodes = [
        node
        for node in ast.parse(content).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)
    ]
    assert found == [(min([node.lineno, *(one.lineno for one in node.decorator_list)]), node.name) for node in nodes]


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (b"x = 1\n\n<<<<<<< HEAD\n", 3, "invalid syntax"),
        (b"x = 1\nif x:\ny = 2\n", 3, "expected an indented block"),
        (b"def f():\n\tx = 1\n        y = 2\n", 3, "inconsistent use of tabs"),
        (b"x = 1\ry = 2\r", 2, "without touching other bytes"),
        (b"if 1:\n\x0c    x = 1\n\x0cy = 2\n", 3, "without touching other bytes"),
        (b"# ok\nx = '\xff'\n", 2, "utf-8"),
        (b"# coding: nonsense\n", 0, "unknown encoding"),
        (b"x = 1\0\n", 0, "null bytes"),
        (b"\xff\xfex\x00\n\x00", 0, "null bytes"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(content: bytes, line: int, reason: str) -> None:
    with pytest.raises(MergeError, match=reason) as caught:
        parse_source(content, "file.py")
    assert caught.value.location is not None
    assert caught.value.location.path == "file.py"
    assert not line or caught.value.location.line == line
    assert caught.value.exit_status == 1


def names_of(code: str, wanted: Import) -> str | None:
    found = find_bindings(parse_source(code.encode(), "file.py")).find(wanted)
    return found.name if found else None


FUNCTOOLS, ERRORS, ONNX = Import("functools"), Import("torch.onnx", "errors"), Import("torch.onnx")


@pytest.mark.parametrize(
    ("code", "wanted", "name"),
    [
        ("import functools", FUNCTOOLS, "functools"),
        ("import functools as ft", FUNCTOOLS, "ft"),
        ("import functools as ft, functools", FUNCTOOLS, "functools"),
        ("import os, functools", FUNCTOOLS, "functools"),
        ("from torch.onnx import errors as e", ERRORS, "e"),
        ("import torch.onnx", Import("torch"), "torch"),
        ("import torch", ONNX, None),
        ("import torch.onnx.utils", ONNX, "torch"),
        ("try:\n    import functools\nexcept ImportError:\n    functools = None", FUNCTOOLS, "functools"),
        ("if x:\n    import functools", FUNCTOOLS, None),
        ("import functools\nfunctools = 1", FUNCTOOLS, None),
        ("import functools\nfor functools in x: pass", FUNCTOOLS, None),
        ("import functools\nwith x as (a, functools): pass", FUNCTOOLS, None),
        ("import functools\nprint(functools := 1)", FUNCTOOLS, None),
        ("import functools\ndel functools", FUNCTOOLS, None),
        ("import functools\nclass functools: pass", FUNCTOOLS, None),
        ("import functools\ndef f():\n    functools = 1", FUNCTOOLS, "functools"),
        ("import functools\ndef f():\n    global functools\n    functools = 1", FUNCTOOLS, None),
        ("import functools\nmatch x:\n    case 1:\n        functools = 1", FUNCTOOLS, None),
        ("def f():\n    import functools", FUNCTOOLS, None),
        ("from functools import *", FUNCTOOLS, None),
        ("from . import functools", FUNCTOOLS, None),
    ],
)
def test_an_import_is_found_where_its_name_means_nothing_else(code: str, wanted: Import, name: str | None) -> None:
    assert names_of(f"{code}\n", wanted) == name
