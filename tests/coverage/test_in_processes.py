from __future__ import annotations

from concurrent.futures.process import BrokenProcessPool

import pytest

from symgen.config import Config
from symgen.coverage import list_coverage
from symgen.model.names import parse_op_name
from symgen.pipeline import in_processes
from symgen.pipeline.chart import list_operators
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


def broken(*arguments: object) -> None:
    raise BrokenProcessPool


@pytest.mark.usefixtures("many")
def test_results_come_in_the_order_of_the_items(sources: Sources) -> None:
    assert list_operators(NAMES, sources, Config()) == list_coverage(sources, NAMES)


@pytest.mark.usefixtures("many")
def test_where_processes_end_the_work_is_done_here(sources: Sources, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_processes, "ProcessPoolExecutor", broken)
    assert list_operators(NAMES, sources, Config()) == list_coverage(sources, NAMES)


def test_a_few_need_no_processes(sources: Sources, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_processes, "ProcessPoolExecutor", broken)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert list_operators(NAMES, sources, Config()) == list_coverage(sources, NAMES)
