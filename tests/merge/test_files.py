"""Files on disk: whole or as they were, whatever happens in between."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from merging import merge, operator
from symgen import files
from symgen.errors import MergeError
from symgen.files import Change, FileVersion, locked, read_file, write_files
from symgen.merge.bases import format_bases, parse_bases
from symgen.merge.remove import remove_definitions

MOMENTS = 200
OLD, NEW = b"old\n" * 50_000, b"new!\n" * 60_000


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "symbolics"
    made.mkdir()
    return made


def write(path: Path, content: bytes | None) -> None:
    write_files([Change(read_file(path), content)])


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def in_child(work: Callable[[], None]) -> int:
    """Runs something in a forked child, and returns the child's id."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            work()
            os._exit(0)
        os._exit(1)
    return child


def test_a_file_is_made_with_its_folders_and_nothing_else(folder: Path) -> None:
    path = folder / "a" / "b" / "module.py"
    with locked([path.parent]):
        write(path, b"x\n")
    assert path.read_bytes() == b"x\n"
    assert names(path.parent) == {"module.py"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask()


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_mode_and_symbolic_link_stay(folder: Path, tmp_path: Path) -> None:
    real, link = tmp_path / "real.py", folder / "module.py"
    real.write_bytes(OLD)
    real.chmod(0o640)
    link.symlink_to(Path("..", "real.py"))
    write(link, NEW)
    assert link.is_symlink()
    assert real.read_bytes() == NEW
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert names(folder) == {"module.py"}


def test_what_is_as_wanted_is_not_touched(folder: Path) -> None:
    path = folder / "module.py"
    path.write_bytes(OLD)
    os.utime(path, ns=(1, 1))
    before = path.stat()
    write(path, OLD)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, 1)


def test_a_file_is_taken_away(folder: Path) -> None:
    path = folder / "module.py"
    path.write_bytes(OLD)
    write(path, None)
    assert names(folder) == set()


def test_a_change_of_an_editor_s_is_kept(folder: Path) -> None:
    path, other = folder / "module.py", folder / "other.py"
    path.write_bytes(OLD)
    version, missing = read_file(path), read_file(other)
    path.write_bytes(b"edited\n")
    with pytest.raises(MergeError, match=r"module\.py: it was changed by something else in the meantime"):
        write_files([Change(missing, NEW), Change(version, NEW)])
    assert path.read_bytes() == b"edited\n"
    assert names(folder) == {"module.py"}


def test_a_file_that_appeared_is_kept(folder: Path) -> None:
    version = read_file(folder / "module.py")
    (folder / "module.py").write_bytes(b"edited\n")
    with pytest.raises(MergeError, match="in the meantime"):
        write_files([Change(version, NEW)])
    assert (folder / "module.py").read_bytes() == b"edited\n"


def test_several_files_are_written_or_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = (folder / f"{name}.py" for name in "abc")
    first.write_bytes(OLD)
    second.write_bytes(OLD)
    replace = Path.replace

    def fail_at_the_second(self: Path, target: Path) -> Path:
        if target == second and second.read_bytes() == OLD and not self.read_bytes() == OLD:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    changes = [Change(read_file(third), NEW), Change(read_file(first), NEW), Change(read_file(second), NEW)]
    monkeypatch.setattr(Path, "replace", fail_at_the_second)
    with pytest.raises(MergeError, match=r"b\.py: cannot be written: the disk is full"):
        write_files(changes)
    assert first.read_bytes() == OLD
    assert second.read_bytes() == OLD
    assert names(folder) == {"a.py", "b.py"}


@pytest.mark.parametrize("read_only", ["module.py", "."])
def test_what_is_read_only_is_left_alone(folder: Path, read_only: str) -> None:
    path, other = folder / "module.py", folder.parent / "other.py"
    path.write_bytes(OLD)
    (folder / read_only).chmod(0o555)
    try:
        with pytest.raises(MergeError, match="read-only") as caught:
            write_files([Change(read_file(other), NEW), Change(read_file(path), NEW)])
    finally:
        (folder / read_only).chmod(0o755)
    assert caught.value.exit_status == 1
    assert path.read_bytes() == OLD
    assert not other.exists()


def test_what_is_no_folder_and_what_is_no_file(folder: Path) -> None:
    (folder / "file").write_bytes(OLD)
    (folder / "module.py").mkdir()
    with pytest.raises(MergeError, match="not a folder"):
        write_files([Change(FileVersion(folder / "file" / "module.py", None), NEW)])
    with pytest.raises(MergeError, match=r"module\.py: it is not a regular file"):
        read_file(folder / "module.py")
    (folder / "loop.py").symlink_to("loop.py")
    with pytest.raises(MergeError, match=r"loop\.py"):
        write(folder / "loop.py", NEW)
    assert names(folder) == {"file", "module.py", "loop.py"}


