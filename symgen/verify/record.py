"""Remembers what verifications saw, so that an interrupted run goes on where it was and `match` can show the proof.

A record holds as long as nothing that it depends on has changed: the generated text, the schemas, symgen and the
versions of torch, onnx and onnxruntime. It is JSON; nothing that is read from it can run code.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import importlib.metadata
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import symgen
from symgen.introspect.cache import cache_folder
from symgen.model.result import Evidence, SampleResult, Verdict
from symgen.model.sample import SampleSpec
from symgen.verify.samples_as_json import sample_from_json, sample_to_json
from symgen.verify.task import SampleSet, Verification, VerifyTask

_DEPENDENCIES = ("torch", "onnx", "onnxruntime")


def load_record(task: VerifyTask) -> Verification | None:
    """What an earlier verification of the same code saw; None where there is no record, or a damaged one."""
    try:
        return verification_from_json(json.loads(_path(task).read_text("utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def store_record(task: VerifyTask, seen: Verification) -> None:
    """Remembers a verification; a folder that can't be written costs time later and nothing else."""
    path = _path(task)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        temporary.write_text(json.dumps(verification_to_json(seen)), "utf-8")
        temporary.replace(path)


def _path(task: VerifyTask) -> Path:
    versions = [symgen.__version__, *map(importlib.metadata.version, _DEPENDENCIES), _sources()]
    schemas = [str(schema) for schema in task.schemas]
    body = json.dumps([versions, task.op, schemas, task.modules, task.opsets, task.full, task.target])
    digest = hashlib.sha256(body.encode()).hexdigest()[:24]
    return cache_folder() / "evidence" / f"{task.op.replace('::', '.')}-{digest}.json"


def _sources() -> str:
    """The state of the verifier itself: what it would see now may be something else after a change."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def verification_to_json(seen: Verification) -> dict[str, Any]:
    """A verification as JSON holds it."""
    return {
        "op": seen.op,
        "evidence": {**dataclasses.asdict(seen.evidence)},
        "samples": [sample_to_json(sample) for sample in seen.samples.samples],
        "notes": list(seen.samples.notes),
        "proven": [sample_to_json(sample) for sample in seen.proven],
        "refused": [sample_to_json(sample) for sample in seen.refused],
        "failed": [[sample_to_json(sample), dataclasses.asdict(result)] for sample, result in seen.failed],
        "same": seen.same,
        "ends": list(seen.ends),
    }


def verification_from_json(row: Mapping[str, Any]) -> Verification:
    """The verification that `verification_to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError: where it is something else.
    """
    return Verification(
        op=row["op"],
        evidence=_evidence_from_json(row["evidence"]),
        samples=SampleSet(row["op"], _samples(row["samples"]), tuple(row["notes"])),
        proven=_samples(row["proven"]),
        refused=_samples(row["refused"]),
        failed=tuple((sample_from_json(sample), _result(result)) for sample, result in row["failed"]),
        same=row["same"],
        ends=tuple(row["ends"]),
    )


def _evidence_from_json(row: Mapping[str, Any]) -> Evidence:
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    for name in ("refused", "failures", "no_kernel", "never_asked"):
        values[name] = tuple(map(_result, row[name]))
    return Evidence(**values)


def _result(row: Mapping[str, Any]) -> SampleResult:
    return SampleResult(**{**row, "verdict": Verdict(row["verdict"])})


def _samples(rows: Sequence[Any]) -> tuple[SampleSpec, ...]:
    return tuple(map(sample_from_json, rows))
