"""Operators' names as people type them; nothing that is no name gets through."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symgen.errors import UsageError
from symgen.model.names import OpName, parse_op_name

IDENTIFIERS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,12}", fullmatch=True)
NAMES = st.builds(OpName, IDENTIFIERS, IDENTIFIERS, st.just("") | IDENTIFIERS)


@given(NAMES)
def test_every_name_comes_back_from_its_text(name: OpName) -> None:
    assert parse_op_name(str(name)) == name
    assert parse_op_name(name.qualified) == name.without_overload()


@given(NAMES)
def test_every_identifier_can_stand_in_python(name: OpName) -> None:
    assert name.identifier.isidentifier()
    compile(f"def {name.identifier}(): pass", "name", "exec")


@given(st.text())
def test_what_gets_through_is_made_of_word_characters_alone(text: str) -> None:
    try:
        name = parse_op_name(text)
    except UsageError:
        return
    assert all(part.isascii() and part.isidentifier() for part in (name.namespace, name.base))
    assert name.overload == "" or name.overload.isidentifier()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("elu", "aten::elu"),
        ("aten::elu", "aten::elu"),
        ("max.dim", "aten::max.dim"),
        ("torch.elu", "aten::elu"),
        ("torch.nn.functional.elu", "aten::elu"),
        ("F.elu", "aten::elu"),
        ("torch.special.i0e", "aten::special_i0e"),
        ("torch.linalg.inv", "aten::linalg_inv"),
        ("torch.fft.fft", "aten::fft_fft"),
        ("torch.ops.aten.max.dim", "aten::max.dim"),
        ("torch.Tensor.sinh", "aten::sinh"),
        ("Tensor.sinh", "aten::sinh"),
        ("quantized::relu6", "quantized::relu6"),
        ("aten::__rshift__", "aten::__rshift__"),
    ],
)
def test_spellings(text: str, name: str) -> None:
    assert str(parse_op_name(text)) == name


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "aten::", "::elu", "aten::../../x", "aten::x;import os", "aten::x\n", "a/b", "aten::elu()", "$(id)",
        "aten::élu", "torch.nn.functional.a.b", "a::b::c", "-x", "aten::elu.", "aten:elu", "..", "x\x00",
    ],
)  # fmt: skip
def test_malicious_and_broken_names(text: str) -> None:
    with pytest.raises(UsageError, match="is not the name of an operator"):
        parse_op_name(text)
