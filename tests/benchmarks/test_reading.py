"""What the cache of declarations is worth."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from symgen.introspect.cache import FOLDER_VARIABLE
from symgen.introspect.catalogue import load_catalogue
from symgen.introspect.onnx_schemas import load_onnx_schemas
from symgen.model.names import OpName
from timing import ratio

pytestmark = pytest.mark.benchmark

HYPOT = OpName("aten", "hypot")


def seconds_to_read() -> float:
    """How long everything takes that is asked about one operator."""
    start = time.perf_counter()
    catalogue = load_catalogue()
    for schema in catalogue.operator(catalogue.arrives_as(HYPOT).op).overloads:
        catalogue.stub_names(schema)
    catalogue.registered.serving(HYPOT.qualified, 20)
    load_onnx_schemas().at("Sqrt", 20)
    return time.perf_counter() - start


def test_a_warm_cache_saves_most_of_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = iter(range(100))

    def cold() -> float:
        monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / f"cold{next(folders)}"))
        return seconds_to_read()

    def warm() -> float:
        monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "warm"))
        return seconds_to_read()

    share = ratio(warm, cold, rounds=3)
    print(f"reading with a warm cache: {share:.3f} x without")
    assert share <= 0.1
