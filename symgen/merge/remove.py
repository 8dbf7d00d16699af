"""Takes generated definitions out of a file again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from symgen.merge.classes import find_class
from symgen.merge.exports import remove_exports
from symgen.merge.leftovers import drop_leftovers, remove_statement
from symgen.merge.locate import Claim, Ground, survey
from symgen.merge.outcome import Action, DefinitionOutcome, MergeOutcome, Policy
from symgen.merge.source import ModuleSource, Statement, check_syntax, parse_source
from symgen.merge.splice import LINE_END, apply_splices
from symgen.merge.threeway import ThreeTexts
from symgen.model.ownership import fingerprint


@dataclass(frozen=True)
class _Found:
    """A definition that is to go, or what keeps it."""

    key: str
    statement: Statement | None
    outcome: DefinitionOutcome

    @property
    def goes(self) -> bool:
        return self.outcome.action is Action.REMOVED


def remove_definitions(
    before: bytes,
    keys: Sequence[str],
    *,
    path: str,
    head: str = "",
    policy: Policy = Policy.SAFE,
    bases: Mapping[str, str] | None = None,
    needed: Sequence[str] = (),
) -> MergeOutcome:
    """Takes definitions out of a file, with their entries in `__all__`, and helpers and imports that only they used.

    A definition that is not there is `unchanged`. One that a person edited is a conflict, unless the policy is FORCE;
    one that carries no marker is the user's and refused.

    Args:
        before: the file's bytes.
        keys: the operators (`aten::hypot`), or the names of tests, or `Class.method`.
        path: the file's name, for messages.
        head: what a new file starts with; where nothing but that is left, `after` is None and the file goes.
        policy: whether edited definitions go too.
        bases: the last generated text of each definition, for the diff of a conflict.
        needed: names that other files import from here: helpers that stay whoever called them here.

    Raises:
        MergeError: where the file can't be changed: it isn't Python, or not byte-exact for libcst.
    """
    source, bases = parse_source(before, path), dict(bases or {})
    ground = survey(source)
    found = [_find(ground, key, policy, bases) for key in keys]
    gone = [one.statement for one in found if one.goes and one.statement is not None]
    outcomes = tuple(one.outcome for one in found)
    if not gone:
        return MergeOutcome(before, before, bases, outcomes)
    splices = [splice for statement in gone for splice in remove_statement(source, statement)]
    splices += remove_exports(source, {statement.name for statement in gone})
    indexes = [ground.owned[one.key] for one in found if one.goes and one.key in ground.owned]
    splices += drop_leftovers(ground, indexes, [statement.text for statement in gone], needed, splices)
    text = apply_splices(source.text, splices)
    check_syntax(text, source)
    kept = {key: base for key, base in bases.items() if f"# symgen: {key} " in text}
    after = None if head and _is_only_head(text, head) else source.encode(text)
    return MergeOutcome(before, after, kept, outcomes)


def _find(ground: Ground, key: str, policy: Policy, bases: Mapping[str, str]) -> _Found:
    source, statement = ground.source, ground.statement(key)
    container, _, name = key.rpartition(".")
    claim: Claim | None = None
    if "::" not in key and container:
        statement, claim = _find_method(source, container, name, key)
    if statement is None:
        claim = claim or (ground.claim_on_operator(key) if "::" in key else ground.claim_on_name(key))
        if claim is None:
            return _Found(key, None, DefinitionOutcome(key, key, Action.UNCHANGED, reason="is not there"))
        location = source.location(claim.line)
        return _Found(key, None, DefinitionOutcome(key, key, Action.REFUSED, location, claim.reason))
    if policy is not Policy.FORCE and statement.marker and fingerprint(statement.text) != statement.marker.fingerprint:
        text = LINE_END.sub("\n", statement.text)
        diff = ThreeTexts(bases.get(key), text, bases.get(key, "")).diff()
        location, reason = source.location(statement.line), "edited since symgen wrote it; --force takes it out"
        return _Found(key, None, DefinitionOutcome(key, statement.name, Action.CONFLICT, location, reason, diff))
    return _Found(key, statement, DefinitionOutcome(key, statement.name, Action.REMOVED))


def _find_method(source: ModuleSource, container: str, name: str, key: str) -> tuple[Statement | None, Claim | None]:
    body = find_class(source, container)
    found = None if isinstance(body, Claim) else body.find(name, key)
    return (None, found) if isinstance(found, Claim) else (found, None)


def _is_only_head(text: str, head: str) -> bool:
    """Whether a file holds no more than a new one does, whatever became of its imports."""
    return list(_code(text)) == list(_code(head))


def _code(text: str) -> Iterator[str]:
    for statement in parse_source(text.encode(), "").statements:
        if not statement.is_import:
            yield fingerprint(statement.text)
