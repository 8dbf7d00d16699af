from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from symgen.config import Config
from symgen.coverage import CoverageRow, list_coverage
from symgen.model.names import parse_op_name
from symgen.pipeline import in_processes
from symgen.pipeline.chart import list_charted
from symgen.sources import Sources, load_sources

NAMES = [parse_op_name(f"aten::{base}") for base in ("sinh", "hypot", "abs", "to_sparse")]


@pytest.fixture(scope="module")
def sources() -> Sources:
    return load_sources(Config())


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes four operators on any machine count as many on two cores."""
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr(in_processes, "_CHUNK", 1)


def rows(sources: Sources) -> tuple[CoverageRow, ...]:
    return tuple(row for row, _ in list_charted(NAMES, sources, Config()))


def broken(*arguments: object) -> None:
    raise BrokenProcessPool


@pytest.mark.usefixtures("many")
def test_results_come_in_the_order_of_the_items(sources: Sources) -> None:
    assert rows(sources) == list_coverage(sources, NAMES)


@pytest.mark.usefixtures("many")
def test_where_processes_end_the_work_is_done_here(sources: Sources, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_processes, "ProcessPoolExecutor", broken)
    assert rows(sources) == list_coverage(sources, NAMES)


def test_a_few_need_no_processes(sources: Sources, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_processes, "ProcessPoolExecutor", broken)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert rows(sources) == list_coverage(sources, NAMES)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    code = (
        "import os; from symgen.cli import main; os.cpu_count = lambda: 2; "
        f"main(['coverage', '--csv', {str(tmp_path / 'coverage.csv')!r}])"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as started:
        eventually(lambda: len(children(started.pid)) >= 2)
        found = children(started.pid)
        started.kill()
    eventually(lambda: not any(is_running(pid) for pid in found))


def children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def eventually(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.1)
