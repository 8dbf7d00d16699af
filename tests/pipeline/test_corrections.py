"""What is written for a function of the exporter's own that proved wrong, and what is said of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symgen.config import Config
from symgen.match.knowledge import Knowledge
from symgen.model.result import Evidence, SampleResult, Status, Verdict
from symgen.model.sample import SampleSpec, TensorSpec
from symgen.pipeline.decide import Decision, Settings, decide
from symgen.pipeline.exporters import TORCHLIB_EXPORTER
from symgen.pipeline.resolve import resolve_names
from symgen.sources import Sources, load_sources
from symgen.verify.task import SampleSet, Verification

OP = "aten::flatten"
PLAIN, FROM_ONE, HALF = (
    SampleSpec("", (TensorSpec((2,)),)),
    SampleSpec("", (TensorSpec((2,)), 1)),
    SampleSpec("", (TensorSpec((2,), "float16"),)),
)
WRONG = SampleResult("a call", "float32", 18, "exported", Verdict.WRONG_VALUE)
INVALID = SampleResult("another", "float16", 18, "exported", Verdict.INVALID_MODEL)


@pytest.fixture(scope="module")
def sources() -> Sources:
    """With no entries, so that the node of the operator's name is all that there is for it."""
    return replace(load_sources(Config()), knowledge=Knowledge(()))


def decided(own: Verification, ours: Verification, sources: Sources) -> Decision:
    """The decision after two verifications: of the exporter's own function, and of symgen's."""
    (request,) = resolve_names((OP,), sources)
    trial = decide(request, sources, Settings(correct=True, exporter=TORCHLIB_EXPORTER))
    assert not next(trial).modules
    assert trial.send(own).modules
    with pytest.raises(StopIteration) as end:
        trial.send(ours)
    decision = end.value.value
    assert isinstance(decision, Decision)
    return decision


def seen_of_own(*failed: tuple[SampleSpec, SampleResult]) -> Verification:
    evidence = Evidence(samples=2, failures=tuple(result for _, result in failed))
    return Verification(OP, evidence, SampleSet(OP, (PLAIN, FROM_ONE, HALF)), failed=failed)


@pytest.mark.parametrize(
    ("seen", "said"), [(Evidence(samples=1), "is right"), (Evidence(), "could not be judged: no sample runs")]
)
def test_only_what_was_seen_is_said_to_be_right(seen: Evidence, said: str, sources: Sources) -> None:
    (request,) = resolve_names((OP,), sources)
    trial = decide(request, sources, Settings(correct=True, exporter=TORCHLIB_EXPORTER))
    next(trial)
    with pytest.raises(StopIteration) as end:
        trial.send(Verification(OP, seen))
    assert (end.value.value.status, end.value.value.reason) == (
        Status.UNCHANGED,
        f"the exporter's own translation {said}",
    )


def test_a_wrong_number_is_said_before_what_does_not_load(sources: Sources) -> None:
    own = seen_of_own((HALF, INVALID), (PLAIN, WRONG))
    decision = decided(own, Verification(OP, Evidence(samples=3)), sources)
    assert decision.reason.startswith("the exporter's own translation is not right: wrong value at opset 18 for a call")


def test_a_node_that_refuses_what_is_right_already_corrects_nothing(sources: Sources) -> None:
    own = seen_of_own((PLAIN, WRONG))
    refusing = Verification(OP, Evidence(samples=1), refused=(FROM_ONE,))
    decision = decided(own, refusing, sources)
    assert decision.status is Status.FAILED
    assert decision.translation is None
    assert "is not right: wrong value" in decision.reason
    assert "; the ONNX operator of the same name takes less than that: " in decision.reason


def test_a_node_that_refuses_what_is_wrong_in_any_case_does(sources: Sources) -> None:
    own = seen_of_own((PLAIN, WRONG), (FROM_ONE, WRONG))
    decision = decided(own, Verification(OP, Evidence(samples=1), refused=(FROM_ONE,)), sources)
    assert decision.translation is not None
