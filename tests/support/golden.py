"""Whole generated files, kept in `golden/` and compared byte for byte."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path

import pytest


class Golden:
    """Compares what a test makes with a folder of `golden/`.

    A missing file is an error and not written unless `--create-golden` says so; a file that differs is not rewritten
    unless `--update-golden` says so, which also removes files that the test no longer makes.
    """

    def __init__(self, root: Path, *, create: bool, update: bool) -> None:
        self._root = root
        self._create = create
        self._update = update

    def check(self, case: str, made: Mapping[str, str | bytes]) -> None:
        """Holds that the files of `golden/<case>/` are exactly `made`, contents by relative path."""
        folder = self._root / case
        kept = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        for stale in sorted(kept - made.keys()):
            self._settle_stale(folder / stale)
        contents = {name: text.encode() if isinstance(text, str) else text for name, text in made.items()}
        problems = [problem for name, content in contents.items() if (problem := self._settle(folder / name, content))]
        if problems:
            pytest.fail("\n".join(problems), pytrace=False)

    def _settle_stale(self, path: Path) -> None:
        if not self._update:
            pytest.fail(f"{path} is no longer made; run with --update-golden to remove it", pytrace=False)
        path.unlink()

    def _settle(self, path: Path, made: bytes) -> str:
        """Compares one file, and returns what is wrong with it."""
        if not path.is_file():
            if not self._create:
                return f"{path} is missing; run with --create-golden to write it"
        else:
            kept = path.read_bytes()
            if kept == made:
                return ""
            if not self._update:
                old, new = (content.decode(errors="backslashreplace").splitlines() for content in (kept, made))
                diff = difflib.unified_diff(old, new, str(path), "made now", lineterm="")
                return "\n".join([*diff, f"{path} differs; run with --update-golden to renew it"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made)
        return ""
