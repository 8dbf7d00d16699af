"""`symgen.scan`, for a model in the caller's own process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
import torch

import symgen
from symgen.model.scan import Kind, Severity
from symgen.pipeline.scanning import UnusableModelError


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear, self.dropout = torch.nn.Linear(4, 4), torch.nn.Dropout()

    def forward(self, x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
        return torch.hypot(self.dropout(self.linear(x)), x) * scale + int(x.shape[0])


class Crash(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        os.kill(os.getpid(), signal.SIGKILL)
        return x


def test_a_report() -> None:
    model = Net()
    (torch.randn(300, 300) @ torch.randn(300, 300)).sum()  # torch's threads are there before the process is copied
    report = symgen.scan(model, torch.randn(2, 4), opset=17)
    missing, baked = report.findings
    assert (missing.kind, missing.op, report.opset) == (Kind.MISSING, "aten::hypot", 17)
    assert baked.severity is Severity.NOTE
    assert missing.place.path.endswith("test_live.py")
    assert model.training, "the caller's model is left as it is"
    assert not report.is_clean
    assert "Net: 1 problem and 1 note" in str(report)


def test_keyword_arguments_and_dynamic_axes() -> None:
    report = symgen.scan(Net(), (torch.randn(2, 4),), {"scale": 2.0}, dynamic_axes={"x": {0: "batch"}})
    assert [one.severity for one in report.findings] == [Severity.ERROR, Severity.WRONG]
    with pytest.raises(UnusableModelError, match="no input y"):
        symgen.scan(Net(), torch.randn(2, 4), dynamic_axes={"y": {0: "batch"}})


def test_a_model_that_fails_or_crashes() -> None:
    with pytest.raises(UnusableModelError, match="the model itself fails"):
        symgen.scan(Net(), torch.randn(2, 5))
    with pytest.raises(UnusableModelError, match="SIGKILL"):
        symgen.scan(Crash(), torch.randn(2))


def test_symgen_itself_stays_light() -> None:
    code = "import sys, symgen\nassert not {'torch', 'click', 'onnx'} & set(sys.modules)\nassert callable(symgen.scan)"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError):
        _ = symgen.nothing  # type: ignore[attr-defined]
