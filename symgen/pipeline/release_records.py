"""What was seen when this version of symgen was made: the audits of both exporters, and the proofs of symgen's plans.

A machine on which nothing has been audited or verified can still say from it how operators stand. A record of torch's
own functions holds beside the versions that it was made with, one of symgen's as long as the plan is the same.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.metadata
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import symgen
from symgen.config import Target
from symgen.model.plan import Plan
from symgen.model.result import Evidence, SampleResult, Verdict
from symgen.model.standing import Chart, Ours, Proof, Span, Through
from symgen.resources import audit_folder
from symgen.verify.samples_as_json import sample_from_json, sample_to_json

_DEPENDENCIES = ("torch", "onnx", "onnxruntime", "onnxscript")
_SHOWN = 3
"""Faults that are kept where all are of one kind; the page shows little more."""
_SUMS = ("samples", "exports", "runs", "max_abs_err", "max_rel_err")
_LISTS = ("dtypes", "opsets", "modes", "notes", "refused_lengths")


@dataclass(frozen=True)
class ReleaseRecord:
    """What was seen of one function: torch's own of an exporter, or symgen's; or of what is never asked for."""

    proof: Proof
    spans: tuple[tuple[int, int, str], ...]
    """How it stood, as ranges of opsets: values of `Torch`, of `Ours`, or of `Through` for what is never asked for."""
    plan: str = ""
    """The digest of symgen's plan; empty for torch's own."""
    parts: tuple[tuple[str, str], ...] = ()
    """The parts whose functions of symgen's an operator was run with in its own's place, with the plans' digests."""

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from others."""
        return self.proof.op, self.proof.exporter, self.proof.by

    def state(self, opset: int) -> str | None:
        """How the function stood at an opset."""
        return next((state for first, last, state in self.spans if first <= opset <= last), None)


@dataclass(frozen=True)
class ReleaseRecords:
    """All of them; empty where they were made with other versions than those that are installed."""

    by_key: Mapping[tuple[str, str, str], ReleaseRecord] = dataclasses.field(default_factory=dict)
    note: str = ""
    """Where they come from, as their readers are told."""

    def of_torch(self, op: str, exporter: Target) -> ReleaseRecord | None:
        """What was seen of torch's own function, or of what an exporter does without one."""
        found = self.by_key.get((op, exporter, "torch"))
        return self._noted(found) if found else None

    def of_plan(self, plan: Plan, exporter: Target) -> ReleaseRecord | None:
        """What was seen of a plan of symgen's, if it still is the same."""
        found = self.by_key.get((plan.op.qualified, exporter, "symgen"))
        return self._noted(found) if found and found.plan == plan_digest(plan) else None

    def of_parts(self, op: str, exporter: Target) -> ReleaseRecord | None:
        """What was seen of an operator that an exporter never asks for."""
        found = self.by_key.get((op, exporter, "parts"))
        return self._noted(found) if found else None

    def faults(self, op: str, exporter: Target, opsets: Collection[int]) -> tuple[SampleResult, ...]:
        """What was seen to be wrong or to fail of torch's own function at some opsets, or where it stood the same."""
        record = self.by_key.get((op, exporter, "torch"))
        if record is None:
            return ()
        stood = {record.state(opset) for opset in opsets}
        return tuple(one for one in record.proof.evidence.failures if record.state(one.opset) in stood)

    def faulty(self, exporter: Target) -> tuple[str, ...]:
        """The operators whose function of torch's own was wrong or failed."""
        return tuple(proof.op for proof in self._of_torchs(exporter) if proof.evidence.failures)

    def wanting(self, exporter: Target) -> tuple[str, ...]:
        """Those, and the operators whose function of torch's own refuses arguments."""
        own = self._of_torchs(exporter)
        return tuple(proof.op for proof in own if proof.evidence.failures or proof.evidence.refused)

    def _of_torchs(self, exporter: Target) -> Iterator[Proof]:
        """What was seen of torch's own functions for an exporter."""
        return (record.proof for (_, of, by), record in self.by_key.items() if of == exporter and by == "torch")

    def _noted(self, record: ReleaseRecord) -> ReleaseRecord:
        evidence = record.proof.evidence
        noted = dataclasses.replace(evidence, notes=(*evidence.notes, self.note))
        return dataclasses.replace(record, proof=dataclasses.replace(record.proof, evidence=noted))


