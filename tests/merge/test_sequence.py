"""Entries of lists: in any manner of writing one, entries go in and out and nothing else changes."""

from __future__ import annotations

import ast

from hypothesis import given, settings
from hypothesis import strategies as st

from symgen.merge.exports import add_exports, exported_names, remove_exports
from symgen.merge.sequence import natural_order
from symgen.merge.source import parse_source
from symgen.merge.splice import apply_splices
from symgen.merge.style import FileStyle

NAMES = st.lists(st.sampled_from(["abs", "acos", "addcmul2", "addcmul10", "Shape", "MAX", "_x", "zeta"]), unique=True)


@st.composite
def statements(draw: st.DrawFn) -> str:
    """`__all__ = ...` with its entries and blanks, comments and line ends anywhere between them."""
    opening, closing = draw(st.sampled_from(["[]", "()", "{}"]))
    gap = st.sampled_from(["", " ", "\n    ", "  # note\n    ", "\n    # above\n    "])
    entries = [f'"{name}"' for name in draw(NAMES)]
    text = opening + draw(gap)
    for index, entry in enumerate(entries):
        last = index == len(entries) - 1
        comma = draw(st.booleans()) or (opening == "(" and len(entries) == 1) if last else True
        text += entry + ("," if comma else "") + draw(gap)
    if opening == "{" and not entries:
        text = "[" + draw(gap)
        closing = "]"
    suffix = draw(st.sampled_from(["", "  # noqa", " + other"]))
    prefix = draw(st.sampled_from(["__all__ = ", "__all__ += ", "__all__: list[str] = "]))
    return prefix + text + closing + suffix + "\n"


def names_in(text: str) -> list[str]:
    nodes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    return [node.value for node in nodes if isinstance(node.value, str)]


@settings(max_examples=400, deadline=None)
@given(statements(), st.lists(st.sampled_from(["hypot", "frac", "ABS", "addcmul3"]), min_size=1, unique=True))
def test_names_go_in_and_come_out(text: str, added: list[str]) -> None:
    source = parse_source(text.encode(), "f.py")
    after = apply_splices(text, add_exports(source, added, FileStyle()))
    grown = parse_source(after.encode(), "f.py")
    old, new = names_in(text), names_in(after)
    assert sorted(new) == sorted([*old, *added])
    assert [name for name in new if name in old] == old
    assert exported_names(grown) == {*old, *added}
    assert [note for note in after.split() if note == "#"] == [note for note in text.split() if note == "#"]
    again = add_exports(grown, added, FileStyle())
    assert again == []
    removed = apply_splices(after, remove_exports(grown, added))
    assert names_in(removed) == old
    assert type(ast.parse(removed).body[0].value) is type(ast.parse(text).body[0].value)  # type: ignore[attr-defined]


@settings(max_examples=200, deadline=None)
@given(NAMES.map(sorted), st.sampled_from(["hypot", "frac", "addcmul3"]))
def test_a_sorted_list_stays_sorted(names: list[str], added: str) -> None:
    text = f"__all__ = {names!r}\n"
    after = apply_splices(text, add_exports(parse_source(text.encode(), "f.py"), [added], FileStyle()))
    found = names_in(after)
    assert found in (sorted(found), sorted(found, key=str.lower), sorted(found, key=natural_order))
