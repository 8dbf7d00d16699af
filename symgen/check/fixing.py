"""Mends what is mechanical: applies the edits of findings until none is left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from symgen.check.engine import check_module, read_or_finding
from symgen.check.findings import Edit, Finding
from symgen.check.index.load import load_index
from symgen.check.index.model import CheckIndex
from symgen.check.runner import check_paths, find_targets
from symgen.check.settings import DEFAULTS, CheckSettings
from symgen.check.source import Source, UndecodableError, decode, detect_encoding
from symgen.check.workspace import Workspace
from symgen.files import Change, locked, read_file, write_files

_MOST_ROUNDS = 100
"""Each round mends at least one finding; a rule whose edit does not mend its own finding must not go on forever."""


@dataclass(frozen=True)
class FixReport:
    """What mending did: how many findings it mended in which file, and those that remain."""

    mended: tuple[tuple[str, int], ...]
    remaining: tuple[Finding, ...]


def fix_paths(
    paths: Iterable[str | Path],
    settings: CheckSettings = DEFAULTS,
    index: CheckIndex | None = None,
) -> FixReport:
    """Mends files in place, everything else in them byte for byte as it was, and checks them again.

    Raises:
        UsageError: where a path that was named can't be read.
        MergeError: where a file can't be written, or is changed by something else at the same time.
        SymgenError: where torch or onnx is not installed.
    """
    index = index or load_index()
    named = [str(path) for path in paths]
    targets = find_targets(named, settings)
    with locked({Path(target.path).parent for target in targets}):
        counts = [(target.path, _fix_file(target.path, index, settings)) for target in targets]
    mended = [(path, count) for path, count in counts if count]
    return FixReport(tuple(mended), tuple(check_paths(named, settings, index)))


def _fix_file(path: str, index: CheckIndex, settings: CheckSettings) -> int:
    """Mends one file and returns how many findings that took."""
    version = read_file(Path(path))
    content = version.content or b""
    try:
        text, encoding = decode(content), detect_encoding(content)
    except UndecodableError:
        return 0  # the check says so
    if text.encode(encoding) != content:
        return 0  # what can't be given back byte for byte is left alone
    fixed, count = fix_text(text, path, index, settings, Workspace(settings))
    if count:
        write_files([Change(version, fixed.encode(encoding))])
    return count


def fix_text(
    text: str, path: str, index: CheckIndex, settings: CheckSettings, workspace: Workspace | None = None
) -> tuple[str, int]:
    """The mended text of a file, and how many findings were mended; a mend that breaks the file is not made."""
    workspace = workspace or Workspace(settings)
    mended = 0
    for _ in range(_MOST_ROUNDS):
        module = read_or_finding(Source(path, text))
        if isinstance(module, Finding):
            break
        findings = check_module(module, index, settings, workspace.around(module))
        chosen = _without_conflicts([finding for finding in findings if finding.edits])
        new = apply_edits(text, [edit for finding in chosen for edit in finding.edits])
        if not chosen or isinstance(read_or_finding(Source(path, new)), Finding):
            break
        text, mended = new, mended + len(chosen)
    return text, mended


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits made that don't overlap."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _without_conflicts(findings: Sequence[Finding]) -> list[Finding]:
    """The findings whose edits can be made at once: no two touch the same place. The others wait for the next round."""
    chosen: list[Finding] = []
    taken: list[Edit] = []
    for finding in findings:
        if not any(_touch(edit, other) for edit in finding.edits for other in taken):
            chosen.append(finding)
            taken += finding.edits
    return chosen


def _touch(one: Edit, other: Edit) -> bool:
    return one.start <= other.end and other.start <= one.end
