"""How many operators are right, and how the models compare with the default exporter's.

`operators_missing.tsv` lists the forward ATen operators that torch 2.13.0's TorchScript exporter lacks and for which
OpInfo has samples: whether a `.pyi` declares them, and how torch's two exporters by themselves fare with up to six
float32 samples at opset 20 (`-` where that was not measured). `operators_beyond_opinfo.txt` lists declared ones that it
lacks and that have no samples in OpInfo.
"""

from __future__ import annotations

import csv
import json
import os
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.benchmark

HERE = Path(__file__).parent
SYMGEN = [sys.executable, "-m", "symgen"]
SLOWER_WITH_REASON = {
    "aten::erfc": "1 - Erf(x) has no right digit left from x = 4 on",
    "aten::expm1": "Exp(x) - 1 has no right digit left beside 0",
    "aten::logaddexp": "Log(Exp(x) + Exp(y)) overflows from x = 89 on",
    "aten::logcumsumexp": "Log(CumSum(Exp(x))) overflows, and loses what is far below the largest",
    "aten::special_erfcx": "Exp(x * x) * (1 - Erf(x)) is no number from x = 10 on",
    "aten::special_ndtr": "(1 + Erf(x / Sqrt(2))) / 2 has no right digit left from x = -6 on",
    "aten::special_xlog1py": "Log(1 + y) has no right digit left beside 0",
    "aten::special_log_ndtr": "Exp(x * x) * (1 - Erf(x)) is no number from x = 10 on",
}
"""Operators whose model may take more than 1.5 times as long, and why."""


@pytest.fixture(scope="module")
def missing() -> list[dict[str, str]]:
    with (HERE / "operators_missing.tsv").open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def verified(ops: list[str], folder: Path) -> dict[str, dict[str, Any]]:
    """What `symgen coverage --verify` says of each operator."""
    done = subprocess.run(
        [*SYMGEN, "coverage", *ops, "--verify", "--json"], cwd=folder, check=True, capture_output=True, text=True
    )
    return {record["op"]: record for record in json.loads(done.stdout)["ops"]}


def test_operators_that_torch_lacks_are_right(missing: list[dict[str, str]], tmp_path: Path, repository: Path) -> None:
    judged = verified([row["op"] for row in missing], tmp_path)
    lines = {}
    for title, rows in {
        "declared in a `.pyi`": [row for row in missing if row["declared"] == "yes"],
        "with those that are not": missing,
    }.items():
        said = [judged[row["op"]]["verified"] for row in rows]
        by_torch = (right_by_torch(rows, exporter) for exporter in ("torchscript", "dynamo"))
        by_symgen = (sum(one[dtypes] for one in said) for dtypes in ("float32", "every_dtype"))
        lines[title] = (len(rows), *by_torch, *by_symgen)
        print(title, *lines[title])
    print("not right in float32:", *(op for op, one in judged.items() if not one["verified"]["float32"]))
    (*_, declared, declared_all), (*_, every, _) = lines.values()
    assert declared >= 168
    assert declared_all >= 150
    assert every >= 200
    readme = (repository / "README.md").read_text("utf-8")
    for title, counts in lines.items():
        assert f"| {title} | {' | '.join(map(str, counts))} |" in readme
    assert not [op for op, one in judged.items() if "no strategy found" in one["reason"]]


def right_by_torch(rows: list[dict[str, str]], exporter: str) -> int | str:
    """How many one of torch's exporters has right by itself; a dash where some were not measured."""
    measured = [row[exporter] for row in rows]
    return "-" if "-" in measured else measured.count("right")


def test_operators_beyond_opinfo_are_right(tmp_path: Path) -> None:
    ops = (HERE / "operators_beyond_opinfo.txt").read_text("utf-8").split()
    judged = verified(ops, tmp_path)
    wrong = [op for op in ops if not judged[op]["verified"]["every_dtype"]]
    print(f"{len(ops)} operators beyond OpInfo, {len(ops) - len(wrong)} right in every dtype; not: {' '.join(wrong)}")
    assert all(judged[op]["declared"] for op in ops)
    assert len(ops) - len(wrong) >= 60


def test_models_are_no_larger_and_no_slower_than_the_default_exporters(
    missing: list[dict[str, str]], tmp_path: Path
) -> None:
    ops = [row["op"] for row in missing]
    subprocess.run([*SYMGEN, "new", "--no-verify", *ops], cwd=tmp_path, check=False, stdout=subprocess.DEVNULL)
    count = os.cpu_count() or 1
    with ThreadPoolExecutor(count) as pool:
        shares = pool.map(lambda start: exported(ops[start::count], tmp_path), range(count))
    measured = [one for share in shares for one in share]
    both = [one for one in measured if one["symgen"]["right"] and one["dynamo"]["right"]]
    nodes = {one["op"]: one["symgen"]["nodes"] / max(one["dynamo"]["nodes"], 1) for one in both}
    times = {one["op"]: one["symgen"]["seconds"] / one["dynamo"]["seconds"] for one in both}
    for one in both:
        counts = f"{one['symgen']['nodes']:4d} {one['dynamo']['nodes']:4d} nodes"
        print(f"{one['op']:40} {counts}   time {times[one['op']]:.2f} x   {one['sample'][:60]}")
    right = {exporter: sum(one[exporter]["right"] for one in measured) for exporter in ("symgen", "dynamo")}
    print(f"one float32 sample of each at opset 20: right {right}, both {len(both)}")
    larger, slower = statistics.median(nodes.values()), statistics.median(times.values())
    print(f"median ratio of nodes {larger:.2f}, of times {slower:.2f}")
    assert larger <= 1
    assert slower <= 1
    assert {op for op, ratio in times.items() if ratio > 1.5} <= set(SLOWER_WITH_REASON)


def exported(ops: list[str], folder: Path) -> list[dict[str, Any]]:
    """What the models of both exporters are like, measured in a process that has the generated package."""
    done = subprocess.run(
        [sys.executable, str(HERE / "exporters.py"), str(folder)],
        input="\n".join(ops),
        check=True,
        capture_output=True,
        text=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
