"""The cache: right, replaced when anything changes, ignored when it is damaged, never in the way."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

import symgen
from symgen.introspect.cache import FOLDER_VARIABLE, LazyEntries, cache_folder, cached, to_rows, tuples
from symgen.introspect.native_functions import FunctionEntry


class Counter:
    """A builder that counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> dict[str, list[int]]:
        self.calls += 1
        return {"a": [1, 2]}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.txt"
    path.write_text("declarations")
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "caches"))
    return tmp_path / "caches"


@pytest.fixture
def build() -> Counter:
    return Counter()


def test_it_is_built_once(folder: Path, source: Path, build: Counter) -> None:
    values = [cached("x", ["1"], [source], build) for _ in range(3)]
    assert values == [{"a": [1, 2]}] * 3
    assert build.calls == 1
    assert [path.name for path in folder.iterdir()] == ["x.json"]


def grow(source: Path) -> None:
    source.write_text("more declarations")


def touch(source: Path) -> None:
    os.utime(source, (1, 1))


@pytest.mark.parametrize("change", [grow, touch])
def test_a_changed_source_replaces_it(
    folder: Path, source: Path, build: Counter, change: Callable[[Path], None]
) -> None:
    cached("x", ["1"], [source], build)
    change(source)
    cached("x", ["1"], [source], build)
    cached("x", ["1"], [source], build)
    assert build.calls == 2


def test_another_version_replaces_it(
    folder: Path, source: Path, build: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached("x", ["1"], [source], build)
    cached("x", ["2"], [source], build)
    monkeypatch.setattr(symgen, "__version__", "999")
    cached("x", ["2"], [source], build)
    assert build.calls == 3


@pytest.mark.parametrize("damage", [b"", b"\n", b"garbage", b"\x00\xff\n{}", None])
def test_a_damaged_cache_is_ignored_and_rewritten(
    folder: Path, source: Path, build: Counter, damage: bytes | None
) -> None:
    cached("x", ["1"], [source], build)
    path = folder / "x.json"
    whole = path.read_bytes()
    path.write_bytes(whole[:-3] + b"9]}" if damage is None else damage)
    assert cached("x", ["1"], [source], build) == {"a": [1, 2]}
    assert path.read_bytes() == whole
    assert build.calls == 2


def test_a_folder_that_cannot_be_written_only_costs_time(
    tmp_path: Path, source: Path, build: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "file" / "caches"))
    assert cached("x", ["1"], [source], build) == cached("x", ["1"], [source], build)
    assert build.calls == 2


def test_an_interrupted_write_leaves_nothing(
    folder: Path, source: Path, build: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", full)
    cached("x", ["1"], [source], build)
    assert list(folder.iterdir()) == []


def test_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv(FOLDER_VARIABLE)
    assert cache_folder().name == "symgen"


def test_entries_come_back_from_their_rows() -> None:
    entries = {"sin": (FunctionEntry("sin(Tensor self) -> Tensor", 1, ("function", "method"), tags=("core",)),)}
    lazy = LazyEntries(to_rows(entries), FunctionEntry.from_row)
    assert dict(lazy) == entries
    assert (len(lazy), "sin" in lazy, "cos" in lazy, lazy.get("cos", ())) == (1, True, False, ())


def test_rows_hold_sets_sorted_and_lists_for_tuples() -> None:
    assert to_rows({"a": [frozenset({"y", "x"}), (1, (2, 3))]}) == {"a": [["x", "y"], [1, [2, 3]]]}
    assert tuples([1, [2, [3]]]) == (1, (2, (3,)))


def test_an_absent_source_is_for_the_builder_to_complain_of(folder: Path, tmp_path: Path, build: Counter) -> None:
    cached("x", ["1"], [tmp_path / "absent"], build)
    assert build.calls == 1


def test_the_usual_folder_is_the_one_that_platformdirs_names(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (FOLDER_VARIABLE, "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    assert cache_folder() == platformdirs.user_cache_path("symgen", appauthor=False)
