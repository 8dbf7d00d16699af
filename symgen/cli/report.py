"""What a run prints: the contract's JSON, or text for people with the call that uses what was written."""

from __future__ import annotations

import difflib
import importlib.metadata
import io
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

import symgen
from symgen.config import HIGHEST_OPSET, Config, Target, is_module_name
from symgen.introspect.torch_install import find_torch
from symgen.model.result import Evidence, Outcome, SampleResult, Status, Strategy
from symgen.model.run import FileChange, Run

_COLORS = {
    Status.VERIFIED: "green",
    Status.UNCHANGED: "green",
    Status.PARTIAL: "yellow",
    Status.WRITTEN: "yellow",
    Status.STUB: "red",
    Status.FAILED: "red",
}
_SERVED = (Status.VERIFIED, Status.PARTIAL, Status.WRITTEN)
_SHOWN_FAILURES = 3


def print_run(run: Run, config: Config) -> int:
    """Prints what a run did, and returns its exit status."""
    if config.json:
        click.echo(to_json({"ops": [outcome_record(outcome) for outcome in run.outcomes]}))
        if config.dry_run:
            print_diff(run.changes, err=True)
        return run.exit_status
    for outcome in run.outcomes:
        for line in outcome_lines(outcome, config):
            click.echo(line)
    if config.dry_run:
        print_diff(run.changes)
    elif run.changes and not config.quiet:
        for line in usage_lines(run, config):
            click.echo(line)
    return run.exit_status


def to_json(body: dict[str, object]) -> str:
    """A JSON object with the head that every command's has: the versions of symgen, torch and onnx."""
    head = {"symgen": symgen.__version__, "torch": find_torch().version, "onnx": importlib.metadata.version("onnx")}
    return json.dumps({**head, **body}, indent=2, allow_nan=False)


def outcome_record(outcome: Outcome) -> dict[str, object]:
    """One operator as the contract's JSON has it."""
    return {
        "asked": outcome.asked,
        "op": outcome.op,
        "status": outcome.status,
        "strategy": outcome.strategy,
        "opset": outcome.opset,
        "files": list(outcome.files),
        "test_files": list(outcome.test_files),
        "reason": outcome.reason,
        "evidence": evidence_record(outcome.evidence),
    }


def evidence_record(evidence: Evidence) -> dict[str, object]:
    """The sums of a verification as the contract's JSON has them."""
    return {
        "samples": evidence.samples,
        "dtypes": list(evidence.dtypes),
        "opsets": list(evidence.opsets),
        "modes": list(evidence.modes),
        "max_abs_err": finite(evidence.max_abs_err),
        "max_rel_err": finite(evidence.max_rel_err),
    }


def outcome_lines(outcome: Outcome, config: Config) -> Iterator[str]:
    """One operator as people read it: what became of it, where it stands, and the proof."""
    name = (
        outcome.op
        if outcome.asked in (outcome.op, outcome.op.partition("::")[2])
        else f"{outcome.asked} -> {outcome.op}"
    )
    if outcome.removal:
        yield f"{click.style(name, bold=True)}: {click.style('removed', fg='green', bold=True)}"
        for label, paths in (("changed", outcome.removal.changed), ("deleted", outcome.removal.deleted)):
            if paths:
                yield f"  {label:<7} {', '.join(paths)}"
        return
    became = f"put right through {' and '.join(outcome.through)}" if outcome.through else outcome.status
    status = click.style(became, fg=_COLORS[outcome.status], bold=True)
    how = f" by {outcome.strategy}" if outcome.status in _SERVED and outcome.strategy is not Strategy.NONE else ""
    since = f", opset {outcome.opset} and later" if outcome.opset is not None and outcome.status in _SERVED else ""
    yield f"{click.style(name, bold=True)}: {status}{how}{since}"
    if outcome.reason:
        yield f"  reason  {outcome.reason}"
    for label, paths in (("code", outcome.files), ("test", outcome.test_files)):
        if paths:
            yield f"  {label:<7} {', '.join(paths)}"
    if outcome.evidence.samples or outcome.evidence.failures:
        yield f"  proof   {evidence_sentence(outcome.evidence)}"
    if outcome.evidence.refused_lengths:
        yield f"  lengths refused as {', '.join(outcome.evidence.refused_lengths)}"
    yield from (f"  note    {note}" for note in outcome.evidence.notes)
    yield from _sample_lines("failed", outcome.evidence.failures, shown=None if config.verbose else _SHOWN_FAILURES)
    evidence = outcome.evidence
    others = (("refused", evidence.refused), ("not run", evidence.no_kernel), ("not asked", evidence.never_asked))
    for label, results in others:
        yield from _sample_lines(label, results, shown=_shown_when_asked(config.verbose))


