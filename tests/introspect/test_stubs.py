"""Every `def` that declares an operator comes back as `ast.unparse` writes it; a broken file names its line."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from symgen.errors import ParseError
from symgen.introspect.annotations import parse_alternatives
from symgen.introspect.catalogue import Catalogue
from symgen.introspect.stubs import TENSOR_CLASS, load_stubs, parse_stubs, torch_stub_files
from symgen.introspect.torch_install import TorchInstall
from symgen.model.schema import StubParameter

SMALL = '''\
from typing import overload

@overload
def pow(input: Tensor, exponent: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Raises."""
    ...
@overload
def pow(self: Number, exponent: Tensor) -> Tensor: ...
def get_num_threads() -> _int: ...

class TensorBase:
    def sinh(self) -> Tensor: ...
    def is_shared(self) -> _bool: ...

class Graph:
    def sinh(self) -> Graph: ...
'''


def without_docstring(node: ast.FunctionDef) -> str:
    if ast.get_docstring(node) is not None:
        node.body = node.body[1:] or [ast.Expr(ast.Constant(...))]
    return ast.unparse(node)


def declared_in(path: Path, catalogue: Catalogue) -> list[ast.FunctionDef]:
    """The operators' definitions of a file, found here by another way than in the code."""
    found = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        tensor_methods = node.body if isinstance(node, ast.ClassDef) and node.name == TENSOR_CLASS else []
        for definition in [node, *tensor_methods]:
            if isinstance(definition, ast.FunctionDef) and definition.name in catalogue.functions:
                found.append(definition)
    return found


def test_every_operator_of_torch_comes_back(catalogue: Catalogue, install: TorchInstall) -> None:
    count = 0
    for path in torch_stub_files(install):
        expected = declared_in(path, catalogue)
        signatures = parse_stubs(path.read_text(encoding="utf-8"), str(path), catalogue.functions)
        assert [str(signature) for signature in signatures] == [without_docstring(node) for node in expected]
        assert [signature.location.line for signature in signatures] == [node.lineno for node in expected]
        count += len(expected)
    assert count > 2000


def test_the_loaded_stubs_are_the_parsed_ones(catalogue: Catalogue, install: TorchInstall) -> None:
    parsed = [
        signature
        for path in torch_stub_files(install)
        for signature in parse_stubs(path.read_text(encoding="utf-8"), str(path), catalogue.functions)
    ]
    loaded = [signature for name in catalogue.stubs.torch for signature in catalogue.stubs.of_torch(name)]
    assert sorted(map(str, loaded)) == sorted(map(str, parsed))
    assert set(loaded) == set(parsed)


def test_every_annotation_of_an_operator_is_a_known_type(catalogue: Catalogue) -> None:
    for name in catalogue.stubs.torch:
        for signature in catalogue.stubs.of_torch(name):
            for parameter in signature.parameters:
                if parameter.annotation not in {"", "None"}:
                    assert parse_alternatives(parameter.annotation, signature.location)


def test_what_declares_no_operator_is_passed_over() -> None:
    signatures = parse_stubs(SMALL, "small.pyi", {"pow", "sinh"})
    assert [(s.name, s.container, s.location.line) for s in signatures] == [
        ("pow", "", 4),
        ("pow", "", 8),
        ("sinh", "TensorBase", 12),
    ]


def test_in_a_users_file_every_function_declares_an_operator() -> None:
    names = [signature.name for signature in parse_stubs(SMALL, "small.pyi")]
    assert names == ["pow", "pow", "get_num_threads", "sinh", "is_shared"]


def test_the_parts_of_a_signature() -> None:
    signature = parse_stubs(SMALL, "small.pyi")[0]
    assert signature.parameters == (
        StubParameter("input", "Tensor"),
        StubParameter("exponent", "Tensor"),
        StubParameter("out", "Tensor | None", "None", "keyword_only"),
    )
    assert signature.decorators == ("overload",)
    assert signature.returns == "Tensor"
    assert not signature.is_method


@pytest.mark.parametrize(
    "definition",
    [
        "def f():\n    ...",
        "def f(a, b=1, /, c: int=2, *args: int, d, e: str='x', **kwargs) -> None:\n    ...",
        "def f(a, /) -> Tensor:\n    ...",
        "def f(a, /, *, b) -> Tensor:\n    ...",
        "def f(*, a: Tensor | None=None, b):\n    ...",
        "def f(*args, a):\n    ...",
        "@overload\n@other(1)\ndef f(a) -> tuple[Tensor, ...]:\n    ...",
    ],
)
def test_every_kind_of_parameter_comes_back(definition: str) -> None:
    (signature,) = parse_stubs(definition, "kinds.pyi")
    assert str(signature) == definition


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(x: int) -> int: ...\ndef g(x: int -> int: ...\n", r"ops\.pyi:2: not a valid stub file"),
        ("def f(:\n", r"ops\.pyi:1: not a valid stub file"),
        ("x = 1\n\x00", r"ops\.pyi(:\d)?: not a valid stub file"),
    ],
)
def test_a_broken_file_names_its_line(install: TorchInstall, stub_file: Path, text: str, message: str) -> None:
    stub_file.write_text(text)
    with pytest.raises(ParseError, match=message):
        load_stubs(install, [stub_file])


def test_an_absent_or_binary_file(install: TorchInstall, stub_file: Path) -> None:
    with pytest.raises(ParseError, match=r"ops\.pyi: cannot read the stub file"):
        load_stubs(install, [stub_file])
    stub_file.write_bytes(b"\xff\xfe\x00def")
    with pytest.raises(ParseError, match=r"ops\.pyi: cannot read the stub file"):
        load_stubs(install, [stub_file])
