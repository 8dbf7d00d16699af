"""Merges what was decided into the files as they stand, in memory: each operator stands alone, all of it or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from symgen.errors import MergeError
from symgen.merge.apply import merge_module
from symgen.merge.outcome import Action, MergeOptions, MergeOutcome
from symgen.merge.style import StyleHints
from symgen.model.definition import together
from symgen.pipeline.ready import Target

Files = Mapping[Path, bytes | None]
Bases = Mapping[Path, Mapping[str, str]]


@dataclass(frozen=True)
class Merged:
    """The files after a merge, the texts to remember, and what kept each operator out that is not in."""

    outcomes: Mapping[Path, MergeOutcome]
    obstacles: Mapping[str, str]
    """By operator: the sentence on what is in the way."""
    unchanged: frozenset[str]
    """Operators of which every definition stood there already."""


def merge_targets(
    targets: Mapping[str, Sequence[Target]], files: Files, bases: Bases, options: MergeOptions, hints: StyleHints
) -> Merged:
    """Merges the targets of many operators, one parse and one write a file.

    An operator of which one definition fails is left out of every file, and the merge done again without it.
    """
    obstacles: dict[str, str] = {}
    while True:
        wanted = {op: found for op, found in targets.items() if op not in obstacles}
        outcomes, failed = _merge_files(wanted, files, bases, options, hints)
        if not failed:
            return Merged(outcomes, obstacles, _unchanged(wanted, outcomes))
        obstacles |= failed


def _merge_files(
    targets: Mapping[str, Sequence[Target]], files: Files, bases: Bases, options: MergeOptions, hints: StyleHints
) -> tuple[dict[Path, MergeOutcome], dict[str, str]]:
    by_path: dict[Path, dict[str, Target]] = {}
    for op, found in targets.items():
        for target in found:
            by_path.setdefault(target.path, {})[op] = target
    outcomes, failed = {}, dict[str, str]()
    for path, of_file in sorted(by_path.items()):
        module = together([target.module for target in of_file.values()])
        try:
            outcome = merge_module(
                files.get(path), module, path=str(path), options=options, bases=bases.get(path, {}), hints=hints
            )
        except MergeError as error:
            failed |= dict.fromkeys(of_file, str(error))
            continue
        outcomes[path] = outcome
        failed |= _failures(outcome, of_file)
    return outcomes, failed


def _failures(outcome: MergeOutcome, of_file: Mapping[str, Target]) -> dict[str, str]:
    """The operators of a file that could not be merged, with the reason and the diff."""
    failed: dict[str, str] = {}
    for definition in outcome.failures:
        sentence = f"{definition}\n{definition.diff}".rstrip()
        for op, target in of_file.items():
            if definition.key in {one.key for one in target.module.definitions}:
                failed.setdefault(op, sentence)
    return failed


def _unchanged(targets: Mapping[str, Sequence[Target]], outcomes: Mapping[Path, MergeOutcome]) -> frozenset[str]:
    def stands(op: str) -> bool:
        for target in targets[op]:
            keys = {definition.key for definition in target.module.definitions}
            found = [one for one in outcomes[target.path].definitions if one.key in keys]
            if any(one.action is not Action.UNCHANGED for one in found):
                return False
        return True

    return frozenset(op for op in targets if targets[op] and stands(op))
