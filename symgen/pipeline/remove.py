"""`new --remove`: takes what symgen wrote out again, with the tests and what only they needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from symgen.config import Config, Target
from symgen.introspect.autograd_classes import CLASS_NAME, load_function_class
from symgen.merge.outcome import Action, MergeOutcome, Policy
from symgen.merge.remove import remove_definitions
from symgen.merge.shared import imported_names
from symgen.model.names import OpName, parse_op_name
from symgen.model.ownership import parse_marker
from symgen.model.result import Outcome, Removal, Status
from symgen.model.run import FileChange, Run
from symgen.pipeline.classes import package_module
from symgen.pipeline.custom_ops import is_custom_op
from symgen.pipeline.resolve import resolve_names
from symgen.pipeline.shared_runtime import contents_beside, without_unneeded_helpers
from symgen.pipeline.store import Store, as_file_changes
from symgen.pipeline.targets import file_head, test_head
from symgen.render.torchlib import function_name
from symgen.sources import Sources

_TEST_FILES = {Target.TORCHSCRIPT: "test_symbolic_opset*.py", Target.TORCHLIB: "test_aten_*.py"}


@dataclass(frozen=True)
class _Removal:
    """One thing that is to go: the keys under which symgen wrote it, and the files in which it may stand."""

    asked: str
    op: str
    keys: frozenset[str]
    paths: tuple[Path, ...]


def remove(asked: Sequence[str], config: Config, sources: Sources) -> Run:
    """Removes functions and their tests; what a person edited stays, and is failed.

    Raises:
        SymgenError: where a name is not usable, or a file can't be changed.
    """
    removals = [_removal(text, config, sources) for text in asked]
    with Store(config) as store:
        paths = sorted({path for removal in removals for path in removal.paths})
        outcomes = {path: found for path in paths if (found := _remove_from(path, removals, config, store)) is not None}
        changes = store.changes(without_unneeded_helpers(outcomes, config, store))
        if not config.dry_run:
            store.write(changes)
    rest = [change for change in as_file_changes(changes) if Path(change.path) not in outcomes]
    return Run(tuple(_outcome(removal, outcomes, rest) for removal in removals), as_file_changes(changes))


def _removal(text: str, config: Config, sources: Sources) -> _Removal:
    if CLASS_NAME.fullmatch(text):
        owner = load_function_class(text, Path.cwd())
        keys = frozenset({f"{owner.qualname}.symbolic", owner.identifier})
        return _Removal(text, owner.spelled, keys, (owner.path, package_module(owner, config)))
    if is_custom_op(text):
        op = parse_op_name(text)
        own = (config.package / f"{op.namespace}.py", config.tests / f"test_{op.namespace}.py")
        return _Removal(text, op.qualified, frozenset({op.qualified, op.test_name}), own)
    (request,) = resolve_names([text], sources, config.target)
    tests = {request.op.test_name, f"{request.op.test_name}_refuses"}
    files = (*config.package.glob("*.py"), *config.tests.glob(_TEST_FILES[config.target]))
    return _Removal(
        text, request.op.qualified, frozenset({*_function_keys(request.op, config, sources), *tests}), files
    )


def _function_keys(op: OpName, config: Config, sources: Sources) -> Iterator[str]:
    """The keys under which the functions of an operator stand."""
    if config.target is Target.TORCHSCRIPT:
        yield op.qualified
        return
    for since in config.target.opsets:
        yield function_name(op, since)
        yield f"_{function_name(op, since)}"
        yield from (function_name(schema.name, since) for schema in sources.catalogue.overloads_reaching(op))


def _remove_from(path: Path, removals: Sequence[_Removal], config: Config, store: Store) -> MergeOutcome | None:
    """What becomes of one file; None where it holds nothing of what is to go."""
    before = store.files([path])[path]
    wanted = {key for removal in removals if path in removal.paths for key in removal.keys}
    keys = _keys_in(before or b"", wanted)
    if before is None or not keys:
        return None
    beside = contents_beside(path, config, store).values()
    heads = {config.package: file_head, config.tests: test_head}
    head = heads[path.parent](path, config) if path.parent in heads else ""
    return remove_definitions(
        before,
        keys,
        path=str(path),
        head=head,
        policy=Policy.FORCE if config.force else Policy.SAFE,
        bases=store.bases([path]).get(path, {}),
        needed=sorted(imported_names(beside, path.stem)),
    )


def _keys_in(content: bytes, wanted: set[str]) -> list[str]:
    """The marked definitions of a file that are to go."""
    lines = content.decode("utf-8", "replace").splitlines()
    marked = [marker.key for line in lines if (marker := parse_marker(line))]
    return [key for key in marked if key in wanted]


def _outcome(removal: _Removal, outcomes: Mapping[Path, MergeOutcome], rest: Sequence[FileChange]) -> Outcome:
    """What became of one thing that is to go; `rest` are the files that change with those in which things stood."""
    found = [
        (path, one)
        for path, outcome in outcomes.items()
        for one in outcome.definitions
        if path in removal.paths and one.key in removal.keys
    ]
    failed = [one for _, one in found if one.action.is_failure]
    removed = [str(path) for path, one in found if one.action is Action.REMOVED]
    if failed:
        return Outcome(removal.asked, removal.op, Status.FAILED, reason="; ".join(map(str, failed)))
    if not removed:
        reason = "there is nothing of it that symgen wrote"
        return Outcome(removal.asked, removal.op, Status.UNCHANGED, reason=reason)
    files = tuple(dict.fromkeys(removed))
    beside = [one for one in rest if any(Path(path).parent == Path(one.path).parent for path in files)]
    deleted = [path for path in files if outcomes[Path(path)].after is None]
    deleted += [one.path for one in beside if one.after is None]
    changed = [path for path in files if path not in deleted]
    changed += [one.path for one in beside if one.after is not None]
    done = Removal(tuple(changed), tuple(deleted))
    return Outcome(removal.asked, removal.op, Status.WRITTEN, files=files, reason="removed", removal=done)
