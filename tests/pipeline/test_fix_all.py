"""`symgen fix --all`: a function for each operator that an audit found wanting, which runs where nothing is known."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from symgen.config import Config, NewOptions
from symgen.introspect.cache import FOLDER_VARIABLE
from symgen.model.names import parse_op_name
from symgen.model.result import Status
from symgen.model.run import Run
from symgen.pipeline import audit, new
from symgen.pipeline.audit import Audited, last_audit
from symgen.pipeline.exporters import TorchScriptExporter
from symgen.pipeline.release_records import ReleaseRecords, load_release_records

WRONG, RIGHT, BEYOND_US = "aten::atan2", "aten::new_full", "aten::unsafe_chunk"


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    """A project with nothing in it, and an empty cache."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    return Config(package=tmp_path / "symbolics", tests=tmp_path / "tests")


@pytest.fixture
def few_operators(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exporter of three operators, so that a whole audit takes seconds."""
    names = tuple(map(parse_op_name, (WRONG, RIGHT, BEYOND_US)))
    monkeypatch.setattr(TorchScriptExporter, "registered", lambda self, sources: names)


@pytest.fixture
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with another torch than that which symgen was made with."""
    monkeypatch.setattr(sys.modules[new.__module__], "load_release_records", ReleaseRecords)


def fix_all(config: Config) -> Run:
    return new((), config, NewOptions(correct=True, every=True))


@pytest.mark.usefixtures("few_operators", "nothing_known")
def test_what_an_audit_finds_is_corrected_once(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody sees the samples of that audit, so that none is made small."""
    monkeypatch.delattr(sys.modules["symgen.pipeline.audit"], "find_smallest")
    assert last_audit(config) is None

    first = fix_all(config)

    assert last_audit(config) == (WRONG, BEYOND_US)
    outcomes = {outcome.op: outcome for outcome in first.outcomes}
    assert outcomes.keys() == {WRONG, BEYOND_US}
    assert outcomes[WRONG].status is Status.VERIFIED
    assert (outcomes[BEYOND_US].status, first.exit_status) == (Status.FAILED, 1)
    assert "symgen has no other" in outcomes[BEYOND_US].reason
    written = {path: path.read_bytes() for path in config.package.rglob("*.py")}
    assert any(b"def atan2(" in text for text in written.values())

    second = fix_all(config)

    assert not second.changes
    assert {outcome.op: outcome.status for outcome in second.outcomes}[WRONG] is Status.UNCHANGED
    assert {path: path.read_bytes() for path in config.package.rglob("*.py")} == written


@pytest.mark.usefixtures("few_operators")
def test_what_was_seen_when_symgen_was_made_needs_no_audit(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    if not load_release_records().by_key:
        pytest.skip("it is not known what other versions of torch or onnxscript get wrong")
    monkeypatch.delattr(sys.modules[new.__module__], "audit")

    outcomes = {outcome.op: outcome.status for outcome in fix_all(config).outcomes}

    assert last_audit(config) is None
    assert outcomes == {WRONG: Status.VERIFIED, BEYOND_US: Status.FAILED}


def test_an_audit_of_some_opsets_is_no_whole_one(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["symgen.pipeline.audit"], "look", lambda *_, **__: Audited((), (), ()))

    audit((), replace(config, opset=20))
    assert last_audit(config) is None
    audit((), config)
    assert last_audit(config) == ()
