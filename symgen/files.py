"""Reads and writes the user's files: under a lock, whole or not at all, and never over a change of somebody else's.

with locked([package, tests]):
    module = read_file(package / "symbolic_opset9.py")
    ...
    write_files([Change(module, after)])
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from symgen.errors import MergeError
from symgen.model.location import Location

_TEMPORARY = ".symgen-{}.tmp"
_LONGEST_WAIT = 120.0
_WHAT = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file would be larger than is allowed here",
    errno.EACCES: "permission is denied",
    errno.EPERM: "permission is denied",
    errno.EROFS: "it stands on a read-only file system",
    errno.ENOTDIR: "a part of its path is not a folder",
    errno.EEXIST: "a part of its path is not a folder",
    errno.EISDIR: "it is a folder",
    errno.ELOOP: "its symbolic links go in a circle",
    errno.ENAMETOOLONG: "its name is too long",
}


@dataclass(frozen=True)
class FileVersion:
    """A file as it was read; `content` is None where there was none."""

    path: Path
    content: bytes | None


@dataclass(frozen=True)
class Change:
    """What a file is to hold in place of what was read; None takes it away."""

    version: FileVersion
    content: bytes | None


def read_file(path: Path) -> FileVersion:
    """Reads a file that may be missing.

    Raises:
        MergeError: where it can't be read, or is no regular file.
    """
    try:
        if path.exists() and not path.is_file():
            raise _error(path, "it is not a regular file")
        return FileVersion(path, path.read_bytes())
    except FileNotFoundError:
        return FileVersion(path, None)
    except (OSError, RuntimeError) as error:
        raise _os_error(path, error, "cannot be read") from None


@contextlib.contextmanager
def locked(folders: Iterable[Path]) -> Iterator[None]:
    """Keeps other runs of symgen out of these folders, and removes what a killed one left there.

    The lock files stand in the user's cache, or in the folder for temporary files where there is none.

    Raises:
        MergeError: where another run holds a folder for two minutes.
    """
    from filelock import FileLock, Timeout

    real = sorted({Path(os.path.realpath(folder)) for folder in folders})
    with contextlib.ExitStack() as stack:
        for folder in real:
            try:
                stack.enter_context(FileLock(_lock_file(folder), timeout=_LONGEST_WAIT))
            except Timeout:
                raise _error(folder, "another run of symgen is writing here", "wait for it, or end it") from None
        for folder in real:
            _remove_leftovers(folder)
        yield


def write_files(changes: Sequence[Change]) -> None:
    """Writes several files, all of them or none: each is written beside its place first, then all are moved there.

    Mode and owner stay, a symbolic link stays one, missing folders are made. What is already as wanted isn't touched.

    Raises:
        MergeError: where a file can't be written, or is no longer what was read. Then all are as they were.
    """
    changes = [change for change in changes if change.content != change.version.content]
    with _Transaction() as transaction:
        for change in changes:
            transaction.stage(change)
        for change in changes:
            transaction.check(change)
        for change in changes:
            transaction.move(change)
        transaction.complete()


class _Transaction:
    """The steps of `write_files`, undone on the way out unless they were completed."""

    def __init__(self) -> None:
        self._temporaries: dict[Path, Path] = {}
        self._moved: list[Change] = []
        self._made_folders: list[Path] = []
        self._complete = False

    def __enter__(self) -> _Transaction:
        return self

    def __exit__(self, *error: object) -> None:
        for change in [] if self._complete else reversed(self._moved):
            with contextlib.suppress(OSError):
                self._restore(change)
        for temporary in self._temporaries.values():
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
        for folder in [] if self._complete else reversed(self._made_folders):
            with contextlib.suppress(OSError):
                folder.rmdir()

    def stage(self, change: Change) -> None:
        """Writes the new content into a temporary file in the same folder."""
        path = change.version.path
        try:
            target = Path(os.path.realpath(path))
            self._make_folder(target.parent)
            status = target.stat() if target.exists() else None
            _refuse_read_only(path, target, status)
            if change.content is not None:
                self._temporaries[path] = _write_temporary(target, change.content, status)
        except (OSError, RuntimeError) as error:
            raise _os_error(path, error, "cannot be written") from None

    def check(self, change: Change) -> None:
        """Makes sure that the file still holds what was read."""
        if read_file(change.version.path).content != change.version.content:
            hint = "nothing was written; run symgen again"
            raise _error(change.version.path, "it was changed by something else in the meantime", hint)

    def move(self, change: Change) -> None:
        """Puts the new file into its place, in one step."""
        path = change.version.path
        target = Path(os.path.realpath(path))
        try:
            if change.content is None:
                target.unlink()
            else:
                self._temporaries[path].replace(target)
            self._moved.append(change)
            _sync_folder(target.parent)
        except OSError as error:
            raise _os_error(path, error, "cannot be written") from None

    def complete(self) -> None:
        """Lets everything stay."""
        self._complete = True

    def _restore(self, change: Change) -> None:
        target = Path(os.path.realpath(change.version.path))
        if change.version.content is None:
            target.unlink()
        else:
            status = target.stat() if target.exists() else None
            _write_temporary(target, change.version.content, status).replace(target)

    def _make_folder(self, folder: Path) -> None:
        missing = [one for one in (folder, *folder.parents) if not one.exists()]
        for one in reversed(missing):
            one.mkdir()
            self._made_folders.append(one)


def _write_temporary(target: Path, content: bytes, status: os.stat_result | None) -> Path:
    temporary = target.with_name(_TEMPORARY.format(secrets.token_hex(8)))
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if status is not None:
                os.chmod(temporary, stat.S_IMODE(status.st_mode))
                with contextlib.suppress(OSError, AttributeError):
                    os.chown(temporary, status.st_uid, status.st_gid)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _refuse_read_only(path: Path, target: Path, status: os.stat_result | None) -> None:
    """Takes the mode at its word also where the user could write in spite of it."""
    for one, mode in ((target, status.st_mode if status else None), (target.parent, target.parent.stat().st_mode)):
        if mode is not None and (not mode & 0o222 or not os.access(one, os.W_OK)):
            what = "it is read-only" if one == target else f"the folder {one} is read-only"
            raise _error(path, what, "make it writable if symgen may change it")


def _remove_leftovers(folder: Path) -> None:
    """Deletes the temporary files of runs that were killed; the lock says that nobody uses them."""
    for place in (folder, folder / ".symgen"):
        with contextlib.suppress(OSError):
            for leftover in place.glob(_TEMPORARY.format("*")):
                leftover.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Makes the move last through a power cut, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _lock_file(folder: Path) -> Path:
    from platformdirs import user_cache_path

    name = f"{hashlib.blake2b(os.fsencode(folder), digest_size=12).hexdigest()}.lock"
    for cache in (user_cache_path("symgen", appauthor=False), Path(tempfile.gettempdir(), "symgen")):
        with contextlib.suppress(OSError):
            (cache / "locks").mkdir(parents=True, exist_ok=True)
            if os.access(cache / "locks", os.W_OK):
                return cache / "locks" / name
    raise _error(folder, "there is no folder for a lock file", "set XDG_CACHE_HOME or TMPDIR to a writable one")


def _os_error(path: Path, error: Exception, failure: str) -> MergeError:
    number = getattr(error, "errno", None) or 0
    return _error(path, f"{failure}: {_WHAT.get(number) or getattr(error, 'strerror', None) or error}")


def _error(path: Path, message: str, hint: str = "") -> MergeError:
    return MergeError(message, location=Location(str(path)), hint=hint)
