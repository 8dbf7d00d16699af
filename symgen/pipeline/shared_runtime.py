"""The module of runtime helpers of a package for the dynamo exporter: without those that no file calls any more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from symgen.config import Config, Target
from symgen.merge.outcome import MergeOutcome
from symgen.merge.remove import remove_definitions
from symgen.merge.shared import unneeded_helpers
from symgen.pipeline.store import Store
from symgen.render.torchlib_runtime import TRACING, render_tracing


def without_unneeded_helpers(
    outcomes: Mapping[Path, MergeOutcome], config: Config, store: Store
) -> Mapping[Path, MergeOutcome]:
    """What becomes of files, with the module of helpers as it is when all of them are written.

    Raises:
        MergeError: where the module can't be changed.
    """
    path = config.package / f"{TRACING}.py"
    before = store.files([path])[path]
    merged = outcomes.get(path, MergeOutcome(before, before, store.bases([path]).get(path, {}), ()))
    if config.target is not Target.TORCHLIB or merged.after is None:
        return outcomes
    keys = unneeded_helpers(merged.after, str(path), _beside(path, outcomes, config, store))
    if not keys:
        return outcomes
    head = render_tracing((), config.templates).head
    rest = remove_definitions(merged.after, keys, path=str(path), head=head, bases=merged.bases)
    return {**outcomes, path: replace(rest, before=before, definitions=merged.definitions)}


def _beside(path: Path, outcomes: Mapping[Path, MergeOutcome], config: Config, store: Store) -> Iterator[bytes]:
    """The files of the package and of its tests, as they will be."""
    known = {*outcomes, *config.package.glob("*.py"), *config.tests.glob("*.py")} - {path}
    for other in sorted(known):
        content = outcomes[other].after if other in outcomes else store.files([other])[other]
        if content is not None:
            yield content