def test_a_full_disk_leaves_everything_as_it_was(folder: Path) -> None:
    path = folder / "module.py"
    path.write_bytes(b"old\n")

    def write_too_much() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        with pytest.raises(MergeError, match="larger than is allowed"):
            write_files([Change(read_file(folder / "other.py"), b"x\n"), Change(read_file(path), NEW)])

    _, status = os.waitpid(in_child(write_too_much), 0)
    assert status == 0
    assert path.read_bytes() == b"old\n"
    assert names(folder) == {"module.py"}


@pytest.mark.skipif(not os.access("/dev/full", os.W_OK), reason="the system has no /dev/full")
def test_a_disk_that_fills_up_while_writing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "module.py").write_bytes(OLD)
    fsync = os.fsync

    def fill(descriptor: int) -> None:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.dup2(os.open("/dev/full", os.O_WRONLY), descriptor)
            os.write(descriptor, b"x")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", fill)
    with pytest.raises(MergeError, match="the disk is full"):
        write(folder / "module.py", NEW)
    assert (folder / "module.py").read_bytes() == OLD
    assert names(folder) == {"module.py"}


def test_killed_at_any_moment_it_is_the_old_file_or_the_new(folder: Path) -> None:
    path, other = folder / "module.py", folder / "bases.txt"
    chance = random.Random(7)
    duration = seconds_of_a_write(path, other)
    interrupted = 0
    for _ in range(MOMENTS):
        path.write_bytes(OLD)
        other.write_bytes(OLD)
        child = in_child(lambda: write_both(path, other))
        time.sleep(chance.uniform(0, duration))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert path.read_bytes() in (OLD, NEW)
        assert other.read_bytes() in (OLD, NEW)
        interrupted += status != 0
        with locked([folder]):
            assert names(folder) == {"module.py", "bases.txt"}
    assert interrupted > MOMENTS / 10


def write_both(path: Path, other: Path) -> None:
    with locked([path.parent]):
        write_files([Change(read_file(path), NEW), Change(read_file(other), NEW)])


def seconds_of_a_write(path: Path, other: Path) -> float:
    path.write_bytes(OLD)
    start = time.perf_counter()
    os.waitpid(in_child(lambda: write_both(path, other)), 0)
    return time.perf_counter() - start


def test_leftovers_of_a_killed_run_go_at_the_next_and_nothing_else_does(folder: Path) -> None:
    (folder / ".symgen").mkdir()
    for name in (".symgen-0123456789abcdef.tmp", ".symgen/.symgen-0.tmp", ".symgen-x.txt", "a.tmp"):
        (folder / name).write_bytes(b"")
    with locked([folder]):
        assert names(folder) == {".symgen", ".symgen-x.txt", "a.tmp"}
        assert names(folder / ".symgen") == set()


def test_eight_processes_add_eight_operators(folder: Path) -> None:
    path, texts = folder / "symbolic_opset9.py", folder / ".symgen" / "symbolic_opset9.txt"
    ops = [operator(name, "input") for name in ("acos", "asin", "atan", "cosh", "erf", "exp2", "sinh", "zeta")]

    def add(index: int) -> None:
        with locked([folder]):
            version, kept = read_file(path), read_file(texts)
            bases = parse_bases((kept.content or b"").decode())
            outcome = merge(version.content, ops[index], bases=bases)
            text = format_bases(outcome.bases, path.name)
            write_files([Change(version, outcome.after), Change(kept, text.encode())])

    children = [in_child(lambda index=index: add(index)) for index in range(len(ops))]  # type: ignore[misc]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * len(ops)
    together = merge(None, *ops)
    assert path.read_bytes() == together.after
    assert parse_bases(texts.read_text()) == together.bases
    assert names(folder) == {path.name, ".symgen"}
    keys = [one.key for one in ops]
    assert not remove_definitions(path.read_bytes(), keys, path=path.name).failures


def test_who_waits_too_long_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_LONGEST_WAIT", 0.05)
    with locked([folder]), pytest.raises(MergeError, match="another run of symgen is writing here"), locked([folder]):
        pass


def test_the_lock_is_that_of_the_folder_whatever_it_is_called(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_LONGEST_WAIT", 0.05)
    (folder.parent / "link").symlink_to(folder)
    with locked([folder]), pytest.raises(MergeError), locked([folder.parent / "link"]):
        pass
    with locked([folder, folder.parent / "link"]):
        assert names(folder) == set()


def test_a_reader_sees_no_half_of_a_file(folder: Path) -> None:
    path = folder / "module.py"
    path.write_bytes(OLD)
    code = "import sys\nfor _ in range(2000):\n    assert open(sys.argv[1], 'rb').read()[:4] in (b'old\\n', b'new!')\n"
    reader = subprocess.Popen([sys.executable, "-c", code, str(path)])
    for content in alternating(reader):
        write(path, content)
    assert reader.wait() == 0


def alternating(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    while process.poll() is None:
        yield NEW
        yield OLD
