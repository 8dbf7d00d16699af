"""`new --remove`: takes operators out of the package again, with their tests and what only they needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from symgen.config import Config
from symgen.merge.outcome import Action, MergeOutcome, Policy
from symgen.merge.remove import remove_definitions
from symgen.model.ownership import parse_marker
from symgen.model.result import Outcome, Status
from symgen.model.run import Run
from symgen.pipeline.resolve import Request, resolve_names
from symgen.pipeline.store import Store, as_file_changes
from symgen.pipeline.targets import file_head, test_head
from symgen.sources import Sources


def remove(asked: Sequence[str], config: Config, sources: Sources) -> Run:
    """Removes the functions and tests of operators; an operator whose function a person edited stays, and is failed.

    Raises:
        SymgenError: where a name is not usable, or a file can't be changed.
    """
    requests = resolve_names(asked, sources)
    with Store(config) as store:
        paths = sorted([*config.package.glob("*.py"), *config.tests.glob("test_symbolic_opset*.py")])
        outcomes = {path: found for path in paths if (found := _remove_from(path, requests, config, store)) is not None}
        changes = store.changes(outcomes)
        if not config.dry_run:
            store.write(changes)
    return Run(tuple(_outcome(request, outcomes) for request in requests), as_file_changes(changes))


def _remove_from(path: Path, requests: Sequence[Request], config: Config, store: Store) -> MergeOutcome | None:
    """What becomes of one file; None where it holds nothing of the operators."""
    before = store.files([path])[path]
    keys = _keys_in(before or b"", requests)
    if before is None or not keys:
        return None
    return remove_definitions(
        before,
        keys,
        path=str(path),
        head=file_head(path, config) if path.parent == config.package else test_head(path, config),
        policy=Policy.FORCE if config.force else Policy.SAFE,
        bases=store.bases([path]).get(path, {}),
    )


def _keys_in(content: bytes, requests: Sequence[Request]) -> list[str]:
    """The marked definitions of a file that serve one of the operators, or test it."""
    lines = content.decode("utf-8", "replace").splitlines()
    marked = [marker.key for line in lines if (marker := parse_marker(line))]
    wanted = {request.op.qualified for request in requests}
    wanted |= {f"test_{request.op.base}{suffix}" for request in requests for suffix in ("", "_refuses")}
    return [key for key in marked if key in wanted]


def _outcome(request: Request, outcomes: dict[Path, MergeOutcome]) -> Outcome:
    op = request.op.qualified
    keys = {op, f"test_{request.op.base}", f"test_{request.op.base}_refuses"}
    found = [(path, one) for path, outcome in outcomes.items() for one in outcome.definitions if one.key in keys]
    failed = [one for _, one in found if one.action.is_failure]
    removed = [str(path) for path, one in found if one.action is Action.REMOVED]
    if failed:
        return Outcome(request.asked, op, Status.FAILED, reason="; ".join(map(str, failed)))
    if not removed:
        return Outcome(request.asked, op, Status.UNCHANGED, reason="the package has nothing of it that symgen wrote")
    return Outcome(request.asked, op, Status.WRITTEN, files=tuple(dict.fromkeys(removed)), reason="removed")
