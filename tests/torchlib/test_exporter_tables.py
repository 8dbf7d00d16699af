"""The exporter's tables are made once in a process, and an export leaves no trace in them."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("onnxscript")

PROGRAM = """
import torch
from torch.onnx._internal.exporter import _decomp, _registration
from symgen.verify.exporter_tables import keep_exporter_tables
from symgen.verify.exporting import export_program

def exported(table):
    return export_program(torch.nn.ELU(0.5), [torch.ones(2, 3)], 18, False, table)

def other(self, *rest):
    return op.Neg(self)

from onnxscript import opset18 as op
own = {torch.ops.aten.elu.default: other}
before = exported({}), exported(own)
keep_exporter_tables()
keep_exporter_tables()
first = _registration.ONNXRegistry.from_torchlib(opset_version=18)
assert before == (exported({}), exported(own)), "kept tables change an export"
assert before == (exported({}), exported(own)), "an export changes kept tables"
assert before[0] != before[1]
second = _registration.ONNXRegistry().from_torchlib(opset_version=18)
assert first.functions == second.functions and first.opset_version == second.opset_version == 18
assert first.functions is not second.functions
assert _registration.ONNXRegistry.from_torchlib(20).opset_version == 20
registered = set(_decomp.get_onnx_implemented_overloads(first))
table = _decomp.create_onnx_friendly_decomposition_table(registered)
table.clear()
assert _decomp.create_onnx_friendly_decomposition_table(registered)
"""


def test_exports_are_the_same_beside_kept_tables() -> None:
    """In a process of its own, as tables stay kept."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
