"""`symgen audit` finds by itself what is known to be wrong, and each script shows it without symgen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from symgen.config import Config
from symgen.errors import UsageError
from symgen.model.result import Outcome, Status
from symgen.pipeline import audit
from symgen.pipeline.exporters import TORCHSCRIPT_EXPORTER
from symgen.sources import load_sources


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Outcome], Path]:
    folder = tmp_path_factory.mktemp("reproductions")
    run = audit(["softplus", "where", "elu", "unsqueeze"], Config(), folder)
    return {outcome.op: outcome for outcome in run.outcomes}, folder


def test_all_that_torch_registers_and_declares_is_audited() -> None:
    ops = {op.qualified for op in TORCHSCRIPT_EXPORTER.registered(load_sources(Config()))}
    assert len(ops) > 300
    assert "aten::softplus" in ops
    assert "aten::Delete" not in ops


def test_what_torch_has_no_function_for_is_not_audited() -> None:
    with pytest.raises(UsageError, match="torch registers nothing for aten::hypot"):
        audit(["softplus", "hypot"], Config())


def test_a_threshold_that_is_dropped_is_found(audited: tuple[dict[str, Outcome], Path]) -> None:
    outcomes, _ = audited

    assert outcomes["aten::softplus"].status is Status.FAILED
    assert "threshold" in outcomes["aten::softplus"].reason
    assert "wrong value" in outcomes["aten::softplus"].reason


def test_a_float64_number_that_comes_back_as_float32_is_found(audited: tuple[dict[str, Outcome], Path]) -> None:
    outcomes, _ = audited

    assert "wrong dtype" in outcomes["aten::where"].reason


def test_what_the_runtime_has_no_kernel_for_is_decided_by_the_reference(
    audited: tuple[dict[str, Outcome], Path],
) -> None:
    outcomes, _ = audited

    assert "float64" in outcomes["aten::elu"].evidence.by_reference


def test_a_right_function_is_verified(audited: tuple[dict[str, Outcome], Path]) -> None:
    outcomes, _ = audited

    assert outcomes["aten::unsqueeze"].status is Status.VERIFIED


def test_a_reproduction_stands_alone(audited: tuple[dict[str, Outcome], Path]) -> None:
    _, folder = audited
    script = next(path for path in sorted(folder.glob("where_*.py")) if "wrong dtype" in path.read_text("utf-8"))

    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, timeout=120)

    assert "symgen" not in script.read_text("utf-8")
    assert "PyTorch:" in done.stdout
    assert "ONNX Runtime:" in done.stdout
