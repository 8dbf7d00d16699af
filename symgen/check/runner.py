"""Finds the files to check, and checks them, on several processes where there are many."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from symgen.check.engine import check_module, not_python
from symgen.check.findings import Finding
from symgen.check.index.load import load_index
from symgen.check.index.model import CheckIndex
from symgen.check.settings import DEFAULTS, CheckSettings
from symgen.check.workspace import Workspace, holds_generated_helpers, load_module, may_be_symbolic
from symgen.errors import SymgenError, UsageError
from symgen.model.location import Location

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_WORTH_SHARING = 24
"""From this many files on, starting other processes pays."""


class Target(NamedTuple):
    """A file to check. One that was found in a folder counts only if it registers symbolic functions, or is broken."""

    path: str
    named: bool


def check_paths(
    paths: Iterable[str | Path],
    settings: CheckSettings = DEFAULTS,
    index: CheckIndex | None = None,
) -> list[Finding]:
    """The findings of files, and of the files in folders that register symbolic functions, by place.

    Without paths, the configured package is checked. The index is loaded where none is given.

    Raises:
        UsageError: where a path that was named can't be read.
        SymgenError: where torch or onnx is not installed.
    """
    targets = find_targets(paths, settings)
    index = index or load_index()
    workspace = Workspace(settings)
    if settings.jobs > 1 and len(targets) >= _WORTH_SHARING:
        findings = _on_processes(targets, index, workspace)
    else:
        findings = _check_all(index, workspace, targets)
    return sorted(findings, key=lambda finding: finding.sort_key)


def check_target(target: Target, index: CheckIndex, workspace: Workspace) -> list[Finding]:
    """The findings of one file.

    Raises:
        UsageError: where the file was named and can't be read.
    """
    try:
        module = load_module(target.path)
    except OSError as error:
        if target.named:
            raise UsageError(f"cannot be read: {error.strerror}", location=Location(target.path)) from error
        module = not_python(target.path, f"it cannot be read: {error.strerror}")
    if isinstance(module, Finding):
        return [module] if workspace.settings.wants(module.code) else []
    registers = module.registers or module.has_symbolic_method or module.torch_ops
    if not (target.named or registers or holds_generated_helpers(module.source.text.encode())):
        return []
    return check_module(module, index, workspace.settings, workspace.around(module))


def find_targets(paths: Iterable[str | Path], settings: CheckSettings) -> list[Target]:
    """The files that paths stand for, each once, in the paths' order and sorted within a folder.

    Raises:
        UsageError: where one doesn't exist.
    """
    found: dict[str, Target] = {}
    named = [str(path) for path in paths]
    for path in named or [str(settings.package)]:
        if os.path.isdir(path):
            for file in _symbolic_files(path):
                found.setdefault(file, Target(file, named=False))
        elif os.path.exists(path):
            found[path] = Target(path, named=True)
        else:
            hint = "" if named else "name a file or a folder, or set package in [tool.symgen]"
            raise UsageError("no such file or folder", location=Location(path), hint=hint)
    return list(found.values())


def _symbolic_files(folder: str) -> Iterator[str]:
    """The Python files below a folder that may be symbolic ones; hidden folders and environments are passed over."""
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _is_passed_over(parent, name))
        for name in sorted(files):
            path = os.path.normpath(os.path.join(parent, name))
            if name.endswith(".py") and _may_be_symbolic(path):
                yield path


def _is_passed_over(parent: str, name: str) -> bool:
    return name.startswith(".") or name == "__pycache__" or os.path.exists(os.path.join(parent, name, "pyvenv.cfg"))


def _may_be_symbolic(path: str) -> bool:
    try:
        return may_be_symbolic(os.path.basename(path), Path(path).read_bytes())
    except OSError:
        return True  # reported as unreadable


def _on_processes(targets: Sequence[Target], index: CheckIndex, workspace: Workspace) -> list[Finding]:
    """Shares the files out evenly, one share for this process; their folders are looked through once before."""
    import multiprocessing

    for folder in {os.path.dirname(target.path) for target in targets}:
        workspace.scan(folder)
    jobs = min(workspace.settings.jobs, len(targets))
    shares = [targets[start::jobs] for start in range(jobs)]
    # Forking is quickest: the others have the index and the folders at once.
    context = multiprocessing.get_context("fork") if sys.platform == "linux" else multiprocessing.get_context("spawn")
    started = []
    for share in shares[1:]:
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_send_findings, args=(sender, index, workspace, share), daemon=True)
        process.start()
        sender.close()
        started.append((process, receiver))
    findings = _check_all(index, workspace, shares[0])
    for process, receiver in started:
        found = receiver.recv()
        process.join()
        if isinstance(found, SymgenError):
            raise found
        findings += found
    return findings


def _send_findings(sender: Connection, index: CheckIndex, workspace: Workspace, targets: Iterable[Target]) -> None:
    """What another process does: it sends its findings, or the error that the user must mend."""
    try:
        sender.send(_check_all(index, workspace, targets))
    except SymgenError as error:
        sender.send(error)


def _check_all(index: CheckIndex, workspace: Workspace, targets: Iterable[Target]) -> list[Finding]:
    return [finding for target in targets for finding in check_target(target, index, workspace)]