def with_known_faults(seen: Evidence, known: ReleaseRecord | None) -> Evidence:
    """What was seen here, with the kinds of fault on record that the samples drawn here don't show."""
    shown = {failure.verdict for failure in seen.failures}
    recorded = known.proof.evidence.failures if known else ()
    return dataclasses.replace(
        seen, failures=(*seen.failures, *(failure for failure in recorded if failure.verdict not in shown))
    )


def plan_digest(plan: Plan) -> str:
    """Tells a plan from what it was before: its text, that of the helpers that it calls, and what stays a value."""
    functions = [(function.source, function.constants) for function in (plan.body, *plan.helpers)]
    unrounded = plan.promotion.unrounded if plan.promotion else ()
    overloads = [str(overload) for overload in plan.overloads]
    said = json.dumps([functions, repr(plan.promotion), overloads, *plan.graph_values, *unrounded])
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def installed_versions() -> dict[str, str]:
    """What a record depends on; how torch was built doesn't matter."""
    found = {"symgen": symgen.__version__}
    for name in _DEPENDENCIES:
        try:
            found[name] = importlib.metadata.version(name).partition("+")[0]
        except importlib.metadata.PackageNotFoundError:
            found[name] = ""
    return found


def load_release_records(path: Path | None = None) -> ReleaseRecords:
    """The records that come with symgen; none where other versions are installed than they were made with."""
    return _load(path or audit_folder() / "records.jsonl")


@functools.cache
def _load(path: Path) -> ReleaseRecords:
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError:
        return ReleaseRecords()
    versions = json.loads(lines[0])
    if versions != installed_versions():
        return ReleaseRecords()
    with_torch = ", ".join(f"{name} {version}" for name, version in versions.items() if name != "symgen")
    note = f"seen when symgen {versions['symgen']} was made, with {with_torch}"
    records = [_from_json(json.loads(line)) for line in lines[1:]]
    return ReleaseRecords({record.key: record for record in records}, note)


def release_records(
    chart: Chart, plan_of: Callable[[str], Plan], sentences: Mapping[tuple[str, str], Mapping[str, str]]
) -> Iterator[ReleaseRecord]:
    """The records of an operator, from what is on record on this machine.

    Args:
        chart: how it stands.
        plan_of: symgen's plan of what reaches an exporter under a name.
        sentences: what people say of findings, by exporter and operator, then by verdict; it takes the place of what
            was seen.
    """
    for proof in chart.proofs:
        spans = [span for span in chart.spans if span.exporter == proof.exporter]
        if proof.by == "parts":
            yield _of_parts(proof, spans, plan_of)
            continue
        is_torch = proof.by == "torch"
        states = [(span.first, span.last, str(span.torch if is_torch else span.ours)) for span in spans]
        kept = [state for state in states if is_torch or state[2] != Ours.NONE]
        short = _short(proof, sentences.get((proof.exporter, proof.op), {}) if is_torch else {})
        yield ReleaseRecord(short, tuple(kept), "" if is_torch else plan_digest(plan_of(proof.op)))


