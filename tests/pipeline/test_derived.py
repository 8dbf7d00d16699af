"""Operators whose entries are hidden get their functions from torch's own decompositions, and these are right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest

from golden import Golden
from symgen.config import Config
from symgen.match.matcher import Candidate
from symgen.model.names import OpName
from symgen.model.result import Evidence, Status, Strategy, Verdict
from symgen.pipeline.decide import Settings, decide
from symgen.pipeline.derive import derived_candidates, with_derived
from symgen.pipeline.resolve import resolve_names
from symgen.pipeline.translate import translate
from symgen.sources import Sources, load_sources, match_in
from symgen.verify.messages import Failed
from symgen.verify.pool import Pool, start_pool
from symgen.verify.session import verify_many
from symgen.verify.task import VerifyTask
from symgen.verify.user_jobs import Answer, UserJob

HIDDEN = (
    "addcdiv", "addmv", "alias_copy", "count_nonzero", "deg2rad", "diag", "fliplr", "flipud", "frac", "hardshrink",
    "isreal", "sinc", "logaddexp", "logaddexp2", "logit", "mT", "xlogy", "digamma", "dstack", "gcd",
)  # fmt: skip
"""Twenty operators with an entry; it is hidden, and so are those that share it."""

NOT_DERIVED = {
    "digamma": "torch decomposes it into aten::digamma, which there is no translation for",
    "dstack": "what torch's decomposition does with a list of tensors depends on how many there are",
    "gcd": "torch decomposes it into aten::gcd, which there is no translation for",
}
"""What torch has no decomposition for either, or none for all calls."""

OPSET = 17


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with start_pool(workers=2) as started:
        yield started


@pytest.fixture(scope="module")
def sources() -> Sources:
    return load_sources(Config())


@pytest.fixture(scope="module")
def candidates(sources: Sources, pool: Pool) -> Mapping[str, Candidate]:
    """What is derived for each of the operators."""
    hidden = frozenset().union(*(_twins(name, sources) for name in HIDDEN))
    found = derived_candidates(sources, [OpName("aten", name) for name in HIDDEN], pool, hidden)
    return dict(zip(HIDDEN, found, strict=True))


def _twins(name: str, sources: Sources) -> frozenset[str]:
    """The operators that the same entry serves."""
    entry = sources.knowledge.entry(f"aten::{name}")
    assert entry is not None
    return frozenset(other.removeprefix("aten::") for other in entry.names)


@pytest.fixture(scope="module")
def evidence(candidates: Mapping[str, Candidate], sources: Sources, pool: Pool) -> Mapping[str, Evidence]:
    """What verification saw of the derived plans, at one opset."""
    plans = [candidate.plan for candidate in candidates.values() if candidate.plan is not None]
    tasks = []
    for plan in plans:
        made = translate(plan, sources, lowest=OPSET, own_templates=None, below=OPSET + 1)
        tasks.append(VerifyTask(plan.op.qualified, plan.overloads, made.modules, made.opsets))
    seen = verify_many(tasks, pool=pool)
    return {plan.op.base: one.evidence for plan, one in zip(plans, seen, strict=True)}


def test_seventeen_of_twenty_hidden_operators_are_derived_and_right(evidence: Mapping[str, Evidence]) -> None:
    right = [name for name, found in evidence.items() if found.is_proof and not found.refused]

    assert right == [name for name in HIDDEN if name not in NOT_DERIVED]
    assert len(right) == 17


@pytest.mark.parametrize("name", NOT_DERIVED)
def test_the_others_say_why_not(name: str, candidates: Mapping[str, Candidate]) -> None:
    assert candidates[name] == Candidate(Strategy.DERIVED, NOT_DERIVED[name])


@pytest.mark.parametrize("name", ["count_nonzero", "logaddexp", "logit", "xlogy"])
def test_derived_plans_read_like_entries(name: str, candidates: Mapping[str, Candidate], golden: Golden) -> None:
    plan = candidates[name].plan
    assert plan is not None

    golden.check(f"derived/{name}", {"plan.py": plan.body.source})


def test_an_operator_without_an_entry_is_derived_and_says_so(sources: Sources, pool: Pool) -> None:
    op = OpName("aten", "nll_loss_nd")
    assert not match_in(sources, op).plans

    found = with_derived(sources, [op], pool)
    (request,) = resolve_names(["nll_loss_nd"], found)
    trial = decide(request, found, Settings(verify=False, force=True))
    with pytest.raises(StopIteration) as end:
        next(trial)

    decision = end.value.value
    assert (decision.status, decision.strategy, decision.opset) == (Status.WRITTEN, Strategy.DERIVED, 11)


class Dying(Pool):
    """A pool whose child dies of every job."""

    def __init__(self, failed: Failed) -> None:
        self._failed = failed

    def ask_all(self, jobs: Sequence[UserJob[Answer]]) -> tuple[Answer | Failed, ...]:
        return (self._failed,) * len(jobs)


@pytest.mark.parametrize(
    ("failed", "said"),
    [
        (
            Failed("the child process ended early: SIGSEGV", "", Verdict.CRASH, "SIGSEGV"),
            "torch itself crashes when a call of it is traced (SIGSEGV)",
        ),
        (
            Failed("the child process ended early: SIGKILL", "", Verdict.CRASH, "SIGKILL"),
            "torch's decomposition can't be traced: the system ended the process, for want of memory perhaps",
        ),
        (
            Failed("the child process ended early: no end within 9 s", "", Verdict.TIMEOUT, "no end within 9 s"),
            "torch's decomposition can't be traced: no end within 9 s",
        ),
        (Failed("TypeError: x", "trace"), "torch's decomposition can't be traced: TypeError: x"),
    ],
)
def test_a_process_that_dies_of_it_is_said_in_words(failed: Failed, said: str, sources: Sources) -> None:
    (candidate,) = derived_candidates(sources, [OpName("aten", "_pdist_forward")], Dying(failed))
    assert candidate == Candidate(Strategy.DERIVED, said)
