"""What `symgen verify --output-format github` writes for a pull request."""

from __future__ import annotations

from pathlib import Path

from symgen.cli.verify import failure_annotations
from symgen.model.result import Outcome, Status
from symgen.model.run import Run

TEXT = """import functools
from torch.onnx._internal.torchscript_exporter import registration

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)


@_onnx_symbolic("aten::hypot")
def hypot(g, input, other):
    return g.op("Add", input, other)
"""


def test_a_function_that_fails_is_annotated_where_it_is_registered(tmp_path: Path) -> None:
    path = tmp_path / "symbolic_opset9.py"
    path.write_text(TEXT, "utf-8")
    reason = "3 samples failed, the first (opset 9, float32): wrong value\nby much"
    failed = Outcome("aten::hypot", "aten::hypot", Status.FAILED, files=(str(path),), reason=reason)
    right = Outcome("aten::sin", "aten::sin", Status.VERIFIED, files=(str(path),))
    (line,) = failure_annotations(Run((failed, right)))
    place = f"file={path},line=7,title=symgen verify aten%3A%3Ahypot"
    assert line == f"::error {place}::3 samples failed, the first (opset 9, float32): wrong value%0Aby much"