def _of_parts(proof: Proof, spans: Sequence[Span], plan_of: Callable[[str], Plan]) -> ReleaseRecord:
    """What was seen of an operator that is never asked for; what is derived of it is not kept, but derived anew."""
    was_run = [span.apart for span in spans if span.apart.through is not Through.DERIVED]
    parts = dict.fromkeys(part for apart in was_run for part in apart.parts)
    through = [Through.NONE if span.apart.through is Through.DERIVED else span.apart.through for span in spans]
    states = [(span.first, span.last, str(state)) for span, state in zip(spans, through, strict=True)]
    made = {result.detail: result for result in reversed(proof.evidence.never_asked)}
    short = _short(proof, {})
    evidence = dataclasses.replace(short.evidence, never_asked=tuple(reversed(made.values())))
    digests = tuple((part, plan_digest(plan_of(part))) for part in parts)
    return ReleaseRecord(dataclasses.replace(short, evidence=evidence), tuple(states), parts=digests)


def _short(proof: Proof, sentences: Mapping[str, str]) -> Proof:
    """A proof with few of its faults, one of each verdict first."""
    evidence = dataclasses.replace(
        proof.evidence,
        failures=_few(proof.evidence.failures, sentences),
        refused=_few(proof.evidence.refused, {}),
        no_kernel=(),
        never_asked=(),
    )
    return dataclasses.replace(proof, evidence=evidence, failed=proof.failed[:1])


def _few(results: Sequence[SampleResult], sentences: Mapping[str, str]) -> tuple[SampleResult, ...]:
    firsts: dict[str, SampleResult] = {}
    for result in results:
        firsts.setdefault(result.verdict, result)
    chosen = list(firsts.values()) if len(firsts) > 1 or sentences else list(results)[:_SHOWN]
    return tuple(dataclasses.replace(result, detail=sentences.get(result.verdict, result.detail)) for result in chosen)


def write_release_records(records: Iterable[ReleaseRecord], path: Path) -> None:
    """Writes the file: the versions, then a line for each record, in a fixed order."""
    lines = [installed_versions(), *(_to_json(record) for record in sorted(records, key=lambda one: one.key))]
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), "utf-8")


def _to_json(record: ReleaseRecord) -> dict[str, Any]:
    evidence = record.proof.evidence
    row = {
        "op": record.proof.op,
        "exporter": record.proof.exporter,
        "by": record.proof.by,
        "plan": record.plan,
        "parts": record.parts,
        "spans": record.spans,
        **{name: getattr(evidence, name) for name in (*_SUMS, *_LISTS)},
        "never_asked": [_result_to_json(result) for result in evidence.never_asked],
        "refused": [_result_to_json(result) for result in evidence.refused],
        "failures": [_result_to_json(result) for result in evidence.failures],
        "failed": [[sample_to_json(sample), _result_to_json(result)] for sample, result in record.proof.failed],
    }
    return {name: value for name, value in row.items() if value or name in _SUMS}


def _from_json(row: Mapping[str, Any]) -> ReleaseRecord:
    sums: dict[str, Any] = {name: row[name] for name in _SUMS}
    lists: dict[str, Any] = {name: tuple(row.get(name, ())) for name in _LISTS}
    evidence = Evidence(
        **sums,
        **lists,
        refused=tuple(map(_result_from_json, row.get("refused", ()))),
        failures=tuple(map(_result_from_json, row.get("failures", ()))),
        never_asked=tuple(map(_result_from_json, row.get("never_asked", ()))),
    )
    failed = tuple((sample_from_json(sample), _result_from_json(result)) for sample, result in row.get("failed", ()))
    spans = tuple((first, last, state) for first, last, state in row.get("spans", ()))
    proof = Proof(row["op"], row["exporter"], row["by"], evidence, failed)
    parts = tuple((name, digest) for name, digest in row.get("parts", ()))
    return ReleaseRecord(proof, spans, row.get("plan", ""), parts)


def _result_to_json(result: SampleResult) -> list[Any]:
    return [result.sample, result.dtype, result.opset, result.mode, str(result.verdict), result.detail]


def _result_from_json(row: Sequence[Any]) -> SampleResult:
    sample, dtype, opset, mode, verdict, detail = row
    return SampleResult(sample, dtype, opset, mode, Verdict(verdict), detail)
