"""Keeps parsed declarations on disk between runs, as JSON: nothing that is read from a cache can run code."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import symgen

FOLDER_VARIABLE = "SYMGEN_CACHE_DIR"
"""The environment variable that names another folder for the caches."""
Row = Sequence[Any]
"""The fields of one entry, nested as JSON has them."""
Rows = Mapping[str, Sequence[Row]]
T = TypeVar("T")


class LazyEntries(Mapping[str, tuple[T, ...]]):
    """Entries by name, each made from its row when it is first asked for: a run asks for a few of some thousands."""

    def __init__(self, rows: Rows, make: Callable[[Row], T]) -> None:
        self._rows = rows
        self._make = make
        self._made: dict[str, tuple[T, ...]] = {}

    def __getitem__(self, name: str) -> tuple[T, ...]:
        if name not in self._made:
            self._made[name] = tuple(self._make(row) for row in self._rows[name])
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def to_rows(entries: Mapping[str, Sequence[Any]]) -> Rows:
    """The entries (dataclasses) as rows that JSON can hold; sets become sorted lists."""
    return {name: [_plain(entry) for entry in found] for name, found in entries.items()}


def tuples(row: Any) -> Any:
    """The value with every list in it, at any depth, made a tuple again."""
    return tuple(map(tuples, row)) if isinstance(row, list) else row


def cached(name: str, versions: Sequence[str], sources: Sequence[Path], build: Callable[[], Any]) -> Any:
    """What `build` returns, from the cache as long as versions and sources (by size and time of change) are the same.

    A cache that is absent, damaged or unwritable costs time and nothing else.
    """
    path = cache_folder() / f"{name}.json"
    key = _key(versions, sources)
    try:
        return _decode(path.read_bytes(), key)
    except (OSError, ValueError):
        value = build()
        _write(path, _encode(value, key))
        return value


def cache_folder() -> Path:
    """Where caches stand: `SYMGEN_CACHE_DIR`, else the user's folder for caches."""
    if chosen := os.environ.get(FOLDER_VARIABLE):
        return Path(chosen)
    if sys.platform == "linux" and "XDG_CACHE_HOME" not in os.environ:
        return Path.home() / ".cache" / "symgen"  # what platformdirs says, too, but takes 4 ms to import for
    import platformdirs

    return platformdirs.user_cache_path("symgen", appauthor=False)


def _key(versions: Sequence[str], sources: Sequence[Path]) -> str:
    """Everything that the cached value depends on; symgen's own parsers are among it."""
    own = sorted(Path(__file__).parent.glob("*.py"))
    files = [_state(path) for path in (*sources, *own)]
    return json.dumps([symgen.__version__, sys.version_info[:2], list(versions), files])


def _state(path: Path) -> tuple[str, int, int]:
    """A file's size and time of change; zeros where there is none, which is for the builder to say."""
    try:
        stat = path.stat()
    except OSError:
        return str(path), 0, 0
    return str(path), stat.st_size, stat.st_mtime_ns


def _encode(value: Any, key: str) -> bytes:
    payload = json.dumps(value, separators=(",", ":")).encode()
    return b"%08x %b\n%b" % (zlib.crc32(payload), key.encode(), payload)


def _decode(content: bytes, key: str) -> Any:
    """The value in a cache file; raises ValueError where it was made from something else, or is damaged."""
    head, _, payload = content.partition(b"\n")
    if head != b"%08x %b" % (zlib.crc32(payload), key.encode()):
        raise ValueError("the cache is stale or damaged")
    return json.loads(payload)


def _write(path: Path, content: bytes) -> None:
    """Replaces the file in one step, so that no other process ever reads half of it."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(content)
        unfinished.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return [_plain(getattr(value, field.name)) for field in dataclasses.fields(value)]
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
