"""Failures become findings: each kind once, as small as it gets, with a script that shows it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from symgen.model.names import OpName
from symgen.model.result import SampleResult, Verdict
from symgen.model.sample import DType, Recipe, SampleSpec, TensorSpec
from symgen.render.reproductions import Reproduction, render_reproduction
from symgen.verify import Pool, Verification, verify_many
from symgen.verify.findings import find_smallest, kinds_of_failure
from symgen.verify.shrink import MOST_TRIES, shrink

from . import modules

LARGE = SampleSpec(
    "",
    (TensorSpec((2, 3, 4), "float32", Recipe("ties"), "strided"), TensorSpec((4,)), 7, (1, 2)),
    (("eps", 2.5), ("dtype", DType("float64"))),
)


def test_a_sample_shrinks_to_what_matters() -> None:
    """Fails wherever the third argument is more than one and the first tensor has an axis of more than one."""

    def fails(sample: SampleSpec) -> bool:
        values = sample.positional
        return len(values) > 2 and values[2] > 1 and any(size > 1 for size in sample.tensors[0].shape)  # type: ignore[operator]

    smallest = shrink(LARGE, fails)
    assert smallest == SampleSpec("", (TensorSpec((2,)), TensorSpec(()), 2))


def test_a_sample_that_cannot_shrink_stays() -> None:
    tried = set()

    def fails(sample: SampleSpec) -> bool:
        tried.add(sample)
        return False

    assert shrink(LARGE, fails) == LARGE
    assert LARGE not in tried


def test_no_sample_is_tried_twice_and_not_too_many_are() -> None:
    """Fails wherever there are as many arguments as at first, so that much can be made plainer."""
    tried: list[SampleSpec] = []

    def fails(sample: SampleSpec) -> bool:
        tried.append(sample)
        return len(sample.values) == len(LARGE.values)

    plainest = SampleSpec("", (TensorSpec(()), TensorSpec(()), 0, (1,)), (("eps", 0.0), ("dtype", DType("float64"))))
    assert shrink(LARGE, fails) == plainest
    assert len(tried) == len(set(tried)) <= MOST_TRIES


def test_where_anything_fails_nothing_is_left() -> None:
    assert shrink(LARGE, lambda sample: True) == SampleSpec("", ())


def test_kinds_of_failure() -> None:
    def failed(sample: SampleSpec, verdict: Verdict, detail: str) -> tuple[SampleSpec, SampleResult]:
        return sample, SampleResult(str(sample), "float32", 9, "traced", verdict, detail)

    small, large = SampleSpec("", (TensorSpec((2,)), 3)), SampleSpec("", (TensorSpec((3, 4)), 3))
    other = SampleSpec("", (TensorSpec((3, 4)),), (("eps", 0.5),))
    seen = Verification(
        "aten::x",
        failed=(
            failed(large, Verdict.WRONG_VALUE, "1 at [0, 0], not 2"),
            failed(small, Verdict.WRONG_VALUE, "4 at [1], not 5"),
            failed(other, Verdict.WRONG_VALUE, "4, not 5"),
            failed(large, Verdict.CRASH, "SIGFPE"),
        ),
    )
    kinds = kinds_of_failure(seen)
    assert [(kind.sample, kind.result.verdict, kind.count) for kind in kinds] == [
        (small, Verdict.WRONG_VALUE, 2),
        (other, Verdict.WRONG_VALUE, 1),
        (large, Verdict.CRASH, 1),
    ]


def test_a_rare_wrong_number_comes_before_frequent_errors() -> None:
    """There are more kinds than are made small."""
    loud = [
        (
            SampleSpec("", (TensorSpec((size,)),)),
            SampleResult("s", "float32", 20, "traced", Verdict.EXPORT_ERROR, f"RuntimeError: {kind}"),
        )
        for kind in "abcdefgh"
        for size in (1, 2, 3)
    ]
    silent = loud[0][0], SampleResult("s", "float32", 20, "traced", Verdict.WRONG_VALUE, "1, not 2")
    kinds = kinds_of_failure(Verification("aten::f", failed=(*loud, silent)))
    assert [kind.result.verdict for kind in kinds] == [*[Verdict.EXPORT_ERROR] * 5, Verdict.WRONG_VALUE]


def test_the_threshold_of_softplus_is_found_and_shown(pool: Pool, tmp_path: Path) -> None:
    tasks = [modules.task_for("softplus", None, opsets=(17,))]
    told: list[tuple[str, int, int]] = []
    findings = find_smallest(tasks, verify_many(tasks, pool=pool), pool, lambda *one: told.append(one))
    assert told[0][:2] == ("aten::softplus", 1)
    assert told[-1][1] == told[-1][2] >= len(findings)

    wrong = [finding for finding in findings if finding.result.verdict is Verdict.WRONG_VALUE]
    assert wrong
    smallest = wrong[0].sample
    assert smallest.tensors[0].shape in {(), (1,)}
    assert smallest.tensors[0].recipe.kind == "stored"

    script = tmp_path / "softplus.py"
    script.write_text(render_reproduction(Reproduction(OpName("aten", "softplus"), smallest, wrong[0].result)))
    done = subprocess.run([sys.executable, "-W", "ignore", str(script)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "PyTorch:" in done.stdout
    assert "ONNX Runtime:" in done.stdout


def test_a_crash_is_a_finding_too(pool: Pool) -> None:
    tasks = [modules.task_for("take", None, opsets=(17,))]
    findings = find_smallest(tasks, verify_many(tasks, pool=pool), pool, lambda *_: None)
    assert any(finding.result.detail == "SIGFPE" for finding in findings)


@pytest.mark.parametrize("mode", ["traced", "traced+dynamic", "scripted", "scripted+dynamic"])
def test_reproductions_are_code(mode: str) -> None:
    sample = SampleSpec(
        "",
        ((TensorSpec((2,)), TensorSpec((0, 3), "int64", Recipe("stored"))), float("inf"), (1, 2)),
        (("dtype", DType("float64")), ("other", TensorSpec((), "bool", Recipe("stored", data="AQ==")))),
    )
    result = SampleResult(str(sample), "float32", 13, mode, Verdict.WRONG_VALUE, "1, not 2")
    text = render_reproduction(Reproduction(OpName("aten", "f"), sample, result, "torch 2.13.0"))
    compile(text, "reproduction.py", "exec")
    assert 'torch.ops.aten.f([x0, x1], float("inf"), [1, 2], dtype=torch.float64, other=x2)' in text
    assert '"x1": torch.empty((0, 3), dtype=torch.int64),' in text
    assert '"x2": torch.tensor(True, dtype=torch.bool),' in text
    assert ("dynamic_axes" in text) == mode.endswith("+dynamic")
    assert ("torch.jit.script" in text) == mode.startswith("scripted")
