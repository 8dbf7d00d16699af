"""What torch.export takes apart is put right through the functions of what it makes of it, or not at all."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from symgen.config import Config, NewOptions, Target
from symgen.model.result import Evidence, SampleResult, Status, Verdict
from symgen.pipeline import new
from symgen.pipeline.decide import Decision, Settings, Trial, decide
from symgen.pipeline.exporters import TORCHLIB_EXPORTER
from symgen.pipeline.release_records import ReleaseRecords, load_release_records
from symgen.pipeline.resolve import Request, resolve_names
from symgen.sources import Sources, load_sources
from symgen.verify.task import Verification, VerifyTask

OP = "aten::view_as"
WRONG = SampleResult("default(f32[0,4], f32[0,4])", "float32", 18, "exported", Verdict.INVALID_MODEL)
NEVER = replace(
    WRONG,
    sample="default(f32[3,4], f32[3,4])",
    verdict=Verdict.NEVER_ASKED,
    detail="the exporter never asks for it: torch.export makes aten::view of it",
)
RIGHT = Evidence(samples=3, dtypes=("float32",), opsets=(18,), modes=("exported",), exports=1, runs=3)


def decided(of_parts: Evidence, known: ReleaseRecords | None = None) -> tuple[Decision, VerifyTask | None]:
    """The decision where that was seen with functions for the parts, and the task that asked for it."""
    sources = load_sources(Config())
    known = load_release_records() if known is None else known
    settings = Settings(correct=True, exporter=TORCHLIB_EXPORTER, known=known)
    trial = decide(resolve_names([OP], sources, Target.TORCHLIB)[0], sources, settings)
    next(trial)
    trial.send(Verification(OP, Evidence(failures=(WRONG,))))
    try:
        task = trial.send(Verification(OP, Evidence(never_asked=(NEVER,))))
    except StopIteration as end:
        return end.value, None
    with pytest.raises(StopIteration) as ended:
        trial.send(Verification(OP, of_parts))
    return ended.value.value, task


@pytest.fixture(autouse=True)
def records() -> None:
    if not load_release_records().by_key:
        pytest.skip("it is not known what other versions of torch or onnxscript get wrong")


def test_it_is_right_with_functions_for_its_parts() -> None:
    decision, task = decided(RIGHT)
    assert task is not None
    assert task.op == OP
    assert "def aten_view(" in task.modules[0][1]
    assert decision.status is Status.UNCHANGED
    assert decision.parts == ("aten::view",)
    assert decision.evidence == RIGHT
    assert decision.reason.endswith(
        "; the exporter never asks for it: torch.export makes aten::view of it; with symgen's aten::view it is right"
    )


@pytest.mark.parametrize(
    "seen",
    [replace(RIGHT, failures=(WRONG,)), replace(RIGHT, samples=0), replace(RIGHT, never_asked=(WRONG,))],
    ids=["one fails", "none could be judged", "what was wrong is not made of them"],
)
def test_it_is_left_where_that_is_no_proof(seen: Evidence) -> None:
    decision, _ = decided(seen)
    assert decision.status is Status.FAILED
    assert not decision.parts
    assert decision.reason.endswith("; the exporter never asks for it: torch.export makes aten::view of it")


def test_parts_that_are_not_at_fault_are_left_to_the_exporter() -> None:
    decision, task = decided(RIGHT, ReleaseRecords())
    assert task is None
    assert decision.status is Status.FAILED


def test_the_functions_of_its_parts_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is decided of each stands above; here nothing is run."""
    decision, _ = decided(RIGHT)

    def without_runs(request: Request, sources: Sources, settings: Settings) -> Trial:
        if request.op.qualified == OP:
            return decision
        return (yield from decide(request, sources, replace(settings, correct=False, force=True, verify=False)))

    # The package has a function of the module's name.
    monkeypatch.setattr(sys.modules[new.__module__], "decide", without_runs)
    package = tmp_path / "torchlib_ops"
    config = Config(target=Target.TORCHLIB, package=package, tests=tmp_path / "tests")
    run = new([OP], config, NewOptions(correct=True))
    assert [(outcome.op, outcome.status, bool(outcome.files)) for outcome in run.outcomes] == [
        (OP, Status.UNCHANGED, False),
        ("aten::view", Status.WRITTEN, True),
    ]
    assert [outcome.through for outcome in run.outcomes] == [("aten::view",), ()]
    assert "def aten_view(" in (package / "aten_shape.py").read_text("utf-8")
    again = new([OP], config, NewOptions(correct=True))
    assert not again.changes
    assert {outcome.through for outcome in again.outcomes} == {()}, "nothing was done this time"
