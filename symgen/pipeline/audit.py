"""`audit`: the same round trips for what torch itself registers, each mismatch made as small as it can be."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from symgen.config import Config, Target
from symgen.errors import UsageError
from symgen.files import Change, read_file, write_files
from symgen.introspect.cache import cache_folder
from symgen.model.names import OpName, parse_op_name
from symgen.model.result import Outcome, Status, Strategy
from symgen.model.run import Listener, Run, Step, ignore_steps
from symgen.pipeline.decide import refusal_sentences
from symgen.pipeline.drive import verify_remembered
from symgen.pipeline.exporters import Exporter, exporter_of
from symgen.pipeline.resolve import resolve_names
from symgen.render.reproductions import Reproduction, render_reproduction
from symgen.sources import Sources, load_sources
from symgen.verify.findings import Finding, find_smallest, kinds_of_failure
from symgen.verify.pool import start_pool
from symgen.verify.session import Progress
from symgen.verify.task import Verification, VerifyTask

_DEPENDENCIES = ("torch", "onnx", "onnxruntime")


@dataclass(frozen=True)
class Audited:
    """What an audit saw: a verification of each operator, in their order, and every kind of failure."""

    ops: tuple[OpName, ...]
    verifications: tuple[Verification, ...]
    findings: tuple[Finding, ...]


def audit(
    asked: Sequence[str],
    config: Config,
    reproductions: Path | None = None,
    listener: Listener = ignore_steps,
    *,
    shrink: bool = True,
) -> Run:
    """Judges torch's own functions: those of the operators asked for, or all of them.

    With `reproductions` a standalone script for every finding is written into that folder. What a whole audit, of all
    operators at all opsets, found is remembered for `fix --all`, which can do without small samples: `shrink` is what
    makes each failure as small as it can be.

    Raises:
        UnknownNameError: where nothing declares an operator.
        MergeError: where a script can't be written.
        InterruptedVerification: on Ctrl-C; what was seen is on record.
    """
    seen = look(asked, config, listener, shrink=shrink)
    if reproductions is not None:
        _write_reproductions(seen.findings, reproductions, config)
    by_op: dict[str, list[Finding]] = {}
    for finding in seen.findings:
        by_op.setdefault(finding.op, []).append(finding)
    outcomes = tuple(
        _outcome(op, verification, by_op.get(op.qualified, ()))
        for op, verification in zip(seen.ops, seen.verifications, strict=True)
    )
    if not asked and config.opset is None:
        _remember([outcome.op for outcome in outcomes if outcome.status is not Status.VERIFIED], config)
    return Run(outcomes)


def look(asked: Sequence[str], config: Config, listener: Listener = ignore_steps, *, shrink: bool = True) -> Audited:
    """Runs the round trips of torch's own functions, and makes each failure as small as it can be.

    Without `shrink` the samples of the failures stay as they were drawn.

    Raises:
        UnknownNameError: where nothing declares an operator.
        UsageError: where the exporter has no function for one that is named.
        InterruptedVerification: on Ctrl-C; what was seen is on record.
    """
    exporter = exporter_of(config)
    with start_pool(os.cpu_count() or 1) as pool:
        sources = load_sources(config)
        requests = resolve_names(asked, sources, config.target)
        ops = [request.op for request in requests] if asked else exporter.registered(sources)
        lacking = [op.qualified for op in ops if not exporter.own_opsets(op, sources)]
        if lacking:
            raise UsageError(
                f"torch registers nothing for {', '.join(lacking)}", hint=f"symgen new {lacking[0]} writes a function"
            )
        tasks = [_task(op, sources, config, exporter) for op in ops]

        def tell(progress: Progress) -> None:
            listener(Step(progress.last, progress.done, progress.total, progress.samples, progress.failures))

        def tell_small(op: str, done: int, total: int) -> None:
            listener(Step(op, done, total, counted="failures made small"))

        verifications = verify_remembered(tasks, pool, tell)
        if shrink:
            findings = find_smallest(tasks, verifications, pool, tell_small)
        else:
            findings = tuple(finding for seen in verifications for finding in kinds_of_failure(seen))
    return Audited(tuple(ops), tuple(verifications), findings)


def last_audit(config: Config) -> tuple[str, ...] | None:
    """The operators that the last whole audit of this torch's exporter found wanting; None where there was none."""
    try:
        versions, ops = json.loads(_record(config).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return tuple(ops) if versions == _versions() else None


def _remember(ops: Sequence[str], config: Config) -> None:
    with contextlib.suppress(OSError):
        _record(config).parent.mkdir(parents=True, exist_ok=True)
        _record(config).write_text(json.dumps([_versions(), list(ops)]), "utf-8")


def _record(config: Config) -> Path:
    own = "" if config.target is Target.TORCHSCRIPT else f"-{config.target}"
    return cache_folder() / f"audit{own}.json"


def _versions() -> list[str]:
    return [importlib.metadata.version(name) for name in _DEPENDENCIES]


def _task(op: OpName, sources: Sources, config: Config, exporter: Exporter) -> VerifyTask:
    served = exporter.target.opsets
    first = min(exporter.own_opsets(op, sources), default=served.start)
    opsets = tuple(range(max(first, config.opset or served.start), served.stop))
    return VerifyTask(op.qualified, sources.catalogue.overloads_reaching(op), opsets=opsets, target=exporter.target)


def _outcome(op: OpName, seen: Verification, findings: Sequence[Finding]) -> Outcome:
    refused = refusal_sentences(seen.evidence.refused)
    if findings:
        status, reason = Status.FAILED, "; ".join(map(describe, findings))
    elif not seen.evidence.samples:
        status, reason = Status.PARTIAL, "no sample could be judged" if not refused else "; ".join(refused)
    else:
        status, reason = Status.PARTIAL if refused else Status.VERIFIED, "; ".join(refused)
    return Outcome(op.qualified, op.qualified, status, Strategy.NONE, reason=reason, evidence=seen.evidence)


def describe(finding: Finding) -> str:
    """A finding in one sentence."""
    where = f"{_span(finding.opsets)}, {' '.join(finding.dtypes)}"
    return f"{finding.result.verdict} ({where}): {finding.sample}: {finding.result.detail}"


def _span(opsets: Sequence[int]) -> str:
    return f"opsets {opsets[0]} to {opsets[-1]}" if len(opsets) > 1 else f"opset {opsets[0]}"


def _write_reproductions(findings: Sequence[Finding], folder: Path, config: Config) -> None:
    versions = ", ".join(f"{name} {version}" for name, version in zip(_DEPENDENCIES, _versions(), strict=True))
    changes = []
    for path, finding in _paths(findings, folder).items():
        op = parse_op_name(finding.op)
        text = render_reproduction(Reproduction(op, finding.sample, finding.result, versions), config.templates)
        changes.append(Change(read_file(path), text.encode()))
    write_files(changes)


def _paths(findings: Sequence[Finding], folder: Path) -> Mapping[Path, Finding]:
    """A file for each finding: the operator, then a number where it has several."""
    found: dict[Path, Finding] = {}
    for finding in findings:
        base = parse_op_name(finding.op).base
        number = 1
        while (path := folder / f"{base}_{number}.py") in found:
            number += 1
        found[path] = finding
    return found
