"""Decides what becomes of an autograd.Function without a domain: its `forward` is translated, operator by operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from symgen.config import HIGHEST_OPSET, LOWEST_OPSET, Config, NewOptions
from symgen.introspect.catalogue import ATEN, Catalogue
from symgen.lower.forward_calls import Find, ForwardBody, Found, Untranslatable, rewrite_forward
from symgen.model.definition import Definition
from symgen.model.names import OpName
from symgen.model.result import Outcome, Status, Strategy
from symgen.pipeline.classes import INLINED, ClassRequest, judged, probe, provable_source, target_of
from symgen.pipeline.decide import Decision
from symgen.pipeline.ready import Ready
from symgen.render.class_symbolic import render_class_function, render_class_translation
from symgen.verify.pool import Pool
from symgen.verify.user_jobs import ClassTripJob

_NODE_ADVICE = "say --domain, and the class becomes one node of that domain"
_KERNEL_ADVICE = "leave --as-function out, and the node is for kernels of your own"
_MIDDLE_OPSETS = (13, 17)


@dataclass(frozen=True)
class Forward:
    """A request with the body that its `forward` becomes."""

    request: ClassRequest
    body: ForwardBody | Untranslatable
    first: int = LOWEST_OPSET
    """The opset from which torch has functions for the operators that it has functions for."""
    lacking: tuple[OpName, ...] = ()
    """The operators that torch has no function for."""


def read_forward(request: ClassRequest, catalogue: Catalogue) -> Forward:
    """Translates the `forward` of a class."""
    body = rewrite_forward(request.owner, _finder(catalogue))
    if isinstance(body, Untranslatable):
        return Forward(request, body)
    opsets = {op: catalogue.registered.opsets(op.qualified) for op in body.ops}
    first = max((found[0] for found in opsets.values() if found), default=LOWEST_OPSET)
    return Forward(request, body, max(first, LOWEST_OPSET), tuple(op for op, found in opsets.items() if not found))


def decide_translation(
    forward: Forward, operators: Sequence[Decision], config: Config, options: NewOptions, pool: Pool
) -> Ready:
    """The decision for one class; `operators` are those for the operators that torch lacks."""
    request, body = forward.request, forward.body
    if request.domain and request.owner.is_written:
        there = f"{request.owner.qualname}.symbolic, which symgen wrote, comes before a function of the package"
        return Ready(request.outcome(Status.FAILED, f"{there}; symgen new --remove {request.asked} takes it out"))
    seen = probe(request, config, pool)
    if isinstance(seen, Outcome):
        return Ready(seen)
    if isinstance(body, Untranslatable) and not request.domain:
        return _failed(request, body.reason)
    stubs = [decision for decision in operators if decision.translation is None]
    if stubs:
        return _failed(request, "; ".join(f"{one.request.op.qualified}: {one.reason}" for one in stubs))
    if not config.no_verify and not seen.samples:
        return _failed(request, "no call was found that it takes, so that a translation can't be compared")
    owner, package = request.owner, config.package.name
    in_package = request.domain is not None or owner.is_local

    def render(is_method: bool) -> Definition:
        if request.domain is not None:
            return render_class_function(owner, request.domain, config.templates)
        assert isinstance(body, ForwardBody)
        return render_class_translation(owner, body, package, config.templates, is_method=is_method)

    first = max([forward.first, config.opset or LOWEST_OPSET, *(d.opset or 0 for d in operators)])
    outcome = replace(request.outcome(Status.WRITTEN, _note(forward)), strategy=Strategy.DERIVED, opset=first)
    if not config.no_verify:
        opsets = tuple(sorted({first, *(o for o in _MIDDLE_OPSETS if o > first), HIGHEST_OPSET}))
        modules = tuple(module for d in operators if d.translation for module in d.translation.modules)
        source = provable_source(owner, render, config, in_package=in_package)
        exported = pool.ask(ClassTripJob(owner, source, seen.samples, opsets, modules, in_package))
        outcome = judged(outcome, exported)
    if outcome.status is Status.FAILED:
        return Ready(replace(outcome, strategy=Strategy.NONE, reason=f"{outcome.reason}; {_advice(request)}"))
    return Ready(outcome, (target_of(owner, render, config, options, in_package=in_package),))


def _failed(request: ClassRequest, reason: str) -> Ready:
    text = f"forward of {request.owner.qualname} has no translation: {reason}; {_advice(request)}"
    return Ready(request.outcome(Status.FAILED, text))


def _advice(request: ClassRequest) -> str:
    return _KERNEL_ADVICE if request.domain else _NODE_ADVICE


def _note(forward: Forward) -> str:
    """What makes the method unnecessary: the exporter inlines a class that has none."""
    if forward.request.domain:
        return INLINED if not forward.lacking else ""
    if not forward.lacking:
        return "the exporter inlines the class already, so that it would do without"
    names = " and ".join(op.qualified for op in forward.lacking)
    return f"with the package's {names} imported, the exporter could inline the class as well"


def _finder(catalogue: Catalogue) -> Find:
    """Finds torch's own operators as they arrive at the exporter."""

    def find(name: str) -> Found | None:
        op = OpName(ATEN, name)
        if op not in catalogue:
            return None
        arrival = catalogue.arrives_as(op)
        return None if arrival.parts else (arrival.op.without_overload(), catalogue.overloads_reaching(arrival.op))

    return find
