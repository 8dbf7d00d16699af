"""Helpers in a module of their own go when the last file that calls them does."""

from __future__ import annotations

import pytest

from symgen.merge.apply import merge_module
from symgen.merge.shared import unneeded_helpers
from symgen.model.definition import Definition, ModuleText

PATH = "torchlib_ops/tracing.py"


def helper(name: str, *called: str) -> Definition:
    body = ", ".join(f"{one}()" for one in called) or "None"
    return Definition(name, f"def {name}():\n    return {body}\n", requires=called, exported=False, shared=True)


HELPERS = (helper("_cast", "_dtype"), helper("_dtype"), helper("_rank"))
TRACING = merge_module(None, ModuleText('"""What functions share."""\n', HELPERS), path=PATH).after or b""


@pytest.mark.parametrize(
    ("others", "unneeded"),
    [
        ([b"from .tracing import _cast, _rank"], []),
        ([b"from .tracing import _cast"], ["_rank"]),
        ([b"from .tracing import _dtype", b"tracing._rank"], ["_cast"]),
        ([b"# _casting"], ["_cast", "_dtype", "_rank"]),
        ([b"\xff _cast \xfe"], ["_rank"]),
        ([], ["_cast", "_dtype", "_rank"]),
    ],
)
def test_what_no_file_has_a_word_of_is_unneeded(others: list[bytes], unneeded: list[str]) -> None:
    assert sorted(unneeded_helpers(TRACING, PATH, others)) == unneeded


def test_a_person_s_own_code_keeps_what_it_calls() -> None:
    assert sorted(unneeded_helpers(TRACING + b"\nprint(_cast)\n", PATH, [])) == ["_rank"]


def test_an_edited_helper_stays_with_what_it_calls() -> None:
    edited = TRACING.replace(b"return _dtype()", b"return _dtype() or 1")
    assert sorted(unneeded_helpers(edited, PATH, [])) == ["_rank"]
