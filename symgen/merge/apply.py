"""Merges definitions into a file."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from symgen.errors import MergeError
from symgen.merge.classes import ClassBody, find_class, method_style
from symgen.merge.decide import Decision, decide
from symgen.merge.exports import add_exports
from symgen.merge.heads import start_file
from symgen.merge.imports import add_imports
from symgen.merge.layout import format_sources
from symgen.merge.leftovers import drop_leftovers
from symgen.merge.locate import Claim, Ground, survey
from symgen.merge.names import free_names
from symgen.merge.outcome import Action, DefinitionOutcome, MergeOptions, MergeOutcome
from symgen.merge.place import Layout, NewItem
from symgen.merge.prepare import Prepared, lay_out_method, prepare_definitions
from symgen.merge.source import Statement, check_syntax
from symgen.merge.splice import LINE_END, Splice, apply_splices, newline_before
from symgen.merge.style import FileStyle, StyleHints, observe_style
from symgen.merge.threeway import ThreeTexts
from symgen.model.definition import Definition, ModuleText
from symgen.model.location import Location
from symgen.model.ownership import Marker, fingerprint


@dataclass(frozen=True)
class _Step:
    """What is to become of one definition."""

    prepared: Prepared
    decision: Decision
    statement: Statement | None = None
    """Where it stands already."""
    body: ClassBody | None = None
    line: int = 0
    """Of what is in the way."""

    @property
    def key(self) -> str:
        return self.prepared.definition.key

    @property
    def stands(self) -> bool:
        """Whether the file holds the definition in the end, as it was asked for."""
        return not self.decision.action.is_failure


def merge_module(
    before: bytes | None,
    module: ModuleText,
    *,
    path: str,
    options: MergeOptions = MergeOptions(),  # noqa: B008 (frozen)
    bases: Mapping[str, str] | None = None,
    hints: StyleHints = StyleHints(),  # noqa: B008 (frozen)
) -> MergeOutcome:
    """Merges definitions into a file: new ones in their places, those that symgen wrote replaced, nothing else changed.

    The definitions stand alone: where a person edited one, or has something of that name or operator, the outcome says
    so for that one, and the others are merged. Helpers come along with what requires them.

    Args:
        before: the file's bytes; None where there is no file.
        module: the definitions, and the head with which a new file starts.
        path: the file's name, for messages.
        options: what happens to edited definitions, and how registrations are written.
        bases: the last generated text of each definition, by key.
        hints: what the project's configuration says of its formatting.

    Raises:
        MergeError: where the file can't be merged into at all: it isn't Python, or not byte-exact for libcst.
    """
    source = start_file(before, module.head, path)
    merge = _Merge(survey(source), observe_style(source, hints), options, bases or {})
    steps = merge.decide_all(_distinct(module.definitions))
    outcomes = tuple(merge.outcome(step) for step in steps)
    if not any(step.stands or step.decision.text is not None for step in steps):
        return MergeOutcome(before, before, dict(bases or {}), outcomes)
    after = merge.write(steps)
    return MergeOutcome(before, after, merge.bases_after(steps, after), outcomes)


def _distinct(definitions: Sequence[Definition]) -> list[Definition]:
    """Each definition once; several operators bring the same helpers."""
    found: dict[str, Definition] = {}
    for definition in definitions:
        if found.setdefault(definition.key, definition) != definition:
            raise ValueError(f"two different definitions of {definition.key}")
    return list(found.values())


class _Merge:
    """One file, one merge."""

    def __init__(self, ground: Ground, style: FileStyle, options: MergeOptions, bases: Mapping[str, str]) -> None:
        self._ground, self._style, self._options, self._bases = ground, style, options, bases
        self._source = ground.source

    def decide_all(self, definitions: Sequence[Definition]) -> list[_Step]:
        """What is to become of each definition; helpers that nothing needs in the end are left out."""
        prepared = prepare_definitions(self._ground, definitions, self._options, self._style)
        steps = {one.definition.called: self._decide(one) for one in prepared}
        required = {name for definition in definitions for name in definition.requires}
        if required - steps.keys():
            raise ValueError(f"nothing defines {', '.join(sorted(required - steps.keys()))}")
        causes = {name: _failed_requirement(steps, name) for name, step in steps.items() if step.stands}
        steps |= {name: self._blocked(steps[name], cause) for name, cause in causes.items() if cause}
        wanted = [name for name in steps if name not in required or steps[name].prepared.definition.registrations]
        needed = {helper for name in wanted if steps[name].stands for helper in _requirements(steps, name)}
        return [step for name, step in steps.items() if name in needed or name in wanted]

    def _decide(self, prepared: Prepared) -> _Step:
        definition = prepared.definition
        if definition.container:
            return self._decide_method(prepared)
        statement = self._ground.statement(definition.key)
        if statement is not None:
            return self._decide_owned(prepared, statement)
        claims = [self._ground.claim_on_operator(one.op) for one in definition.registrations]
        claim = next(filter(None, claims), None) or self._ground.claim_on_name(prepared.name)
        if claim is None:
            return _Step(prepared, Decision(Action.ADDED, prepared.text, self._marker(prepared), base=prepared.text))
        if not self._options.markers and self._is_there(prepared):
            return _Step(prepared, Decision(Action.UNCHANGED))
        return _refused(prepared, claim)

    def _decide_method(self, prepared: Prepared) -> _Step:
        definition = prepared.definition
        body = find_class(self._source, definition.container)
        if isinstance(body, Claim):
            return _refused(prepared, body)
        prepared = lay_out_method(prepared, body.outer, method_style(body, self._style))
        found = body.find(prepared.name, definition.key)
        if isinstance(found, Claim):
            return _refused(prepared, found)
        if found is None:
            decision = Decision(Action.ADDED, prepared.text, self._marker(prepared), base=prepared.text)
            return _Step(prepared, decision, body=body)
        return replace(self._decide_owned(prepared, found), body=body)

    def _decide_owned(self, prepared: Prepared, statement: Statement) -> _Step:
        key = prepared.definition.key
        assert statement.marker is not None
        texts = ThreeTexts(self._bases.get(key), LINE_END.sub("\n", statement.text).rstrip("\n") + "\n", prepared.text)
        reformat = list if prepared.definition.container else self._reformat
        decision = decide(texts, statement.marker, self._options.policy, reformat)
        is_edited_helper = decision.action is Action.CONFLICT and prepared.definition.is_helper
        if is_edited_helper and self._ground.has_tests and statement.marker == self._marker(prepared):
            # The generator did not change it since, and a test is run as it stands: a proof is with symgen's own.
            decision = Decision(Action.UNCHANGED)
        return _Step(prepared, decision, statement, line=statement.line)

    def _blocked(self, step: _Step, cause: _Step) -> _Step:
        reason = f"needs {cause.prepared.name}: {cause.decision.reason}"
        decision = Decision(cause.decision.action, reason=reason, diff=cause.decision.diff)
        return replace(step, decision=decision, line=cause.line)

    def _is_there(self, prepared: Prepared) -> bool:
        """Whether the file has the same code under that name, whatever its docstring says."""
        same = [one for one in self._source.statements if one.name == prepared.name]
        return any(_code_of(one.text) == _code_of(prepared.text) for one in same)

    def _marker(self, prepared: Prepared) -> Marker:
        return Marker(prepared.definition.key, fingerprint(prepared.text))

    def _reformat(self, sources: Sequence[str]) -> list[str]:
        return format_sources(sources, self._style)

    def outcome(self, step: _Step) -> DefinitionOutcome:
        """The step as it is reported."""
        decision = step.decision
        location = None
        if decision.action.is_failure:
            location = self._source.location(step.line) if step.line else Location(self._source.path)
        keeps_edits = step.statement is not None and step.stands and _is_edited(step.statement, decision)
        return DefinitionOutcome(
            step.key, step.prepared.name, decision.action, location, decision.reason, decision.diff, keeps_edits
        )

    def write(self, steps: Sequence[_Step]) -> bytes:
        """The file with all that was decided."""
        standing = [step.prepared for step in steps if step.stands]
        exported = [one.name for one in standing if one.definition.exported and not one.definition.container]
        wanted = {one for prepared in standing for one in prepared.imports}
        # The imports come first: a definition may go to the same place, right behind the last import.
        splices = add_imports(self._source, wanted, self._style, is_own=self._ground.is_own)
        splices += add_exports(self._source, exported, self._style)
        splices += [*self._replacements(steps), *self._additions(steps), *self._leftovers(steps)]
        text = apply_splices(self._source.text, splices)
        if all(step.decision.valid for step in steps):
            check_syntax(text, self._source)
            self._check_order(text, steps)
        return self._source.encode(text)

    def _check_order(self, text: str, steps: Sequence[_Step]) -> None:
        """Makes sure that what decorates a function stands above it, also where somebody moved it."""
        places = {step.prepared.name: text.find(f"# symgen: {step.key} ") for step in steps}
        for step in steps:
            for name in free_names(step.decision.text or "").at_definition & places.keys():
                if places[name] > places[step.prepared.name]:
                    reason = f"{step.key} needs {name} above it, and {name} stands below"
                    raise MergeError(reason, location=self._source.location(step.line), hint=f"move {name} up")

    def _leftovers(self, steps: Sequence[_Step]) -> list[Splice]:
        """Takes out what only the old text of replaced definitions used, but nothing that other files may import."""
        changed = [step for step in steps if step.statement and step.decision.text is not None]
        gone = [step.statement.text for step in changed if step.statement]
        new = [step.decision.text or "" for step in steps if step.decision.text is not None]
        replaced = frozenset(self._ground.owned[step.key] for step in changed if step.key in self._ground.owned)
        if any(step.prepared.definition.shared for step in steps):
            new += [statement.name for statement in self._source.statements]
        return drop_leftovers(self._ground, replaced, gone, new)

    def _replacements(self, steps: Sequence[_Step]) -> Iterator[Splice]:
        for step in steps:
            statement, decision = step.statement, step.decision
            if statement is None or statement.marker is None or decision.text is None or decision.marker is None:
                continue
            end = statement.marker_offset + len(str(statement.marker))
            yield Splice(end - len(decision.marker.fingerprint), end, decision.marker.fingerprint)
            newline = newline_before(self._source.text, statement.end)
            text = decision.text.replace("\n", newline)
            is_unended = not statement.text.endswith(("\n", "\r"))
            yield Splice(statement.begin, statement.end, text.removesuffix(newline) if is_unended else text)

    def _additions(self, steps: Sequence[_Step]) -> Iterator[Splice]:
        layout = Layout(self._ground, frozenset(step.key for step in steps if step.prepared.definition.is_helper))
        new = {step.prepared.definition.called: step for step in steps if step.decision.action is Action.ADDED}
        helpers = _helpers_users_first(steps)
        for step in sorted(new.values(), key=lambda step: step.prepared.name):
            if step.body is not None:
                yield step.body.insertion(self._source, self._marked(step, step.body.indent))
            elif step.prepared.definition.called not in helpers:
                layout.place(self._item(step, steps))
        for name in helpers:
            if name in new:
                users = [step for step in steps if name in step.prepared.definition.requires]
                decorates = any(name in free_names(step.prepared.text).at_definition for step in users)
                first = decorates and not self._options.markers
                layout.place_helper(self._item(new[name], steps), [step.key for step in users], first=first)
        yield from layout.splices(self._style.blank_lines)

    def _item(self, step: _Step, steps: Sequence[_Step]) -> NewItem:
        definition = step.prepared.definition
        needs = frozenset(other.key for other in steps if other.prepared.definition.called in definition.requires)
        return NewItem(step.key, step.prepared.name, self._marked(step), needs, step.prepared.after)

    def _marked(self, step: _Step, indent: str = "") -> str:
        line = f"{indent}{step.decision.marker}\n" if self._options.markers else ""
        return f"{line}{step.decision.text}"

    def bases_after(self, steps: Sequence[_Step], after: bytes) -> dict[str, str]:
        """The texts to keep for the next three-way merges: those of the definitions that are in the file."""
        bases = {**self._bases, **{step.key: step.decision.base for step in steps if step.decision.base is not None}}
        text = after.decode(self._source.encoding)
        return {key: base for key, base in sorted(bases.items()) if f"# symgen: {key} " in text}


def _code_of(text: str) -> str:
    """What a definition does, for comparison: without comments, docstring and layout."""
    (node,) = ast.parse(text).body
    if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
        node.body = node.body[1:]
    return ast.dump(node)


def _is_edited(statement: Statement, decision: Decision) -> bool:
    """Whether a definition stays as a person edited it, in whole or in part."""
    is_edited = statement.marker is not None and fingerprint(statement.text) != statement.marker.fingerprint
    return is_edited and decision.action in (Action.UNCHANGED, Action.MERGED)


def _refused(prepared: Prepared, claim: Claim) -> _Step:
    advice = "; rename it, other files import symgen's by that name" if prepared.definition.shared else ""
    return _Step(prepared, Decision(Action.REFUSED, reason=f"{claim.reason}{advice}"), line=claim.line)


def _requirements(steps: Mapping[str, _Step], name: str) -> list[str]:
    """The names of all definitions that one needs, those that they need in turn included; itself first."""
    found = [name]
    for one in found:
        found += [other for other in steps[one].prepared.definition.requires if other not in found]
    return found


def _failed_requirement(steps: Mapping[str, _Step], name: str) -> _Step | None:
    return next((steps[one] for one in _requirements(steps, name)[1:] if not steps[one].stands), None)


def _helpers_users_first(steps: Sequence[_Step]) -> list[str]:
    """The names that others require, each behind all that require it (where they don't require each other)."""
    by_name = {step.prepared.definition.called: step for step in steps}
    required = {name for step in steps for name in step.prepared.definition.requires if name in by_name}
    depth = {name: len(_requirements(by_name, name)) for name in required}
    return sorted(required, key=lambda name: (-depth[name], name))
