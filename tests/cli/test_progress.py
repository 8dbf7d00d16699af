"""What a long run says of itself where stderr is no terminal."""

from __future__ import annotations

import re
import time

import pytest

from symgen.cli import progress
from symgen.config import Config
from symgen.model.run import Step


def wait_for(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    end, said = time.monotonic() + 30, ""
    while not re.search(line, said, re.MULTILINE):
        assert time.monotonic() < end, said
        time.sleep(0.02)
        out, err = capsys.readouterr()
        assert not out
        said += err


def test_a_log_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "SECONDS", 0.02)
    with progress.progress(Config(json=True)) as listener:
        wait_for(r"^symgen, after \d+ s: nothing done yet$", capsys)
        listener(Step("aten::hypot", 1, 10, 113, 2))
        wait_for(r"^symgen, after \d+ s: aten::hypot, 1 of 10 operators done, 113 samples, 2 failures$", capsys)
    capsys.readouterr()
    time.sleep(0.1)
    assert capsys.readouterr() == ("", ""), "it ends with the run"


@pytest.mark.parametrize("config", [Config(quiet=True), Config()])
def test_quiet_and_short_runs_say_nothing(config: Config, capsys: pytest.CaptureFixture[str]) -> None:
    started = time.monotonic()
    with progress.progress(config) as listener:
        listener(Step("aten::hypot", 1, 10))
    assert time.monotonic() - started < progress.SECONDS / 2, "nobody waits for the next line"
    assert capsys.readouterr() == ("", "")


def test_what_a_scan_counts() -> None:
    step = Step("judging operators", 120, 400)
    said = "symgen, after 31 s: judging operators, 120 of 400 of the graph"
    assert progress.step_line(step, 31.2, "of the graph") == said
    assert progress.step_line(Step("tracing", 0, 0), 61, "of the graph") == "symgen, after 61 s: tracing"


def test_what_an_audit_counts_last() -> None:
    step = Step("aten::elu", 3, 12, counted="failures made small")
    assert progress.step_line(step, 31.2) == "symgen, after 31 s: aten::elu, 3 of 12 failures made small"
    step = Step("aten::elu", 3, 12, 113, 2, "operators judged again")
    said = "symgen, after 31 s: aten::elu, 3 of 12 operators judged again, 113 samples, 2 failures"
    assert progress.step_line(step, 31.2) == said
