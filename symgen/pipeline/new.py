"""`new` and `fix`: from names that were typed to files that were proven, merged and written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from symgen.config import Config, NewOptions, Target
from symgen.errors import UnknownNameError, UsageError
from symgen.merge.outcome import MergeOptions, Policy
from symgen.model.names import parse_op_name
from symgen.model.result import Evidence, Outcome, Status
from symgen.model.run import Listener, Run, ignore_steps
from symgen.pipeline.audit import audit, last_audit
from symgen.pipeline.decide import Decision, Settings, decide
from symgen.pipeline.derive import with_derived
from symgen.pipeline.drive import run_trials
from symgen.pipeline.exporters import exporter_of
from symgen.pipeline.own import decide_own, operators_lacking, resolve_own
from symgen.pipeline.ready import Ready
from symgen.pipeline.release_records import load_release_records
from symgen.pipeline.remove import remove
from symgen.pipeline.resolve import candidates_of_all, resolve_names
from symgen.pipeline.shared_runtime import with_missing_helpers, without_unneeded_helpers
from symgen.pipeline.store import Store, as_file_changes
from symgen.pipeline.targets import targets_of
from symgen.pipeline.write import Merged, merge_targets
from symgen.sources import Sources, load_sources
from symgen.verify.pool import Pool, start_pool


def new(asked: Sequence[str], config: Config, options: NewOptions, listener: Listener = ignore_steps) -> Run:
    """Writes and verifies the symbolic functions of operators; with `options.correct`, those that torch gets wrong.

    All of those are what the last audit of this torch found wanting, or what was seen to be when symgen was made;
    where neither is known, as of another torch, an audit runs first.

    Raises:
        SymgenError: where a name, the configuration or an installed package is not usable; nothing is written then.
        InterruptedVerification: on Ctrl-C; nothing is written then.
    """
    if options.remove:
        return remove(asked, config, load_sources(config))
    exporter_of(config)
    if _wants_audit(config, options) and _wanting(config) is None:
        audit((), replace(config, opset=None), listener=listener, shrink=False)
    # The processes that verify load torch while this one, which never does, reads and matches.
    pool = start_pool(os.cpu_count() or 1)
    try:
        sources = load_sources(config)
        asked = (*asked, *_every(asked, config, options, sources))
        ready = _decide_all(asked, config, options, sources, pool, listener)
    finally:
        pool.close()
    return _write(ready, config, options)


def _wants_audit(config: Config, options: NewOptions) -> bool:
    """Whether a run is to correct all that is wrong, which is for an audit to find."""
    return options.correct and options.every and not options.family and not config.no_verify


def _wanting(config: Config) -> tuple[str, ...] | None:
    """The operators of which torch's own functions are known to be wrong or to refuse arguments; None: not known."""
    audited, recorded = last_audit(config), load_release_records().wanting(config.target)
    if audited is None and not recorded:
        return None
    return tuple(dict.fromkeys((*(audited or ()), *recorded)))


def _every(asked: Sequence[str], config: Config, options: NewOptions, sources: Sources) -> tuple[str, ...]:
    """What `--all` and `--family` add to the operators that were named.

    Raises:
        UnknownNameError: where there is no such family.
    """
    if not options.every and not options.family:
        return ()
    families = sources.knowledge.families()
    if options.family and options.family not in families:
        raise UnknownNameError(f"there is no family {options.family!r}", nearest=families)
    known = candidates_of_all(sources, options.family)
    wanting = _wanting(config) if options.correct else None
    exporter = exporter_of(config)
    if wanting is None:
        found = [op for op in known if exporter.is_wanted(parse_op_name(op), sources, correct=options.correct)]
    else:
        registered = {op.qualified for op in exporter.registered(sources)}
        found = [op for op in wanting if op in registered and (op in known or not options.family)]
    return tuple(op for op in found if op not in asked)


