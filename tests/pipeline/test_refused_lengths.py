"""Torch's own function that refuses the length of an input is corrected where symgen's takes it and loses nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symgen.config import Config, Target
from symgen.model.result import Evidence, Status
from symgen.model.sample import SampleSpec, TensorSpec
from symgen.pipeline.decide import Decision, Settings, decide
from symgen.pipeline.exporters import TORCHLIB_EXPORTER
from symgen.pipeline.release_records import ReleaseRecords
from symgen.pipeline.resolve import resolve_names
from symgen.sources import load_sources
from symgen.verify.task import SampleSet, Verification

RIGHT = Evidence(samples=3, dtypes=("float32",), opsets=(18, 24), modes=("exported+dynamic",), exports=1, runs=3)
SAMPLES = (SampleSpec("", (TensorSpec((3, 4)), (1,))),)


def decided(refused: tuple[str, ...], by_ours: tuple[str, ...], *, ours_refuses_more: bool = False) -> Decision:
    """What `fix` does of `roll` where torch's own function, and symgen's, refuse lengths as these arguments."""
    op, sources = "aten::roll", load_sources(Config())
    settings = Settings(correct=True, exporter=TORCHLIB_EXPORTER, known=ReleaseRecords())
    trial = decide(resolve_names([op], sources, Target.TORCHLIB)[0], sources, settings)
    next(trial)
    try:
        trial.send(Verification(op, replace(RIGHT, refused_lengths=refused), SampleSet(op, SAMPLES)))
        seen = Verification(op, replace(RIGHT, refused_lengths=by_ours), refused=SAMPLES if ours_refuses_more else ())
        trial.send(seen)
    except StopIteration as end:
        decision: Decision = end.value
        return decision
    raise AssertionError("nothing was decided")


def test_a_length_that_symgens_function_takes_is_a_reason() -> None:
    decision = decided(("shifts",), ())
    assert decision.status is Status.VERIFIED
    assert decision.translation is not None
    assert decision.reason == "the exporter's own translation refuses the length of an input as shifts"


@pytest.mark.parametrize("ours", [{"by_ours": ("shifts",)}, {"by_ours": (), "ours_refuses_more": True}])
def test_one_that_it_refuses_as_well_is_none_and_neither_is_one_at_the_cost_of_others(ours: dict[str, object]) -> None:
    decision = decided(("shifts",), **ours)  # type: ignore[arg-type]
    assert decision.status is Status.UNCHANGED
    assert decision.translation is None
    assert decision.reason.endswith("shifts, for which symgen has no better")


def test_what_no_plan_takes_from_the_graph_is_not_tried() -> None:
    decision = decided(("dims",), ())
    assert (decision.status, decision.reason) == (Status.UNCHANGED, "the exporter's own translation is right")