def evidence_sentence(evidence: Evidence) -> str:
    """The sums of a verification in one line."""
    parts = [
        f"{evidence.samples} samples in {evidence.exports} exports and {evidence.runs} runs",
        " ".join(evidence.dtypes),
        f"opsets {' '.join(map(str, evidence.opsets))}",
        " ".join(evidence.modes),
        f"largest error {evidence.max_abs_err:.2g} (relative {evidence.max_rel_err:.2g})",
    ]
    if evidence.by_reference:
        parts.append(f"by onnx.reference: {' '.join(evidence.by_reference)}")
    return "; ".join(part for part in parts if part)


def usage_lines(run: Run, config: Config) -> Iterator[str]:
    """The whole call that exports a model with the functions of this run; nothing where none serves."""
    served = [outcome for outcome in run.outcomes if outcome.status in _SERVED and outcome.opset is not None]
    opset = max((outcome.opset or 0 for outcome in served), default=0)
    if not opset:
        return
    folder, module = import_of(config.package)
    yield ""
    yield "To use it:"
    yield ""
    if folder:
        yield f"    import sys; sys.path.insert(0, {folder!r})"
    is_in_place = all(_is_in_place(outcome, config) for outcome in served)
    yield "    import torch" if is_in_place else f"    import torch, {module}"
    if config.target is Target.TORCHLIB:
        yield f"    table = {module}.translation_table({opset})  # or later, as opset_version"
        call = f"dynamo=True, opset_version={opset}, custom_translation_table=table"
        yield f'    torch.onnx.export(model, args, "model.onnx", {call})'
        return
    later = f"  # or later, up to {HIGHEST_OPSET}" if opset < HIGHEST_OPSET else ""
    domains = dict(domain for outcome in served for domain in outcome.custom_opsets)
    custom = f", custom_opsets={json.dumps(domains)}" if domains else ""
    yield f'    torch.onnx.export(model, args, "model.onnx", dynamo=False, opset_version={opset}{custom}){later}'


def _is_in_place(outcome: Outcome, config: Config) -> bool:
    """Whether the function went into a class in a file of the user's, which needs no package."""
    return "::" not in outcome.op and all(Path(path).parent != config.package for path in outcome.files)


def print_diff(changes: Iterable[FileChange], *, err: bool = False) -> None:
    """Prints the changes as a unified diff, coloured on a terminal."""
    colors = {"+": "green", "-": "red", "@": "cyan"}
    for change in changes:
        for line in diff_lines(change):
            click.echo(click.style(line, fg=colors.get(line[:1])), err=err)


def diff_lines(change: FileChange) -> Iterator[str]:
    """A file's change as the lines of a unified diff that `patch -p1` takes."""
    path = Path(change.path).as_posix()
    before, after = (_lines(content) for content in (change.before, change.after))
    old, new = (
        f"{side}/{path}" if content is not None else "/dev/null"
        for side, content in (("a", change.before), ("b", change.after))
    )
    for line in difflib.unified_diff(before, after, old, new):
        yield line.removesuffix("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _lines(content: bytes | None) -> list[str]:
    return [line.decode("utf-8", "backslashreplace") for line in io.BytesIO(content or b"")]


def _sample_lines(label: str, results: Sequence[SampleResult], shown: int | None) -> Iterator[str]:
    for result in results[:shown]:
        where = f"{result.dtype}, opset {result.opset}, {result.mode}"
        detail = f": {result.detail.splitlines()[0]}" if result.detail else ""
        yield f"  {label:<7} {result.sample} [{where}] {result.verdict}{detail}"
    if shown and len(results) > shown:
        yield f"  {'':<7} and {len(results) - shown} more (-v shows them)"


def _shown_when_asked(verbose: int) -> int | None:
    return {0: 0, 1: _SHOWN_FAILURES}.get(verbose)


def import_of(package: Path) -> tuple[str, str]:
    """What to put on the module path ("" for the current folder), and the module's name."""
    parts = package.parts
    if not package.is_absolute() and all(map(is_module_name, parts)):
        return "", ".".join(parts)
    return str(package.parent), package.name


def finite(number: float) -> float | None:
    """JSON has no infinity and no nan."""
    return number if math.isfinite(number) else None
