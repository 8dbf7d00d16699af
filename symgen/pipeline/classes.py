"""Decides what becomes of an autograd.Function: probed and exported in child processes, written into its own file."""

from __future__ import annotations

import os
import sysconfig
from dataclasses import dataclass, replace
from pathlib import Path

from symgen.config import HIGHEST_OPSET, LOWEST_OPSET, Config, NewOptions
from symgen.model.autograd import FunctionClass
from symgen.model.definition import ModuleText
from symgen.model.domain import Domain
from symgen.model.result import Evidence, Outcome, Status
from symgen.pipeline.decide import failure_sentence
from symgen.pipeline.ready import Ready, Target
from symgen.render.class_symbolic import NodeForm, render_class_method, render_class_module
from symgen.verify.messages import Failed
from symgen.verify.pool import Pool
from symgen.verify.user_jobs import ClassJob, ClassNodeJob, ClassSeen

_PACKAGES_OF_OTHERS = frozenset({"site-packages", "dist-packages"})


@dataclass(frozen=True)
class ClassRequest:
    """A class that was asked for, and the domain for its node; None where its forward is to be translated."""

    asked: str
    owner: FunctionClass
    domain: Domain | None

    def outcome(self, status: Status, reason: str = "") -> Outcome:
        """The outcome as far as the request tells it."""
        opsets = ((self.domain.name, self.domain.version),) if self.domain else ()
        return Outcome(self.asked, self.owner.spelled, status, reason=reason, custom_opsets=opsets)


def decide_class(request: ClassRequest, config: Config, options: NewOptions, pool: Pool) -> Ready:
    """The decision for one class; its module is imported in child processes only."""
    owner, domain = request.owner, request.domain
    reason = _obstacle(owner)
    if not reason and domain is None:
        reason = f"forward of {owner.qualname} has no translation; say --domain, and it becomes a node of that domain"
    if reason or domain is None:
        return Ready(request.outcome(Status.FAILED, reason))
    seen: ClassSeen | Failed = ClassSeen()
    if not config.no_verify:
        seen = pool.ask(ClassJob(owner))
    if isinstance(seen, Failed):
        return Ready(request.outcome(Status.FAILED, f"{owner.module} cannot be used: {seen.error}"))
    if seen.branch:
        return Ready(request.outcome(Status.FAILED, _branch_sentence(owner, seen.branch)))
    form = NodeForm(domain, seen.outputs or owner.outputs or 1, seen.like)
    outcome = _proven(request, form, seen, config, options, pool)
    if outcome.status is Status.FAILED:
        return Ready(outcome)
    outcome = replace(outcome, opset=config.opset or LOWEST_OPSET)
    return Ready(outcome, (_target(owner, form, config, options),))


def _obstacle(owner: FunctionClass) -> str:
    """What the text of the class has in the way; empty where nothing is."""
    if owner.symbolic is not None:
        return f"{owner.symbolic}: {owner.symbolic_owner}.symbolic is there already"
    for parameter in owner.parameters:
        if parameter.refusal:
            return f"{owner.location}: the parameter {parameter.name} of {owner.qualname} {parameter.refusal}"
    return ""


def _branch_sentence(owner: FunctionClass, branch: str) -> str:
    return (
        f"{owner.qualname} is called inside a scripted branch or loop of {branch}. There the exporter can inline it, "
        "but a class with a symbolic ends in an internal assertion"
    )


def _proven(
    request: ClassRequest, form: NodeForm, seen: ClassSeen, config: Config, options: NewOptions, pool: Pool
) -> Outcome:
    """The outcome after the calls have been exported."""
    if config.no_verify:
        return request.outcome(Status.WRITTEN)
    if not seen.samples:
        return request.outcome(Status.WRITTEN, "no call was found that forward takes, so that nothing was exported")
    source = render_class_method(request.owner, form, config.templates).source
    library = str(options.ort_library.resolve()) if options.ort_library else ""
    opsets = tuple(sorted({config.opset or LOWEST_OPSET, HIGHEST_OPSET}))
    exported = pool.ask(ClassNodeJob(request.owner, form.domain, source, seen.samples, opsets, library))
    if isinstance(exported, Failed):
        return request.outcome(Status.FAILED, f"the exports failed: {exported.error}")
    evidence = replace(Evidence.of(exported.results), notes=exported.notes, runs=exported.runs)
    if not evidence.is_proof:
        return replace(request.outcome(Status.FAILED, failure_sentence(evidence)), evidence=evidence)
    return replace(request.outcome(Status.VERIFIED), evidence=evidence)


def _target(owner: FunctionClass, form: NodeForm, config: Config, options: NewOptions) -> Target:
    """The class's own file, or the package's for the module where that is not the user's to edit."""
    if options.edit and is_editable(owner.path):
        return Target(owner.path, ModuleText("", (render_class_method(owner, form, config.templates),)))
    path = config.package / f"{owner.module.replace('.', '_')}.py"
    return Target(path, render_class_module(owner, form, config.templates))


def is_editable(path: Path) -> bool:
    """Whether a file is the user's: writable, and not in a folder of installed packages."""
    real = path.resolve()
    installed = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    is_installed = _PACKAGES_OF_OTHERS.intersection(real.parts) or installed.intersection(real.parents)
    return not is_installed and os.access(real, os.W_OK)
