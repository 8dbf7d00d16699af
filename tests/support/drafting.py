"""Operators as commits without a run: the evidence is given, and the samples of the tests are too."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from checkouts import MiniCheckout
from symgen.model.result import Evidence, Status
from symgen.model.sample import SampleSpec, TensorSpec
from symgen.pipeline.decide import Decision
from symgen.pipeline.resolve import resolve_names
from symgen.pipeline.translate import translate
from symgen.pipeline.upstream.checkout import open_checkout
from symgen.pipeline.upstream.deliver import Commit, beside, make_commits
from symgen.pipeline.upstream.draft import draft
from symgen.pipeline.upstream.drafts import Contents, Draft
from symgen.pipeline.upstream.exporter import CheckoutExporter
from symgen.pipeline.upstream.message import commit_message
from symgen.pipeline.upstream.work_tree import open_work_tree
from symgen.sources import Sources, match_in
from symgen.verify.task import SampleSet, Verification

MATRIX, ROW, COUNTS = TensorSpec((3, 4)), TensorSpec((4,)), TensorSpec((3, 4), "int64")
EVIDENCE = Evidence(
    samples=124,
    dtypes=("float32", "float64", "int64"),
    opsets=(9, 15, 20),
    modes=("scripted", "traced", "traced+dynamic"),
    max_abs_err=0.25,
    max_rel_err=1.5e-7,
    exports=245,
    runs=767,
)
SAMPLES: Mapping[str, Sequence[SampleSpec]] = {
    "aten::hypot": [SampleSpec("", (MATRIX, MATRIX)), SampleSpec("", (MATRIX, ROW)), SampleSpec("", (COUNTS, COUNTS))],
    "aten::expm1": [SampleSpec("", (MATRIX,)), SampleSpec("", (ROW,)), SampleSpec("", (COUNTS,))],
    "aten::cumprod": [SampleSpec("", (MATRIX, 0)), SampleSpec("", (MATRIX, -1)), SampleSpec("", (COUNTS, 0))],
    "aten::huber_loss": [SampleSpec("", (MATRIX, MATRIX)), SampleSpec("", (MATRIX, MATRIX, 2, 0.5))],
    "aten::logsumexp": [SampleSpec("", (MATRIX, (0, 1), True))],
}


def decided(op: str, checkout: MiniCheckout, sources: Sources) -> Decision:
    """The decision for an operator as it is after a verification that saw nothing wrong."""
    opened = open_checkout(checkout.root)
    (request,) = resolve_names((op,), sources)
    match = match_in(sources, request.op)
    exporter = CheckoutExporter(checkout=opened)
    translation = translate(match.plans[0], sources, lowest=None, own_templates=None, exporter=exporter)
    seen = Verification(op, EVIDENCE, SampleSet(op), proven=tuple(SAMPLES.get(op, ())))
    return Decision(request, match, Status.VERIFIED, "", translation, verification=seen)


def drafted(ops: Sequence[str], checkout: MiniCheckout, sources: Sources) -> tuple[Draft, ...]:
    """The drafts of some operators, one upon the other."""
    contents = Contents(open_checkout(checkout.root))
    return tuple(draft(decided(op, checkout, sources), contents, sources) for op in ops)


def diffs(drafts: Sequence[Draft], checkout: MiniCheckout) -> list[str]:
    """What the commit of each draft changes, without the names of git's objects."""
    opened = open_work_tree(checkout.root)
    commits = [Commit(commit_message([one.contribution]), one.files) for one in drafts]
    with beside(opened) as git:
        made = [opened.head, *make_commits(git, opened.head, commits)]
        texts = [git.run("diff", *pair).decode() for pair in pairwise(made)]
    return [re.sub(r"^index .*\n", "", text, flags=re.MULTILINE) for text in texts]


def without_versions(message: str) -> str:
    """A message that is the same beside other versions of torch and onnx."""
    return re.sub(r"\(PyTorch .*\)", "(versions)", message)


def refused(decision: Decision, reason: str) -> Decision:
    """The same decision where some arguments are refused."""
    return replace(decision, status=Status.PARTIAL, reason=reason)
