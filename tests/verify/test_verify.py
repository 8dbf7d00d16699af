"""Right functions are proven, and wrong ones are not: each mutation of a function written by hand must be seen."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from symgen.model.result import Verdict
from symgen.verify import (
    InterruptedVerification,
    Pool,
    PoolError,
    Verification,
    VerifyTask,
    start_pool,
    supervisor,
    verify,
    verify_many,
)

from . import modules

Verified = Callable[[VerifyTask], Verification]

RIGHT = [("sinh", modules.SINH, 9), ("hypot", modules.HYPOT, 11), ("huber_loss", modules.HUBER_LOSS, 15)]

WRONG = {
    "another operator": ("sinh", 9, '"Sinh"', '"Cosh"', Verdict.WRONG_VALUE),
    "no cast back": ("sinh", 9, 'g.op("Cast", g.op("Sinh", x), to_i=back)', 'g.op("Sinh", x)', Verdict.WRONG_DTYPE),
    "an infinity forgotten": ("hypot", 11, '"Where", infinite, inf, result', '"Identity", result', Verdict.WRONG_VALUE),
    "the wrong branch": ("hypot", 11, "b, a)", "a, b)", Verdict.WRONG_VALUE),
    "a constant off by little": ("huber_loss", 15, "g, 0.5, kind", "g, 0.5001, kind", Verdict.WRONG_VALUE),
    "a parameter ignored": ("huber_loss", 15, "g, delta, kind", "g, 1.0, kind", Verdict.WRONG_VALUE),
    "a mode ignored": ("huber_loss", 15, "reduction == 2", "reduction == 3", Verdict.WRONG_SHAPE),
    "an axis kept": ("huber_loss", 15, "keepdims_i=0", "keepdims_i=1", Verdict.WRONG_SHAPE),
    "an operator of a later opset": ("huber_loss", 13, "CastLike", "CastLike", Verdict.INVALID_MODEL),
}


@pytest.mark.parametrize(("name", "source", "first"), RIGHT)
def test_right_functions_are_proven(verified: Verified, name: str, source: str, first: int) -> None:
    verification = verified(modules.task_for(name, source, first=first))

    evidence = verification.evidence
    assert evidence.failures == ()
    assert evidence.is_proof
    assert evidence.opsets[0] == first
    assert evidence.opsets[-1] == 20
    assert {"float16", "float32", "float64", "bfloat16"} <= set(evidence.dtypes)
    assert {"traced", "traced+dynamic", "scripted", "scripted+dynamic"} == set(evidence.modes)
    assert evidence.exports <= 300
    assert len(verification.proven) > 15


@pytest.mark.parametrize("mutation", WRONG)
def test_wrong_functions_are_not(verified: Verified, mutation: str) -> None:
    name, first, old, new, verdict = WRONG[mutation]
    source: str = getattr(modules, name.upper())
    assert old in source

    evidence = verified(modules.task_for(name, source.replace(old, new), first=first)).evidence

    assert not evidence.is_proof
    assert verdict in {failure.verdict for failure in evidence.failures}


def test_a_graph_that_does_not_depend_on_its_inputs_is_wrong(verified: Verified) -> None:
    evidence = verified(modules.task_for("sinh", modules.CONSTANT)).evidence
    assert evidence.samples == 0
    assert {failure.verdict for failure in evidence.failures} >= {Verdict.WRONG_VALUE, Verdict.WRONG_SHAPE}


def test_refusals_are_told_from_failures(verified: Verified) -> None:
    verification = verified(modules.task_for("median", modules.MEDIAN, first=13))

    refused = {result.sample.partition("(")[0] for result in verification.evidence.refused}
    assert "default" in refused
    assert any(sample.overload == "" for sample in verification.refused)
    assert any(sample.overload == "dim" for sample in verification.proven)


def test_a_crash_and_a_hang_are_results_of_their_sample(verified: Verified) -> None:
    evidence = verified(modules.task_for("sinh", modules.CRASHING, opsets=(17,))).evidence

    by_verdict = {failure.verdict: failure for failure in evidence.failures}
    assert set(by_verdict) == {Verdict.CRASH, Verdict.TIMEOUT}
    assert by_verdict[Verdict.CRASH].detail == "SIGSEGV"
    assert evidence.samples > 20


def test_a_module_that_does_not_run_is_a_failure(verified: Verified) -> None:
    evidence = verified(modules.task_for("sinh", "raise RuntimeError('no')")).evidence
    assert not evidence.is_proof
    assert "RuntimeError: no" in evidence.failures[0].detail


def test_without_a_module_torch_itself_is_judged(verified: Verified) -> None:
    """`softplus` drops its threshold; `where` on 0-d tensors loses float64."""
    softplus = verified(modules.task_for("softplus", None)).evidence
    assert any("threshold" in f.sample and f.verdict is Verdict.WRONG_VALUE for f in softplus.failures)
    where = verified(modules.task_for("where", None)).evidence
    assert any(f.verdict is Verdict.WRONG_DTYPE for f in where.failures)


def test_the_reference_decides_where_the_runtime_has_no_kernel(verified: Verified) -> None:
    evidence = verified(modules.task_for("sinh", modules.SINH)).evidence
    assert "float64" in evidence.by_reference
    assert "float32" not in evidence.by_reference


def test_many_tasks_come_back_in_their_order(pool: Pool) -> None:
    tasks = [modules.task_for(name, source, first=first) for name, source, first in RIGHT]
    seen: list[int] = []

    results = verify_many(tasks, pool=pool, progress=lambda progress: seen.append(progress.done))

    assert [result.op for result in results] == [task.op for task in tasks]
    assert seen == [1, 2, 3]


def test_the_same_task_gives_the_same_evidence(verified: Verified) -> None:
    task = modules.task_for("hypot", modules.HYPOT, first=11)
    assert verified(task) == verified(task)


def test_full_crosses_everything(verified: Verified) -> None:
    task = modules.task_for("sinh", modules.SINH, opsets=(9, 10, 11))
    full = VerifyTask(task.op, task.schemas, task.modules, task.opsets, full=True)
    evidence = verified(full).evidence
    assert evidence.opsets == (9, 10, 11)
    assert evidence.exports > 4 * 3 * 20
    assert evidence.is_proof


def test_the_parent_never_imports_torch(tmp_path: Path, repository: Path) -> None:
    program = (
        "import sys; from tests.verify import modules; from symgen.verify import verify\n"
        "assert verify(modules.task_for('sinh', modules.SINH, opsets=(17,))).evidence.is_proof\n"
        "print({'torch', 'onnx', 'onnxruntime', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=repository, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "set()", done.stderr


def test_an_interrupt_says_what_was_done_and_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = start_pool(workers=1)
    group = pool.process_id
    tasks = [modules.task_for("sinh", modules.SINH, opsets=(17,)), modules.task_for("hypot", modules.HYPOT, first=11)]

    def interrupt(progress: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(InterruptedVerification) as interrupted:
        verify_many(tasks, pool=pool, progress=interrupt)

    assert [done.op for done in interrupted.value.done] == ["aten::sinh"]
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("a process of the pool is still there")


def test_a_pool_serves_one_verification_after_another() -> None:
    with start_pool(workers=1) as pool:
        for _ in range(2):
            assert verify(modules.task_for("sinh", modules.SINH, opsets=(17,)), pool=pool).evidence.is_proof


def test_what_the_children_lack_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "onnxruntime").mkdir()
    (tmp_path / "onnxruntime" / "__init__.py").write_text("raise ImportError('no onnxruntime here')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with start_pool(workers=1) as pool, pytest.raises(PoolError, match="no onnxruntime here"):
        verify(modules.task_for("sinh", modules.SINH, opsets=(17,)), pool=pool)


def test_two_equal_tasks_are_both_answered() -> None:
    task = modules.task_for("sinh", modules.SINH, opsets=(17,))

    first, second = verify_many((task, task), workers=1)

    assert first.evidence.is_proof
    assert second.evidence.is_proof


@pytest.mark.parametrize(("load", "patience"), [(0.3, 1.0), (8.0, 4.0)])
def test_a_crowded_machine_gets_more_time(load: float, patience: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert supervisor._crowding() == patience
