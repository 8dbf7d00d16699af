"""Generated tests are worth what they catch: generated functions are broken on purpose, and the tests must fail.

`pytest tests/mutation` tries a sample, `--mutation=all` every mutant of every operator below. A mutant that survives is
either caught by a better sample, or stands in `equivalents.tsv` with the reason why it changes nothing.
"""

from __future__ import annotations

import ast
import compileall
import csv
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from .mutants import Mutant, mutants_of

OPS = (
    "sinh", "hypot", "rad2deg", "expm1", "erfc", "frac", "trunc", "sinc", "xlogy", "logaddexp", "heaviside", "fmax",
    "copysign", "sgn", "signbit", "isposinf", "isclose", "ldexp", "float_power", "addcdiv", "addmv", "addr", "addbmm",
    "fliplr", "flipud", "diff", "l1_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss", "binary_cross_entropy",
    "poisson_nll_loss", "elu", "bitwise_xor", "acosh", "median", "quantile", "kthvalue", "cumprod", "logcumsumexp",
    "searchsorted", "histc", "inner", "kron", "bilinear", "trace", "rot90", "channel_shuffle", "renorm", "dist",
    "index_reduce", "take_along_dim", "diagonal_scatter", "slice_scatter", "select_scatter", "count_nonzero", "nansum",
    "cummax", "gcd", "tensor_split", "block_diag", "isin", "trapezoid", "multi_margin_loss", "diag_embed",
    "index_put", "put", "fft_rfft", "cov", "unique_consecutive", "prod", "avg_pool2d", "adaptive_avg_pool2d",
    "max_unpool2d", "grid_sampler_2d", "linalg_vector_norm", "nanmedian", "bincount", "stft", "col2im", "vander",
    "masked_scatter", "unfold_copy", "tril_indices", "unfold", "repeat_interleave",
)  # fmt: skip
SAMPLE_OPS = ("hypot", "huber_loss", "addmv", "isclose", "elu")
SAMPLE_SIZE = 36
LEAST_KILLED = 0.97
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Trial:
    """A mutant in its place."""

    op: str
    file: str
    mutant: Mutant

    def __str__(self) -> str:
        return f"{self.op} ({self.file}:{self.mutant.line}) {self.mutant.change}: {self.mutant.code}"


@pytest.fixture(scope="module")
def ops(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return {"none": (), "sample": SAMPLE_OPS, "all": OPS}[request.config.getoption("--mutation")]


@pytest.fixture(scope="module")
def package(ops: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `symgen new` writes for the operators."""
    if not ops:
        pytest.skip("no mutants wanted")
    folder = tmp_path_factory.mktemp("mutation")
    new = [sys.executable, "-m", "symgen", "new", *(f"aten::{op}" for op in ops)]
    done = subprocess.run(new, cwd=folder, capture_output=True, text=True, timeout=1800)
    assert (folder / "tests").is_dir(), done.stdout + done.stderr
    # Here, and not in the runners: while one of them writes these, another may copy the folder.
    compileall.compile_dir(folder / "symbolics", quiet=2)
    return folder


def test_the_tests_pass_beside_unbroken_functions(package: Path, ops: tuple[str, ...]) -> None:
    firsts = {trial.op: trial for op in ops for trial in trials_of(package, op)}
    trials = [unbroken(package, trial) for trial in firsts.values()]

    failing = [trial.op for trial, killed in zip(trials, run(package, trials), strict=True) if killed]

    assert trials
    assert not failing


def test_mutants_are_killed(package: Path, ops: tuple[str, ...]) -> None:
    equivalents = load_equivalents()
    trials = [trial for op in ops for trial in trials_of(package, op)]
    trials = [t for t in trials if (t.op, t.mutant.change, t.mutant.code) not in equivalents]
    if ops == SAMPLE_OPS:
        trials = random.Random(0).sample(trials, min(SAMPLE_SIZE, len(trials)))

    survivors = [trial for trial, killed in zip(trials, run(package, trials), strict=True) if not killed]

    report = "\n".join(map(str, survivors))
    print(f"{len(trials) - len(survivors)} of {len(trials)} mutants killed\n{report}")
    assert len(survivors) <= (1 - LEAST_KILLED) * len(trials), report


def unbroken(package: Path, trial: Trial) -> Trial:
    """The operator as it was generated; a test that fails beside that would kill every mutant."""
    source = (package / "symbolics" / trial.file).read_text()
    return replace(trial, mutant=replace(trial.mutant, change="nothing", source=source))


def trials_of(package: Path, op: str) -> Iterator[Trial]:
    """The mutants of an operator, in each file that has a function of it; none where it has no test."""
    if not any(f"def test_{op}(" in file.read_text() for file in (package / "tests").glob("test_*.py")):
        return
    for file in sorted((package / "symbolics").glob("symbolic_opset*.py")):
        source = file.read_text()
        if any(isinstance(node, ast.FunctionDef) and node.name == op for node in ast.parse(source).body):
            yield from (Trial(op, file.name, mutant) for mutant in mutants_of(source, op))


def load_equivalents() -> set[tuple[str, str, str]]:
    """Mutants that change nothing."""
    with (HERE / "equivalents.tsv").open(newline="") as file:
        return {
            (row["op"], row["change"], row["code"])
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        }


def run(package: Path, trials: list[Trial]) -> list[bool]:
    """Whether the generated test of its operator fails beside each mutant."""
    count = os.cpu_count() or 1
    with ThreadPoolExecutor(count) as pool:
        shares = list(pool.map(lambda start: _run_share(package, trials[start::count]), range(count)))
    return [shares[place % count][place // count] for place in range(len(trials))]


def _run_share(package: Path, trials: list[Trial]) -> list[bool]:
    jobs = [
        {"file": t.file, "tests": [f"test_{t.op}", f"test_{t.op}_refuses"], "source": t.mutant.source} for t in trials
    ]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(HERE / "runner.py"), str(package)],
        input="".join(json.dumps(job) + "\n" for job in jobs),
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return [verdict == "killed" for verdict in done.stdout.split()]


def test_mutations() -> None:
    source = """
@_promoted("a", "b")
def f(g, a, b, alpha=1, keepdim=0):
    x = g.op("Sub", a, _cast(g, b, 1))
    if keepdim:
        x = g.op("ReduceSum", x, axes_i=[1], keepdims_i=1)
    return x, g.op("Mul", a, 0.5)
"""
    changes = sorted(mutant.change for mutant in mutants_of(source, "f"))
    assert changes == [
        "0.5 -> a little more",
        "1 -> 2",
        "1 -> 2",
        "Mul -> Div",
        "ReduceSum -> ReduceMean",
        "Sub -> Add",
        "alpha ignored",
        "attribute axes_i dropped",
        "condition inverted",
        "keepdim ignored",
        "keepdims inverted",
        "no cast",
        "no promotion",
        "operands of Sub swapped",
        "outputs swapped",
    ]
    assert all(ast.parse(mutant.source) for mutant in mutants_of(source, "f"))
