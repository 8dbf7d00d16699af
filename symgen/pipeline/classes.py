"""Decides what becomes of an autograd.Function: probed and exported in child processes, written into its own file."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from symgen.config import HIGHEST_OPSET, LOWEST_OPSET, Config, NewOptions
from symgen.model.autograd import FunctionClass
from symgen.model.definition import Definition, ModuleText
from symgen.model.domain import Domain
from symgen.model.result import Evidence, Outcome, Status
from symgen.pipeline.decide import failure_sentence
from symgen.pipeline.ready import Ready, Target
from symgen.render.class_symbolic import NodeForm, render_class_module, render_class_node
from symgen.render.standalone import standalone_source
from symgen.verify.messages import Failed
from symgen.verify.pool import Pool
from symgen.verify.user_jobs import ClassJob, ClassNodeJob, ClassSeen, NodesSeen

_PACKAGES_OF_OTHERS = frozenset({"site-packages", "dist-packages"})
INLINED = "the exporter inlines the class already; only a node of its own needs this"
"""What `new` says of a class that becomes a node."""
Render = Callable[[bool], Definition]
"""Renders the function, as a method of the class or (false) for the package."""


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


def decide_node(request: ClassRequest, domain: Domain, config: Config, options: NewOptions, pool: Pool) -> Ready:
    """The decision for a class that becomes one node; its module is imported in child processes only."""
    seen = probe(request, config, pool)
    if isinstance(seen, Outcome):
        return Ready(seen)
    owner = request.owner
    form = NodeForm(domain, seen.outputs or owner.outputs or 1, seen.like)

    def render(is_method: bool) -> Definition:
        return render_class_node(owner, form, config.templates, is_method=is_method)

    library = str(options.ort_library.resolve()) if options.ort_library else ""
    opsets = tuple(sorted({config.opset or LOWEST_OPSET, HIGHEST_OPSET}))
    source = provable_source(owner, render, config, in_package=owner.is_local)
    job = ClassNodeJob(owner, domain, source, seen.samples, opsets, library, owner.is_local)
    reason = INLINED if seen.is_inlined else ""
    outcome = replace(request.outcome(Status.WRITTEN, reason), opset=config.opset or LOWEST_OPSET)
    if seen.samples:
        exported = pool.ask(job)
        outcome = with_function(judged(outcome, exported), exported)
    elif not config.no_verify:
        outcome = replace(outcome, reason="no call was found that forward takes, so that nothing was exported")
    if outcome.status is Status.FAILED:
        return Ready(replace(outcome, opset=None))
    return Ready(outcome, (target_of(owner, render, config, options),))


def probe(request: ClassRequest, config: Config, pool: Pool) -> ClassSeen | Outcome:
    """What calls of the class show; an outcome where something is in the way."""
    owner = request.owner
    if obstacle := _obstacle(owner):
        return request.outcome(Status.FAILED, obstacle)
    if config.no_verify:
        return ClassSeen()
    seen = pool.ask(ClassJob(owner))
    if isinstance(seen, Failed):
        return request.outcome(Status.FAILED, f"{owner.module} cannot be used: {seen.error}")
    if seen.branch:
        reason = (
            f"{owner.qualname} is called inside a scripted branch or loop of {seen.branch}. There the exporter can "
            "inline it, but a class with a symbolic ends in an internal assertion"
        )
        return request.outcome(Status.FAILED, reason)
    return seen


def judged(outcome: Outcome, exported: NodesSeen | Failed) -> Outcome:
    """The outcome after the calls have been exported."""
    if isinstance(exported, Failed):
        return replace(outcome, status=Status.FAILED, reason=f"the exports failed: {exported.error}")
    evidence = replace(Evidence.of(exported.results), notes=exported.notes, runs=exported.runs)
    if not evidence.is_proof:
        return replace(outcome, status=Status.FAILED, reason=failure_sentence(evidence), evidence=evidence)
    return replace(outcome, status=Status.PARTIAL if evidence.refused else Status.VERIFIED, evidence=evidence)


def with_function(outcome: Outcome, exported: NodesSeen | Failed) -> Outcome:
    """The outcome with what an onnxscript function of the user's means for it."""
    if isinstance(exported, Failed) or exported.function_opset is None:
        return outcome
    note = f"the node's onnxscript function is one of opset {exported.function_opset}, for which the models have to be"
    reason = "; ".join(filter(None, (outcome.reason, note)))
    return replace(outcome, reason=reason, opset=exported.function_opset)


def provable_source(owner: FunctionClass, render: Render, config: Config, *, in_package: bool) -> str:
    """The function as the processes that prove it take it: a method, or a module of the package."""
    if not in_package:
        return render(True).source
    return standalone_source(render_class_module(owner, render(False), config.templates))


def target_of(
    owner: FunctionClass, render: Render, config: Config, options: NewOptions, *, in_package: bool = False
) -> Target:
    """The class's own file; the package's for its module where that may not be edited, or where the class is local."""
    if options.edit and not (in_package or owner.is_local) and is_editable(owner.path):
        return Target(owner.path, ModuleText("", (render(True),)))
    return Target(package_module(owner, config), render_class_module(owner, render(False), config.templates))


def package_module(owner: FunctionClass, config: Config) -> Path:
    """The package's module for the classes of one of the user's modules."""
    return config.package / f"{owner.module.replace('.', '_')}.py"


def is_editable(path: Path) -> bool:
    """Whether a file is the user's: writable, and not in a folder of installed packages."""
    real = path.resolve()
    installed = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    is_installed = _PACKAGES_OF_OTHERS.intersection(real.parts) or installed.intersection(real.parents)
    return not is_installed and os.access(real, os.W_OK)


def _obstacle(owner: FunctionClass) -> str:
    """What the text of the class has in the way; empty where nothing is."""
    if owner.symbolic is not None:
        return f"{owner.symbolic}: {owner.symbolic_owner}.symbolic is there already"
    for parameter in owner.parameters:
        if parameter.refusal:
            return f"{owner.location}: the parameter {parameter.name} of {owner.qualname} {parameter.refusal}"
    return ""
