"""What a check costs, against parsing alone and against the sum of its parts."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from symgen.check import CheckSettings, check_paths
from symgen.check.index.load import load_index
from symgen.introspect.cache import FOLDER_VARIABLE
from symgen.introspect.torch_install import find_torch
from timing import ratio

pytestmark = pytest.mark.benchmark

COMMAND = [sys.executable, "-c", "from symgen.cli import main; raise SystemExit(main())"]
"""What the installed script runs."""
SMALL_FILE = '''"""Two functions of a package."""

import functools

import torch
from torch.onnx._internal.torchscript_exporter import jit_utils, registration, symbolic_helper

__all__ = ["deg2rad_{number}", "logit_{number}"]

_onnx_symbolic = functools.partial(registration.custom_onnx_symbolic, opset=9)


@_onnx_symbolic("vendor::deg2rad_{number}")
def deg2rad_{number}(g: jit_utils.GraphContext, self):
    return g.op("Mul", self, g.op("Constant", value_t=torch.tensor(torch.pi / 180)))


@_onnx_symbolic("vendor::logit_{number}")
@symbolic_helper.parse_args("v", "f")
def logit_{number}(g: jit_utils.GraphContext, self, eps=None):
    one = g.op("Constant", value_t=torch.tensor(1.0))
    if eps is not None:
        low = g.op("Constant", value_t=torch.tensor(float(eps)))
        if g.opset >= 11:
            self = g.op("Clip", self, low, g.op("Sub", one, low))
        else:
            self = g.op("Clip", self, min_f=eps, max_f=1 - eps)
    return g.op("Log", g.op("Div", self, g.op("Sub", one, self)))
'''


@pytest.fixture
def compiled(tmp_path: Path) -> dict[str, str]:
    """An environment in which symgen's modules are compiled once, as pip leaves them."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**environment, "PYTHONPYCACHEPREFIX": str(tmp_path / "pycache")}


def seconds(command: list[str], environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=False, capture_output=True, env=environment)
    return time.perf_counter() - start


def test_a_check_costs_little_more_than_parsing_the_file(tmp_path: Path, compiled: dict[str, str]) -> None:
    file = str(find_torch().symbolic_files[2])
    parse = [sys.executable, "-c", f"import ast; ast.parse(open({file!r}).read())"]
    cold_folders = (str(tmp_path / f"cold{number}") for number in range(100))

    def warm() -> float:
        return seconds([*COMMAND, "check", file], {**compiled, FOLDER_VARIABLE: str(tmp_path / "warm")})

    def cold() -> float:
        return seconds(
            [*COMMAND, "check", file], {**compiled, FOLDER_VARIABLE: str(tmp_path / str(next(cold_folders)))}
        )

    assert file.endswith("symbolic_opset9.py")
    warm()
    times = ratio(warm, lambda: seconds(parse, compiled), rounds=15)
    first = ratio(cold, lambda: seconds(parse, compiled), rounds=5)
    print(f"symgen check symbolic_opset9.py: {times:.2f} x ast.parse, {first:.1f} x without a cache")
    assert times <= 2.5
    assert first <= 15


def test_many_files_cost_what_they_add_up_to_over_the_cores(tmp_path: Path) -> None:
    cores = len(os.sched_getaffinity(0))
    paths = [tmp_path / f"vendor_{number}.py" for number in range(1000)]
    for number, path in enumerate(paths):
        path.write_text(SMALL_FILE.replace("{number}", str(number)))
    index, settings = load_index(), CheckSettings(ignore=("SG010",))

    def in_this_process() -> float:
        start = time.perf_counter()
        check_paths(paths, settings, index)
        return (time.perf_counter() - start) / cores

    def in_one_call() -> float:
        start = time.perf_counter()
        check_paths(paths, replace(settings, jobs=cores))
        return time.perf_counter() - start

    whole = ratio(in_one_call, in_this_process, rounds=5)
    print(f"symgen check of 1,000 files: {whole:.2f} x the sum of their checks over {cores} cores")
    assert whole <= 1.2
