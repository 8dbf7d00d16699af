"""What is finished is on record, however a run ends, and what is judged is told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from symgen.model.run import Step
from symgen.pipeline import drive
from symgen.verify.record import load_record
from symgen.verify.session import Progress
from symgen.verify.task import Verification, VerifyTask


def test_an_operator_that_is_finished_is_on_record_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SYMGEN_CACHE_DIR", str(tmp_path))
    first, second = VerifyTask("aten::first", ()), VerifyTask("aten::second", ())
    told: list[Progress] = []

    def ends_early(tasks: Sequence[VerifyTask], *, pool: object, progress: Any) -> None:
        assert list(tasks) == [first, second]
        progress(Progress(1, 2, 0, 0, "aten::first", Verification("aten::first")))
        raise SystemExit

    monkeypatch.setattr(drive, "verify_many", ends_early)
    with pytest.raises(SystemExit):
        drive.verify_remembered([first, second], None, told.append)
    assert [one.last for one in told] == ["aten::first"]
    assert load_record(first) is not None
    assert load_record(second) is None


def test_what_is_told_is_how_many_are_judged_and_judged_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of two trials one wants another verification after the first."""
    monkeypatch.setenv("SYMGEN_CACHE_DIR", str(tmp_path))

    def trial(name: str, again: bool) -> Any:
        seen = yield VerifyTask(name, ())
        if again:
            seen = yield VerifyTask(name, (), opsets=(20,))
        return (name, seen.op)

    def verify_all(tasks: Sequence[VerifyTask], *, pool: object, progress: Any) -> list[Verification]:
        found = [Verification(task.op) for task in tasks]
        for place, one in enumerate(found, 1):
            progress(Progress(place, len(tasks), 10 * place, place, one.op, one))
        return found

    monkeypatch.setattr(drive, "verify_many", verify_all)
    told: list[Step] = []
    decisions: Any = drive.run_trials([trial("aten::first", True), trial("aten::second", False)], None, told.append)
    assert decisions == (("aten::first", "aten::first"), ("aten::second", "aten::second"))
    assert told == [
        Step("aten::first", 1, 2, 10, 1, "operators judged"),
        Step("aten::second", 2, 2, 20, 2, "operators judged"),
        Step("aten::first", 1, 1, 10, 1, "operators judged again"),
    ]
