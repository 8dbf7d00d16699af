"""The `__init__.py` of a package, and the texts kept beside it."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from merging import HYPOT, merge
from symgen.merge.bases import base_file, format_bases, parse_bases
from symgen.merge.outcome import Action, MergeOutcome
from symgen.merge.packages import merge_init

HEAD = '"""Symbolics."""\n\n__all__ = []\n'
OWN = b"""\
\"\"\"Symbolics.\"\"\"

from . import symbolic_opset9, symbolic_opset13

__all__ = ["symbolic_opset9", "symbolic_opset13"]
"""


def init(before: bytes | None, *modules: str, removed: tuple[str, ...] = ()) -> MergeOutcome:
    return merge_init(before, modules, path="symbolics/__init__.py", head=HEAD, removed=removed)


def test_a_new_file_imports_every_module_in_order() -> None:
    outcome = init(None, "symbolic_opset13", "symbolic_opset9")
    assert outcome.after == OWN
    assert not init(OWN, "symbolic_opset9", "symbolic_opset13").changed


def test_an_empty_file_becomes_symgen_s_own() -> None:
    assert init(b"", "symbolic_opset13", "symbolic_opset9").after == OWN


def test_a_file_of_its_own_grows_and_shrinks() -> None:
    grown = init(OWN, "symbolic_opset9", "symbolic_opset10", "symbolic_opset13")
    assert grown.after == OWN.replace(b"9, ", b"9, symbolic_opset10, ").replace(b'9", ', b'9", "symbolic_opset10", ')
    assert init(grown.after, removed=("symbolic_opset10",)).after == OWN


WRAPPED = b"""\
\"\"\"Symbolics.\"\"\"

from . import (
    symbolic_opset9,
    symbolic_opset10,
    symbolic_opset11,
    symbolic_opset12,
    symbolic_opset13,
)

__all__ = [
    "symbolic_opset9",
    "symbolic_opset10",
    "symbolic_opset11",
    "symbolic_opset12",
    "symbolic_opset13",
]
"""
FIVE = [f"symbolic_opset{number}" for number in range(9, 14)]


def test_what_is_too_long_for_a_line_has_a_name_a_line() -> None:
    assert init(None, *FIVE).after == WRAPPED
    assert init(OWN, *FIVE).after == WRAPPED
    assert not init(WRAPPED, *FIVE).changed


def test_a_long_line_that_is_there_stays_until_a_name_is_added() -> None:
    listed = ", ".join(f'"{name}"' for name in FIVE[1:])
    long = f"from . import {', '.join(FIVE[1:])}\n\n__all__ = [{listed}]\n".encode()
    assert not init(long, *FIVE[1:]).changed
    assert init(long, *FIVE).after == WRAPPED.partition(b"\n\n")[2]


def test_modules_share_one_import_beside_functions_that_symgen_wrote() -> None:
    function = b"\n\n# symgen: table 0123456789abcdef\ndef table():\n    return {}\n"
    assert init(b"from . import b\n" + function, "a", "c").after == b"from . import a, b, c\n" + function
    theirs = function + b"\n\ndef f():\n    return 1\n"
    assert init(b"from . import b\n" + theirs, "a").after == b"from . import a\nfrom . import b\n" + theirs


USERS = {
    "code": (b"import os\n\nVERSION = 1\n", b"import os\n\nfrom . import symbolic_opset9\n\nVERSION = 1\n"),
    "no imports": (b"VERSION = 1\r\n", b"from . import symbolic_opset9\r\n\r\nVERSION = 1\r\n"),
    "a docstring": (b'"""Mine."""\nVERSION = 1', b'"""Mine."""\n\nfrom . import symbolic_opset9\n\nVERSION = 1'),
    "relative imports": (
        b"from . import zeta\nfrom .a import b\n\n\ndef f():\n    return zeta, b\n",
        b"from . import symbolic_opset9\nfrom . import zeta\nfrom .a import b\n\n\ndef f():\n    return zeta, b\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), USERS.values(), ids=USERS.keys())
def test_a_file_of_the_user_s_gains_one_line(before: bytes, after: bytes) -> None:
    outcome = init(before, "symbolic_opset9")
    assert outcome.after == after
    assert not init(after, "symbolic_opset9").changed
    assert written(init(after, removed=("symbolic_opset9",)).after) == written(before)


def written(content: bytes | None) -> list[bytes]:
    return [line for line in (content or b"").splitlines() if line]


@pytest.mark.parametrize(
    "before",
    [
        b"from .symbolic_opset9 import *\n\nx = 1\n",
        b"import symbolics.symbolic_opset9\n\nx = 1\n",
        b"from symbolics import symbolic_opset9 as nine\n\nx = 1\n",
        b"import importlib\n\nimportlib.import_module('.symbolic_opset9', __name__)\n",
        b"try:\n    from . import symbolic_opset9\nexcept ImportError:\n    pass\n",
    ],
)
def test_what_is_imported_in_another_way_is_left_alone(before: bytes) -> None:
    assert not init(before, "symbolic_opset9").changed
    outcome = init(before, removed=("symbolic_opset9",))
    assert not outcome.changed
    (refusal,) = outcome.failures
    assert refusal.action is Action.REFUSED
    assert refusal.location is not None


def test_the_kept_texts_are_read_as_they_were_written() -> None:
    bases = dict(merge(None, HYPOT).bases)
    assert set(bases) == {"_largest", "_promoted", "aten::hypot"}
    text = format_bases(bases, "symbolic_opset9.py")
    assert parse_bases(text) == bases
    assert format_bases(dict(reversed(bases.items())), "symbolic_opset9.py") == text


def test_a_kept_text_that_was_changed_is_no_base() -> None:
    bases = dict(merge(None, HYPOT).bases)
    text = format_bases(bases, "symbolic_opset9.py").replace("assert count >= 0", "assert count > 0")
    assert set(parse_bases(text)) == {"_promoted", "aten::hypot"}
    assert parse_bases("<<<<<<< HEAD\n") == {}


def test_the_texts_of_tests_are_kept_in_the_package() -> None:
    assert base_file(PurePath("a/symbolics"), PurePath("tests/test_symbolic_opset9.py")) == PurePath(
        "a/symbolics/.symgen/test_symbolic_opset9.txt"
    )
