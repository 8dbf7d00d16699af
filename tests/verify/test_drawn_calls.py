"""Generated functions on calls that nobody picked: hypothesis draws them, the same ones every time, and shrinks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, assume, find, given, settings
from hypothesis import strategies as st

from symgen.config import Config
from symgen.model.names import parse_op_name
from symgen.model.result import SampleResult, Verdict
from symgen.model.sample import SampleSpec
from symgen.pipeline.translate import translate
from symgen.sources import Sources, load_sources, match_in
from symgen.verify import Pool, VerifyTask
from symgen.verify.domains import domain_of
from symgen.verify.messages import Ended, Failed, RunJob, Seen
from symgen.verify.plan import BFLOAT16_SINCE, Case

from . import modules
from .drawn import calls

OPS = (
    "aten::hypot", "aten::addcdiv", "aten::huber_loss", "aten::nansum", "aten::cummax", "aten::diff",
    "aten::bitwise_xor", "aten::take_along_dim", "aten::diagonal_scatter",
)  # fmt: skip
"""Elementwise, with scalars, a loss, reductions, along axes, on whole numbers, with indices."""

DRAWN = settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
MOST_AT_ONCE = 8
"""Calls of an example: a process is made for each, and that takes longer than a call."""


@dataclass(frozen=True)
class Judge:
    """What a task's functions do with calls, beside eager torch."""

    pool: Pool
    task: VerifyTask

    def __call__(self, samples: Sequence[SampleSpec], opset: int, dynamic: bool) -> list[SampleResult]:
        cases = tuple(Case(opset, "traced", dynamic, (sample,)) for sample in samples)
        number = self.pool.submit(RunJob(self.task, cases))
        seen: list[SampleResult] = []
        for sender, message in self.pool.messages():
            assert sender == number
            assert not isinstance(message, Failed), message.error
            if isinstance(message, Seen):
                seen.append(message.result)
            if isinstance(message, Ended):
                break
        assert len(seen) == len(samples)
        return seen


@pytest.fixture(scope="module")
def sources() -> Sources:
    return load_sources(Config())


def is_taken(task: VerifyTask, sample: SampleSpec) -> bool:
    """Whether eager torch takes a call."""
    from symgen.verify.calls import make_call

    try:
        return bool(make_call(task.name, task.schemas, sample).eager())
    except Exception:
        return False


@pytest.mark.parametrize("op", OPS)
def test_drawn_calls_come_out_as_in_eager_torch(pool: Pool, sources: Sources, op: str) -> None:
    name = parse_op_name(op)
    plan = match_in(sources, name).plans[0]
    translation = translate(plan, sources, lowest=None, own_templates=None)
    task = VerifyTask(op, sources.catalogue.overloads_reaching(name), translation.modules, translation.opsets)
    judge = Judge(pool, task)
    call = st.one_of([calls(schema, domain_of(op, schema.name.overload)) for schema in task.schemas])

    @DRAWN
    @given(st.lists(call, min_size=1, max_size=MOST_AT_ONCE), st.sampled_from(task.opsets), st.booleans())
    def holds(samples: list[SampleSpec], opset: int, dynamic: bool) -> None:
        taken = [sample for sample in samples if is_taken(task, sample)]
        said = [sample for sample in taken if opset >= BFLOAT16_SINCE or "bfloat16" not in sample.dtypes]
        assume(said)
        results = judge(said, opset, dynamic)
        assert not [f"{op}: {result}" for result in results if result.verdict.is_failure]

    holds()


def test_a_failure_becomes_a_small_call(pool: Pool) -> None:
    """Of a function that forgets the absolute value of one operand."""
    task = modules.task_for("hypot", modules.HYPOT.replace('g.op("Abs", a), g.op("Abs", b)', 'g.op("Abs", a), b'))
    judge = Judge(pool, task)
    domain = domain_of("aten::hypot")

    def fails(sample: SampleSpec) -> bool:
        return is_taken(task, sample) and judge([sample], 20, False)[0].verdict is Verdict.WRONG_VALUE

    found = find(calls(task.schemas[0], domain), fails, settings=settings(DRAWN, max_examples=100))

    assert found.dtypes == ("float32",)
    assert all(size <= 1 for tensor in found.tensors for size in tensor.shape)
    assert {tensor.layout for tensor in found.tensors} == {"contiguous"}