def _decide_all(
    asked: Sequence[str], config: Config, options: NewOptions, sources: Sources, pool: Pool, listener: Listener
) -> tuple[Ready, ...]:
    """The decisions in the order asked; every name is resolved before anything is done for the first."""
    own = resolve_own(asked, options, Path.cwd(), sources.catalogue, pool, as_function=config.as_function)
    if own and config.target is Target.TORCHLIB:
        raise UsageError(f"{next(iter(own))} is your own, which --target torchlib has nothing for", hint="leave it out")
    named = [text for text in asked if text not in own]
    requests = resolve_names(
        [*named, *(op for op in operators_lacking(own) if op not in named)], sources, config.target
    )
    sources = with_derived(sources, [request.op for request in requests], pool, config.opset)
    settings = Settings(
        lowest=config.opset,
        force=config.force,
        correct=options.correct,
        verify=not config.no_verify,
        own_templates=config.templates,
        exporter=exporter_of(config),
        known=load_release_records(),
    )
    decisions = run_trials([decide(request, sources, settings) for request in requests], pool, listener)
    parts = [part for part in dict.fromkeys(part for one in decisions for part in one.parts) if part not in named]
    further = resolve_names(parts, sources, config.target)
    decisions += run_trials([decide(request, sources, settings) for request in further], pool, listener)
    by_name = {decision.request.asked: decision for decision in decisions}
    ready = {text: _ready(decision, config) for text, decision in by_name.items()}
    ready |= {text: decide_own(request, by_name, config, options, pool) for text, request in own.items()}
    written = {text: request for text, request in own.items() if ready[text].targets}
    return tuple(ready[text] for text in dict.fromkeys((*asked, *parts, *operators_lacking(written))))


def _ready(decision: Decision, config: Config) -> Ready:
    outcome = Outcome(
        asked=decision.request.asked,
        op=decision.request.op.qualified,
        status=decision.status,
        strategy=decision.strategy,
        opset=decision.opset,
        reason="; ".join(part for part in (decision.request.note, decision.reason) if part),
        evidence=decision.evidence,
        through=decision.parts,
    )
    return Ready(outcome, targets_of(decision, config))


def _write(ready: Sequence[Ready], config: Config, options: NewOptions) -> Run:
    with Store(config) as store:
        targets = with_missing_helpers({one.outcome.op: one.targets for one in ready}, config, store)
        paths = sorted({target.path for found in targets.values() for target in found})
        merged = merge_targets(
            targets, store.files(paths), store.bases(paths), _merge_options(config, options), store.hints
        )
        changes = store.changes(without_unneeded_helpers(merged.outcomes, config, store))
        if not config.dry_run:
            store.write(changes)
    outcomes = [_outcome(one, merged) for one in ready]
    return Run(tuple(_with_parts(one, outcomes) for one in outcomes), as_file_changes(changes))


def _with_parts(outcome: Outcome, outcomes: Sequence[Outcome]) -> Outcome:
    """The outcome as it is, but that nothing was put right by functions of parts where none of these was written."""
    parts = [one for one in outcomes if one.op in outcome.through]
    is_written = any(part.files and part.status is not Status.UNCHANGED for part in parts)
    is_done = is_written and not any(part.exit_status for part in parts)
    return outcome if is_done else replace(outcome, through=())


def _merge_options(config: Config, options: NewOptions) -> MergeOptions:
    if config.force:
        return MergeOptions(Policy.MARKERS if options.merge else Policy.FORCE)
    return MergeOptions(Policy.MERGE if options.merge else Policy.SAFE)


def _outcome(ready: Ready, merged: Merged) -> Outcome:
    """The outcome as it is reported, once it is known what the files said to it."""
    outcome = ready.outcome
    if outcome.op in merged.obstacles:
        return replace(outcome, status=Status.FAILED, reason=merged.obstacles[outcome.op])
    files = [target for target in ready.targets if target.path in merged.outcomes]
    outcome = replace(
        outcome,
        files=tuple(str(target.path) for target in files if not target.is_test),
        test_files=tuple(str(target.path) for target in files if target.is_test),
    )
    edited = _kept_edits(ready, merged)
    if edited:
        edits = f"your edits of {', '.join(edited)} are kept, and not proven (symgen verify does that)"
        reason = "; ".join(filter(None, [edits, outcome.reason]))
        outcome = replace(outcome, status=Status.WRITTEN, reason=reason, evidence=Evidence())
    if outcome.op in merged.unchanged and outcome.status is not Status.STUB:
        reason = "; ".join(filter(None, ["it is there already", outcome.reason]))
        return replace(outcome, status=Status.UNCHANGED, reason=reason)
    return outcome


def _kept_edits(ready: Ready, merged: Merged) -> tuple[str, ...]:
    """The definitions of an operator that stay as a person edited them, but for tests, which are run as they are."""
    found = dict[str, None]()
    for target in ready.targets:
        keys = {definition.key for definition in target.module.definitions}
        if target.path in merged.outcomes and not target.is_test:
            of_file = merged.outcomes[target.path].definitions
            found |= dict.fromkeys(one.name for one in of_file if one.keeps_edits and one.key in keys)
    return tuple(found)
