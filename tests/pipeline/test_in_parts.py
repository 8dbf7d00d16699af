"""What torch.export takes apart is put right through the functions of what it makes of it, or not at all."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from symgen.config import Config, NewOptions, Target
from symgen.model.names import parse_op_name
from symgen.model.result import Evidence, SampleResult, Status, Verdict
from symgen.model.sample import SampleSpec, TensorSpec
from symgen.model.standing import Proof
from symgen.pipeline import new
from symgen.pipeline.decide import Decision, Settings, Trial, decide
from symgen.pipeline.exporters import TORCHLIB_EXPORTER
from symgen.pipeline.in_parts import probe_task
from symgen.pipeline.release_records import ReleaseRecord, ReleaseRecords, load_release_records
from symgen.pipeline.resolve import Request, resolve_names
from symgen.sources import Sources, load_sources, match_in
from symgen.verify.task import Verification, VerifyTask

OP = "aten::view_as"
FUNCTIONAL = "aten::_native_batch_norm_legit_functional"
WRONG = SampleResult("default(f32[0,4], f32[0,4])", "float32", 18, "exported", Verdict.INVALID_MODEL)
NEVER = replace(
    WRONG,
    sample="default(f32[3,4], f32[3,4])",
    verdict=Verdict.NEVER_ASKED,
    detail="the exporter never asks for it: torch.export makes aten::view of it",
)
RIGHT = Evidence(samples=3, dtypes=("float32",), opsets=(18,), modes=("exported",), exports=1, runs=3)


def decided(
    of_parts: Evidence,
    known: ReleaseRecords | None = None,
    op: str = OP,
    never: SampleResult = NEVER,
    wrong: SampleResult = WRONG,
) -> tuple[Decision, VerifyTask | None]:
    """The decision where that was seen with functions for the parts, and the task that asked for it."""
    sources = load_sources(Config())
    known = load_release_records() if known is None else known
    settings = Settings(correct=True, exporter=TORCHLIB_EXPORTER, known=known)
    trial = decide(resolve_names([op], sources, Target.TORCHLIB)[0], sources, settings)
    next(trial)
    trial.send(Verification(op, Evidence(failures=(wrong,))))
    try:
        task = trial.send(Verification(op, Evidence(never_asked=(never,))))
    except StopIteration as end:
        return end.value, None
    with pytest.raises(StopIteration) as ended:
        trial.send(Verification(op, of_parts, proven=(SampleSpec("", (TensorSpec((3, 4)),)),)))
    return ended.value.value, task


def with_fault_of(op: str) -> ReleaseRecords:
    """What is on record, and that the exporter's own function of one more operator is wrong."""
    records = load_release_records()
    wrong = Evidence(failures=(replace(WRONG, verdict=Verdict.WRONG_VALUE),))
    record = ReleaseRecord(Proof(op, Target.TORCHLIB, "torch", wrong), ((18, 24, "wrong"),))
    return replace(records, by_key={**records.by_key, record.key: record})


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


def test_it_is_left_where_another_overload_is_wrong() -> None:
    """What samples are drawn is up to what is judged: the call that was wrong need not be among them."""
    decision, _ = decided(replace(RIGHT, never_asked=(replace(WRONG, sample="Sequence([f32[3,4]])"),)))
    assert decision.parts
    wrong = replace(WRONG, sample="Sequence([f32[0,4]])")
    decision, _ = decided(replace(RIGHT, never_asked=(replace(NEVER, sample="Sequence([f32[3,4]])"),)), wrong=wrong)
    assert decision.status is Status.FAILED
    assert not decision.parts


def test_a_stub_that_is_asked_for_one_overload_is_no_proof_that_none_is() -> None:
    refused = replace(
        WRONG, sample="Sequence([f32[3,4]])", verdict=Verdict.REFUSED, detail="it has no translation to ONNX"
    )
    assert TORCHLIB_EXPORTER.never_asks(Evidence(never_asked=(NEVER,)))
    assert not TORCHLIB_EXPORTER.never_asks(Evidence(never_asked=(NEVER,), refused=(refused,)))


def test_what_a_probe_showed_is_found_whatever_is_said_of_the_lack_of_a_plan() -> None:
    """`fix` tries to derive one, and says why it can't; `coverage`, which imports no torch, does not."""
    match = match_in(load_sources(Config()), parse_op_name("aten::chunk"))
    told = replace(match, candidates=(*match.candidates, replace(match.candidates[0], verdict="no words for a step")))
    assert told.no_plan != match.no_plan
    assert probe_task(match, TORCHLIB_EXPORTER) == probe_task(told, TORCHLIB_EXPORTER)


def test_parts_that_are_not_at_fault_are_left_to_the_exporter() -> None:
    decision, task = decided(RIGHT, ReleaseRecords())
    assert task is None
    assert decision.status is Status.FAILED


def test_an_audit_judges_what_the_exporter_has_for_operators_that_no_file_declares() -> None:
    assert parse_op_name(FUNCTIONAL) in TORCHLIB_EXPORTER.registered(load_sources(Config()))


@pytest.mark.parametrize("op", ["aten::batch_norm", "aten::native_batch_norm"])
def test_a_part_may_be_an_operator_that_no_file_declares(op: str) -> None:
    never = replace(NEVER, detail=f"the exporter never asks for it: torch.export makes {FUNCTIONAL} of it")
    decision, task = decided(RIGHT, with_fault_of(FUNCTIONAL), op, never)
    assert task is not None
    assert "def aten__native_batch_norm_legit_functional(" in task.modules[0][1]
    assert (decision.status, decision.parts) == (Status.UNCHANGED, (FUNCTIONAL,))
    assert decision.reason.endswith(f"with symgen's {FUNCTIONAL} it is right")


@pytest.mark.slow
def test_a_batch_norm_is_right_with_that_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `symgen fix` finds by itself, with all that it runs."""
    known = with_fault_of(FUNCTIONAL)
    monkeypatch.setattr(sys.modules[new.__module__], "load_release_records", lambda: known)
    config = Config(target=Target.TORCHLIB, package=tmp_path / "torchlib_ops", tests=tmp_path / "tests")
    run = new(["aten::native_batch_norm"], config, NewOptions(correct=True))
    found = {outcome.op: outcome for outcome in run.outcomes}
    assert found["aten::native_batch_norm"].status is Status.UNCHANGED
    assert f"with symgen's {FUNCTIONAL}" in found["aten::native_batch_norm"].reason
    assert found[FUNCTIONAL].status is Status.VERIFIED
    assert found[FUNCTIONAL].files


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
