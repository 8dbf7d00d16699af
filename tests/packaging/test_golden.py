"""The helper that compares with golden folders: creating and renewing are separate, explicit acts."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden import Golden

MADE = {"a.py": "one\n", "sub/b.py": "two\n"}
Failed = pytest.fail.Exception


def golden(root: Path, *, create: bool = False, update: bool = False) -> Golden:
    return Golden(root, create=create, update=update)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    golden(tmp_path, create=True).check("case", MADE)
    return tmp_path


def test_what_was_created_is_what_was_made(root: Path) -> None:
    assert (root / "case" / "sub" / "b.py").read_text() == "two\n"
    golden(root).check("case", MADE)


def test_a_missing_file_fails_and_updating_does_not_create_it(root: Path) -> None:
    (root / "case" / "a.py").unlink()
    for update in (False, True):
        with pytest.raises(Failed, match=r"a\.py is missing; run with --create-golden"):
            golden(root, update=update).check("case", MADE)


def test_a_difference_fails_with_its_diff_and_creating_does_not_renew_it(root: Path) -> None:
    for create in (False, True):
        with pytest.raises(Failed, match=r"(?s)-one\n\+three\n.*run with --update-golden"):
            golden(root, create=create).check("case", {**MADE, "a.py": "three\n"})
    golden(root, update=True).check("case", {**MADE, "a.py": "three\n"})
    assert (root / "case" / "a.py").read_text() == "three\n"


def test_a_stale_file_fails_until_it_is_removed(root: Path) -> None:
    made = {"a.py": "one\n"}
    with pytest.raises(Failed, match=r"b\.py is no longer made"):
        golden(root).check("case", made)
    golden(root, update=True).check("case", made)
    assert not (root / "case" / "sub" / "b.py").exists()
