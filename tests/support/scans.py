"""Models as texts, scanned in the child processes of one pool."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from symgen.model.inputs import parse_inputs
from symgen.model.run import ignore_steps
from symgen.model.scan import ExportCheck, Report
from symgen.pipeline.scanning import export_target, scan_target
from symgen.sources import Sources
from symgen.verify.pool import Pool
from symgen.verify.scan_jobs import TargetSpec

HEAD = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n\n\n"


@dataclass(frozen=True)
class Scans:
    """Scans models whose text is given; they stand in one folder, each in a module of its own."""

    folder: Path
    pool: Pool
    sources: Sources
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def target(self, text: str, name: str = "model", inputs: tuple[str, ...] = (), **more: Any) -> TargetSpec:
        """A module with this text, as a target."""
        module = f"scanned_{next(self.numbers)}"
        (self.folder / f"{module}.py").write_text(HEAD + text, "utf-8")
        return TargetSpec(f"{module}:{name}", module=module, name=name, inputs=parse_inputs(inputs), **more)

    def scan(self, text: str, opset: int = 17, **options: Any) -> Report:
        """Scans the model of a module with this text."""
        return self.of(self.target(text, **options), opset)

    def of(self, target: TargetSpec, opset: int = 17) -> Report:
        """Scans a target."""
        return scan_target(target, opset, self.sources, self.pool, ignore_steps)

    def export(self, text: str, opset: int = 17, **options: Any) -> ExportCheck:
        """Exports the model of a module with this text."""
        target = self.target(text, **options)
        path = self.folder / f"{target.module}.onnx"
        return export_target(target, Report(target.text, opset, 0, ()), path, self.pool, ignore_steps)


def function(body: str, inputs: str = "torch.randn(3, 4)") -> str:
    """The text of a module whose model's forward has this body."""
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    return f"class Net(nn.Module):\n    def forward(self, x):\n{lines}\n\n\nmodel = Net()\ninputs = ({inputs},)\n"
