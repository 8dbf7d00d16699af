"""What is finished is on record, however a run ends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

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
