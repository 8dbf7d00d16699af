"""What is wrong in the TorchScript exporter of torch 2.13.0: `golden/audit/findings.tsv`, a sentence for each finding.

`pytest tests/pipeline/test_audit_findings.py -m benchmark --update-golden` audits everything again and rewrites the
file; a finding that is new has no sentence and fails the test until somebody has looked at it and written one.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

import pytest
import torch

from symgen.config import Config
from symgen.pipeline.audit import look
from symgen.verify.findings import Finding

COLUMNS = ("op", "verdict", "opsets", "dtypes", "sample", "sentence")
AGAIN = ("aten::softplus", "aten::atan2", "aten::__rshift_", "aten::where")
"""Operators that are audited in every run of the tests."""

pytestmark = pytest.mark.skipif(not torch.__version__.startswith("2.13.0"), reason="the findings are of torch 2.13.0")


@pytest.fixture
def path(repository: Path) -> Path:
    return repository / "golden" / "audit" / "findings.tsv"


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def first_of_each(findings: Iterable[Finding]) -> list[Finding]:
    """The most frequent kind of failure for each operator and verdict. Complex tensors are symgen's own convention."""
    found: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        if any("complex" not in dtype for dtype in finding.dtypes):
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


def test_every_finding_has_its_sentence(path: Path) -> None:
    rows = read(path)
    assert len({row["op"] for row in rows}) >= 200
    assert not [row for row in rows if not row["sentence"].endswith(".")]
    assert rows == sorted(rows, key=lambda row: row["op"])


def test_what_was_found_is_found_again(path: Path) -> None:
    rows = read(path)
    found = {(finding.op, str(finding.result.verdict)) for finding in first_of_each(look(AGAIN, Config()).findings)}
    assert found == {(row["op"], row["verdict"]) for row in rows if row["op"] in AGAIN}


@pytest.mark.benchmark
def test_a_whole_audit_finds_the_same(path: Path, request: pytest.FixtureRequest) -> None:
    sentences = {(row["op"], row["verdict"]): row["sentence"] for row in read(path)}
    rows = [record(finding) for finding in first_of_each(look((), Config()).findings)]
    rows = [{**row, "sentence": sentences.get((row["op"], row["verdict"]), "")} for row in rows]
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(sorted(rows, key=lambda row: row["op"]))
    if request.config.getoption("--update-golden"):
        path.write_text(text.getvalue(), encoding="utf-8")
    assert {(row["op"], row["verdict"]) for row in rows} == set(sentences)
