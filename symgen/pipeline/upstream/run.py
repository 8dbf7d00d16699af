"""From operators to commits in a checkout of a project, or to the same as a patch."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from symgen.config import Config
from symgen.errors import UsageError
from symgen.model.location import Location
from symgen.model.result import Outcome, Status
from symgen.model.run import Listener, ignore_steps
from symgen.pipeline.decide import Decision, Settings, decide
from symgen.pipeline.derive import with_derived
from symgen.pipeline.drive import run_trials
from symgen.pipeline.resolve import Request, resolve_names
from symgen.pipeline.upstream.checkout import open_checkout
from symgen.pipeline.upstream.deliver import Commit, beside, diff_of, inside, make_commits, move_branch, patch_of
from symgen.pipeline.upstream.drafts import Draft, UnfitError
from symgen.pipeline.upstream.git import Git
from symgen.pipeline.upstream.message import commit_message
from symgen.pipeline.upstream.onnxscript import Onnxscript
from symgen.pipeline.upstream.options import Contributed, InCheckout, ProjectName, UpstreamOptions, UpstreamRun
from symgen.pipeline.upstream.project import Project
from symgen.pipeline.upstream.pytorch import PyTorch
from symgen.pipeline.upstream.torchlib_checkout import open_torchlib_checkout
from symgen.pipeline.upstream.work_tree import WorkTree
from symgen.sources import Sources, load_sources, match_in
from symgen.verify.pool import Pool, start_pool


@dataclass(frozen=True)
class _Plan:
    """What is to be committed: the drafts in the order of their commits, and why an operator has none."""

    drafts: tuple[Draft, ...]
    unfit: Mapping[str, str]
    seen: Mapping[str, InCheckout] = field(default_factory=dict)
    """What the checkout's own exporter showed, by operator."""

    def commits(self, *, single: bool) -> tuple[Commit, ...]:
        """The commits: one for each operator, or one for all."""
        if not single:
            return tuple(Commit(commit_message([one.contribution]), one.files) for one in self.drafts)
        files = {path: content for one in self.drafts for path, content in one.files.items()}
        return (Commit(self.text, files),) if files else ()

    @property
    def text(self) -> str:
        """The text of the pull request."""
        return commit_message([one.contribution for one in self.drafts]) if self.drafts else ""


def upstream(
    asked: Sequence[str], config: Config, options: UpstreamOptions, listener: Listener = ignore_steps
) -> UpstreamRun:
    """Writes operators into a checkout, or into a patch for one.

    Raises:
        SymgenError: where a name, the checkout or an installed package is not usable; nothing is written then.
        InterruptedVerification: on Ctrl-C; nothing is written then.
    """
    for file in (options.patch, options.message):
        if file is not None and not file.parent.is_dir():
            raise UsageError(f"there is no folder {file.parent}")
    is_left_alone = config.dry_run or not options.commit
    project = open_project(options, commits=not is_left_alone)
    project.refuse_unreadable()
    pool = None if config.no_verify else start_pool(os.cpu_count() or 1)
    try:
        sources = load_sources(config)
        requests = resolve_names(tuple(dict.fromkeys(asked)), sources)
        standing = project.standing(requests, config)
        lacking = [one.op for one in requests if not match_in(sources, one.op).plans]
        if lacking:
            pool = pool or start_pool(os.cpu_count() or 1)
            sources = with_derived(sources, lacking, pool)
        decisions = _decide_all(requests, standing, project, sources, config, pool, listener)
    finally:
        if pool is not None:
            pool.close()
    return _deliver(decisions, sources, project, config, options)


def open_project(options: UpstreamOptions, *, commits: bool) -> Project:
    """The checkout that is asked for, if it can take a change.

    Raises:
        CheckoutError: where it can't, with what to do.
        GitError: where git is absent or refuses.
    """
    if options.project is ProjectName.ONNXSCRIPT:
        return Onnxscript(open_torchlib_checkout(options.repo, branch=options.branch, commits=commits))
    return PyTorch(open_checkout(options.repo, branch=options.branch, commits=commits))


def _decide_all(
    requests: Sequence[Request],
    standing: Collection[str],
    project: Project,
    sources: Sources,
    config: Config,
    pool: Pool | None,
    listener: Listener,
) -> tuple[Decision, ...]:
    """The decisions in the order asked; what can't be written in one way is tried in the next."""
    decisions: dict[Request, Decision] = {}
    for exporter in project.exporters:
        settings = Settings(lowest=config.opset, force=True, verify=not config.no_verify, exporter=exporter)
        open_ones = [one for one in requests if one not in decisions or not project.suffices(decisions[one])]
        trials = [decide(one, sources, replace(settings, force=one.op.qualified not in standing)) for one in open_ones]
        for one, decision in zip(open_ones, run_trials(trials, pool, listener), strict=True):
            if one not in decisions or decisions[one].status is Status.FAILED or project.suffices(decision):
                decisions[one] = decision
    return tuple(without_vain(decisions[one], standing, project) for one in requests)


