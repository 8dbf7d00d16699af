"""What keeping the dynamo exporter's tables is worth: an export that finds them against one that makes them."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.benchmark

PROGRAM = """
import time, torch
from symgen.verify.exporter_tables import keep_exporter_tables
from symgen.verify.exporting import export_program

def seconds():
    start = time.perf_counter()
    export_program(torch.nn.ReLU(), [torch.ones(2, 3)], 18, False, {})
    return time.perf_counter() - start

seconds()
made = min(seconds() for _ in range(5))
keep_exporter_tables()
seconds()
print(min(seconds() for _ in range(5)) / made)
"""


def test_an_export_takes_half_the_time_beside_kept_tables() -> None:
    pytest.importorskip("onnxscript")
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True, check=True)
    ratio = float(done.stdout.split()[-1])
    print(f"kept / made anew: {ratio:.2f}")
    assert ratio <= 0.5
