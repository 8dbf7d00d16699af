"""The module of runtime helpers of a package for the dynamo exporter: all that its files import, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from symgen.config import Config
from symgen.config import Target as Exporter
from symgen.merge.outcome import MergeOutcome
from symgen.merge.remove import remove_definitions
from symgen.merge.shared import imported_names, unneeded_helpers
from symgen.model.definition import ModuleText, together
from symgen.pipeline.ready import Target
from symgen.pipeline.store import Store
from symgen.render.torchlib_runtime import TRACING, render_tracing, shared_helpers


def without_unneeded_helpers(
    outcomes: Mapping[Path, MergeOutcome], config: Config, store: Store
) -> Mapping[Path, MergeOutcome]:
    """What becomes of files, with the module of helpers as it is when all of them are written.

    Raises:
        MergeError: where the module can't be changed.
    """
    if config.target is not Exporter.TORCHLIB:
        return outcomes
    path = config.package / f"{TRACING}.py"
    before = store.files([path])[path]
    merged = outcomes.get(path, MergeOutcome(before, before, store.bases([path]).get(path, {}), ()))
    if merged.after is None:
        return outcomes
    standing = contents_beside(path, config, store)
    others = {other: content for other, content in standing.items() if other not in outcomes}
    others |= {other: one.after for other, one in outcomes.items() if other != path and one.after is not None}
    keys = unneeded_helpers(merged.after, str(path), others.values())
    if not keys:
        return outcomes
    head = render_tracing((), config.templates).head
    needed = sorted(imported_names(others.values(), TRACING))
    rest = remove_definitions(merged.after, keys, path=str(path), head=head, bases=merged.bases, needed=needed)
    return {**outcomes, path: replace(rest, before=before, definitions=merged.definitions)}


def with_missing_helpers(
    targets: Mapping[str, Sequence[Target]], config: Config, store: Store
) -> Mapping[str, Sequence[Target]]:
    """The files of operators; with the first that holds helpers come those which the package imports and lacks.

    So the module is whole again where it was deleted, or two branches were merged that each wrote a part of it.
    """
    path = config.package / f"{TRACING}.py"
    first = next((op for op, found in targets.items() if any(target.path == path for target in found)), None)
    if first is None:
        return targets
    standing = store.files([path])[path] or b""
    wanted = imported_names(contents_beside(path, config, store).values(), TRACING)
    missing = shared_helpers({name for name in wanted if f"def {name}(".encode() not in standing}, config.templates)

    def completed(target: Target) -> Target:
        module = together([target.module, ModuleText(target.module.head, missing)])
        return replace(target, module=module) if target.path == path else target

    return {**targets, first: [completed(target) for target in targets[first]]}


def contents_beside(path: Path, config: Config, store: Store) -> Mapping[Path, bytes]:
    """The other files of the package and of its tests, as they stand."""
    known = sorted({*config.package.glob("*.py"), *config.tests.glob("*.py")} - {path})
    return {other: content for other, content in store.files(known).items() if content is not None}