def without_vain(decision: Decision, standing: Collection[str], project: Project) -> Decision:
    """The decision, where it would correct a function that is there; not written where it fails like that one."""
    is_vain = decision.request.op.qualified in standing and not project.suffices(decision)
    return replace(decision, status=Status.FAILED, translation=None) if is_vain and decision.translation else decision


def _deliver(
    decisions: Sequence[Decision], sources: Sources, project: Project, config: Config, options: UpstreamOptions
) -> UpstreamRun:
    checkout = project.checkout
    plan = _draft_all(decisions, project, sources, {})
    names: tuple[str, ...] = ()
    diff = b""
    with beside(checkout) as git:
        if options.verify:
            plan = _proven(plan, decisions, sources, project, git)
        commits = plan.commits(single=options.single)
        if commits:
            made = make_commits(git, checkout.head, commits)
            diff = diff_of(git, checkout.head, made[-1])
            if options.patch is not None and not config.dry_run:
                _write_file(options.patch, patch_of(git, checkout.head, made[-1]))
    if commits and not config.dry_run:
        if options.message is not None:
            _write_file(options.message, plan.text.encode())
        if options.patch is None:
            names = _write(commits, diff, checkout, options)
    return UpstreamRun(
        contributed=_contributed(decisions, plan, names, commits),
        layout=project.layout,
        base=checkout.head,
        branch=options.branch or checkout.branch,
        text=plan.text,
        diff=diff,
    )


def _write_file(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror}", location=Location(str(path))) from None


def _write(commits: Sequence[Commit], diff: bytes, checkout: WorkTree, options: UpstreamOptions) -> tuple[str, ...]:
    """Takes the checkout to the new commits, or changes its files as they would; the commits' names."""
    if not options.commit:
        if options.branch:
            checkout.git.run("switch", "--quiet", "--create", options.branch)
        checkout.git.run("apply", "--whitespace=nowarn", given=diff)
        return ()
    with inside(checkout) as git:
        names = make_commits(git, checkout.head, commits, sign=True)
    move_branch(checkout, names[-1], options.branch)
    return names


def _draft_all(decisions: Sequence[Decision], project: Project, sources: Sources, wrong: Mapping[str, str]) -> _Plan:
    """Drafts one operator upon the other, those for lower opsets first: files for later opsets call their helpers."""
    changed, drafts, unfit = dict[str, bytes](), list[Draft](), dict(wrong)
    ready = {one.request.op.qualified: one for one in reversed(decisions) if one.translation is not None}
    for op, decision in sorted(ready.items(), key=lambda item: (item[1].opset or 0, decisions.index(item[1]))):
        if op in wrong:
            continue
        try:
            drafts.append(project.draft(decision, changed, sources))
        except UnfitError as error:
            unfit[op] = str(error)
    return _Plan(tuple(drafts), unfit)


def _proven(plan: _Plan, decisions: Sequence[Decision], sources: Sources, project: Project, git: Git) -> _Plan:
    """The plan without what is wrong in the checkout, and what was seen there."""
    commits = plan.commits(single=True)
    if not commits:
        return plan
    (last,) = make_commits(git, project.checkout.head, commits)
    seen = project.prove(plan.drafts, git, last)
    wrong = {op: f"in the checkout: {one.failure}" for op, one in seen.items() if one.failure}
    if wrong:
        plan = _draft_all(decisions, project, sources, {**plan.unfit, **wrong})
    return replace(plan, seen=seen)


def _contributed(
    decisions: Sequence[Decision], plan: _Plan, names: Sequence[str], commits: Sequence[Commit]
) -> tuple[Contributed, ...]:
    """What became of each operator, in the order asked."""
    places = {one.decision.request.op.qualified: place for place, one in enumerate(plan.drafts)}

    def one(decision: Decision) -> Contributed:
        op = decision.request.op.qualified
        seen = plan.seen.get(op)
        if op not in places:
            return Contributed(_outcome(decision, None, plan), seen=seen)
        place = min(places[op], len(commits) - 1)
        name = names[place] if names else ""
        return Contributed(_outcome(decision, plan.drafts[places[op]], plan), name, commits[place].message, seen)

    return tuple(one(decision) for decision in decisions)


def _outcome(decision: Decision, drafted: Draft | None, plan: _Plan) -> Outcome:
    op = decision.request.op.qualified
    outcome = Outcome(
        asked=decision.request.asked,
        op=op,
        status=decision.status,
        strategy=decision.strategy,
        opset=decision.opset,
        reason="; ".join(part for part in (decision.request.note, decision.reason) if part),
        evidence=decision.evidence,
    )
    if drafted is not None:
        return replace(outcome, files=drafted.code, test_files=drafted.test_files)
    if op in plan.unfit:
        return replace(outcome, status=Status.FAILED, reason=plan.unfit[op])
    return outcome
