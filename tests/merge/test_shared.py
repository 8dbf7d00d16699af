"""Helpers in a module of their own go when the last file that imports them does."""

from __future__ import annotations

import pytest

from symgen.merge.apply import merge_module
from symgen.merge.remove import remove_definitions
from symgen.merge.shared import imported_names, unneeded_helpers
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


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("from .tracing import _cast, _rank as rank", {"_cast", "_rank"}),
        ("from torchlib_ops.tracing import (\n    _cast,\n)", {"_cast"}),
        ("def f(x):\n    from .tracing import _cast\n    return _cast(x)", {"_cast"}),
        ("from . import tracing\n\ntracing._rank(x)", {"_rank"}),
        ("from torchlib_ops import tracing as t\n\nt._rank(x)", {"_rank"}),
        ("import torchlib_ops.tracing\n\ntorchlib_ops.tracing._rank(x)", {"_rank"}),
        ("from .others import _cast\n\n_rank(x)  # as in tracing", set()),
        ("from .tracing import _cast(", {"from", "tracing", "import", "_cast"}),
        ("_cast", set()),
    ],
)
def test_what_a_file_takes_from_a_module(text: str, names: set[str]) -> None:
    assert imported_names([text.encode()], "tracing") == names


def test_what_other_files_import_stays_whoever_called_it_here() -> None:
    gone = remove_definitions(TRACING, ["_cast"], path=PATH).after or b""
    kept = remove_definitions(TRACING, ["_cast"], path=PATH, needed=["_dtype"]).after or b""
    assert b"_dtype" not in gone
    assert b"def _dtype(" in kept


def test_a_helper_that_others_may_import_outlives_the_last_that_calls_it_here() -> None:
    changed = ModuleText("", (helper("_cast"),))
    after = merge_module(TRACING, changed, path=PATH).after or b""
    assert b"return None" in after.partition(b"def _cast(")[2][:30]
    assert b"def _dtype(" in after
