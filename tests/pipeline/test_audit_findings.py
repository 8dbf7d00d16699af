"""What is wrong in the exporters of torch 2.13.0: files in `golden/audit`, a sentence for each finding.

`findings.tsv` is about all that the TorchScript exporter registers, `torchlib_findings.tsv` about all of torchlib.
`pytest tests/pipeline/test_audit_findings.py -m benchmark --update-golden` audits everything again and adds what is
new; that has no sentence, and fails the test until somebody has looked at it and written one.
"""

from __future__ import annotations

import csv
import importlib.metadata
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from symgen.config import Config, Target
from symgen.pipeline.audit import look
from symgen.verify.findings import Finding

COLUMNS = ("op", "verdict", "opsets", "dtypes", "sample", "sentence")


@dataclass(frozen=True)
class Case:
    """The findings of one exporter."""

    file: str
    config: Config
    again: tuple[str, ...]
    """Operators that are audited in every run of the tests."""
    least: int
    """How many operators have findings."""


CASES = {
    "torchscript": Case(
        "findings.tsv",
        Config(),
        ("aten::softplus", "aten::atan2", "aten::__rshift_", "aten::where"),
        200,
    ),
    "torchlib": Case("torchlib_findings.tsv", Config(target=Target.TORCHLIB), ("aten::elu", "aten::cross"), 200),
}
ALL = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
_ARE_THEIRS = torch.__version__.startswith("2.13.0") and importlib.metadata.version("onnxscript") == "0.7.2"

pytestmark = pytest.mark.skipif(not _ARE_THEIRS, reason="the findings are of torch 2.13.0 with onnxscript 0.7.2")


@pytest.fixture
def folder(repository: Path) -> Path:
    return repository / "golden" / "audit"


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def first_of_each(findings: Iterable[Finding]) -> list[Finding]:
    """The most frequent kind of failure for each operator and verdict. Complex tensors are symgen's own convention."""
    found: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        if not finding.dtypes or any("complex" not in dtype for dtype in finding.dtypes):
            found.setdefault((finding.op, finding.result.verdict), finding)
    return list(found.values())


def record(finding: Finding) -> dict[str, str]:
    """A finding as a row of the file, without its sentence."""
    first, last = finding.opsets[0], finding.opsets[-1]
    return {
        "op": finding.op,
        "verdict": finding.result.verdict,
        "opsets": f"{first}-{last}" if first != last else str(first),
        "dtypes": " ".join(finding.dtypes),
        "sample": str(finding.sample),
    }


@ALL
def test_every_finding_has_its_sentence(case: Case, folder: Path) -> None:
    rows = read(folder / case.file)
    assert len({row["op"] for row in rows}) >= case.least
    assert not [row for row in rows if not row["sentence"].endswith(".")]
    assert rows == sorted(rows, key=lambda row: row["op"])


@ALL
def test_what_was_found_is_found_again(case: Case, folder: Path) -> None:
    findings = first_of_each(look(case.again, case.config).findings)
    found = {(finding.op, str(finding.result.verdict)) for finding in findings}
    assert found == {(row["op"], row["verdict"]) for row in read(folder / case.file) if row["op"] in case.again}


@ALL
@pytest.mark.benchmark
def test_a_whole_audit_finds_nothing_new(case: Case, folder: Path, request: pytest.FixtureRequest) -> None:
    """Most of what is known it finds again: which calls are drawn changes with the samples."""
    path = folder / case.file
    known = {(row["op"], row["verdict"]): row for row in read(path)}
    found = {
        (finding.op, str(finding.result.verdict)): finding for finding in first_of_each(look((), case.config).findings)
    }
    if request.config.getoption("--update-golden"):
        new = {key: record(finding) | {"sentence": ""} for key, finding in found.items() if key not in known}
        write(path, [*known.values(), *new.values()])
    assert not found.keys() - known.keys()
    assert len(found) >= 0.9 * len(known)


def write(path: Path, rows: Iterable[dict[str, str]]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(sorted(rows, key=lambda row: row["op"]))
    path.write_text(text.getvalue(), encoding="utf-8")
