"""native_functions.yaml: every entry with its line, and what torchgen makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from symgen.errors import ParseError
from symgen.introspect.catalogue import Catalogue
from symgen.introspect.native_functions import load_native_functions, parse_native_functions
from symgen.introspect.torch_install import TorchInstall

SMALL = """\
- func: sin(Tensor self) -> Tensor
  variants: function, method
  structured_delegate: sin.out
  tags: [core, pointwise]

- func: sin.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU, CUDA: sin_out

- func: square(Tensor self) -> Tensor
  tags: pointwise
"""


def test_an_entry_carries_what_the_schema_does_not_say() -> None:
    functions = parse_native_functions(SMALL, "f.yaml")
    sin, out = functions.overloads("sin")
    assert (sin.variants, sin.structured_delegate, sin.tags) == (
        ("function", "method"),
        "sin.out",
        ("core", "pointwise"),
    )
    assert str(sin.location) == "f.yaml:1"
    assert str(out.location) == "f.yaml:6"
    assert not sin.composite_implicit
    assert not out.composite_implicit
    assert functions.overloads("square")[0].composite_implicit
    assert functions.overloads("cube") == ()


def test_every_line_number_is_that_of_the_schema(catalogue: Catalogue, install: TorchInstall) -> None:
    lines = install.native_functions.read_text(encoding="utf-8").splitlines()
    for entries in catalogue.functions.entries.values():
        for entry in entries:
            assert lines[entry.line - 1] == f"- func: {entry.func}"


def test_torchgen_agrees_on_every_entry(catalogue: Catalogue, install: TorchInstall) -> None:
    gen = pytest.importorskip("torchgen.gen")
    path = install.native_functions
    theirs = {
        str(f.func): f for f in gen.parse_native_yaml(str(path), str(path.with_name("tags.yaml"))).native_functions
    }
    for base in catalogue.functions:
        for schema in catalogue.functions.overloads(base):
            function = theirs[str(schema)]
            assert schema.composite_implicit == function.has_composite_implicit_autograd_kernel, schema
            assert set(schema.variants) == {variant.name for variant in function.variants}, schema
            assert schema.structured_delegate == str(function.structured_delegate or ""), schema
            assert set(schema.tags) <= function.tags, schema


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- func: a() -> ()\n\tb: c", r"^f\.yaml:2: not valid YAML"),
        ("func: a() -> ()", r"^f\.yaml: not a list"),
        ("- func: a() -> ()\n- variants: method", r"^f\.yaml:2: an entry without `func`"),
        ("- 1", r"^f\.yaml: an entry without `func`"),
    ],
)
def test_a_broken_file(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        parse_native_functions(text, "f.yaml")


def test_an_unknown_type_names_the_entry() -> None:
    functions = parse_native_functions(SMALL.replace("square(Tensor self)", "square(Matrix self)"), "f.yaml")
    with pytest.raises(ParseError, match=r"^f\.yaml:11: unknown type 'Matrix'"):
        functions.overloads("square")


def test_an_absent_file(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match=r"native_functions\.yaml: cannot read"):
        load_native_functions(TorchInstall(tmp_path / "torch", "2.13.0"))
