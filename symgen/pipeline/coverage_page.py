"""Collects what the coverage page shows of each operator; nothing is run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from symgen.config import Config, Target
from symgen.coverage import CoverageRow
from symgen.introspect.refusals import Refusal
from symgen.lower.element_types import deduce_types
from symgen.lower.lowering import lower_at
from symgen.lower.older_forms import load_older_forms
from symgen.lower.torchlib import TORCHLIB, TORCHLIB_OPSET
from symgen.lower.versions import NotExpressibleError
from symgen.match.same_name import operator_of_same_name
from symgen.model.location import Location
from symgen.model.names import parse_op_name
from symgen.model.plan import Plan
from symgen.model.result import SampleResult
from symgen.model.standing import Chart, Proof, apart_sentence
from symgen.pipeline.coverage_links import operator_page, signature, what_would_change
from symgen.pipeline.in_processes import over_all
from symgen.render.coverage_page import Code, Column, Details, Listed, Seen, Standard, render_coverage_page
from symgen.render.plan_graph import plan_graph
from symgen.render.plan_svg import draw_graph
from symgen.render.reproductions import Reproduction, render_reproduction
from symgen.render.standalone import shown_source
from symgen.render.torchlib import render_torchlib_module
from symgen.render.torchscript import render_module
from symgen.sources import Sources, arrival_in, match_in

TITLES = {Target.TORCHSCRIPT: "TorchScript exporter", Target.TORCHLIB: "dynamo exporter"}
"""The exporters as people know them."""
_COLUMNS = tuple(Column(target, title, tuple(target.opsets)) for target, title in TITLES.items())
_WHO = {"torch": "Torch's own", "symgen": "symgen's", "parts": "symgen's for its parts"}
_SHOWN = 5


def coverage_page(
    rows: Sequence[CoverageRow], charts: Sequence[Chart], sources: Sources, config: Config, versions: str
) -> str:
    """The page of some operators."""
    listed = [_listed(row, chart, sources) for row, chart in zip(rows, charts, strict=True)]
    details = over_all(_details, list(zip(rows, charts, strict=True)), sources, config)
    return render_coverage_page(_COLUMNS, listed, details, versions, config.templates)


def _listed(row: CoverageRow, chart: Chart, sources: Sources) -> Listed:
    return Listed(
        op=row.op,
        arrives_as=row.arrives_as,
        family=row.family,
        reason=row.reason,
        link=what_would_change(row, sources),
        signature=signature(row, sources),
        dtypes=chart.dtypes,
        spans=chart.spans,
        apart=tuple(_apart(chart)),
    )


def _apart(chart: Chart) -> Iterator[str]:
    """What is said of each exporter that never asks for an operator."""
    found = ((span.exporter, apart_sentence(span.apart)) for span in chart.spans if span.apart.made)
    for exporter, sentence in dict.fromkeys(found):
        yield f"In the {TITLES[Target(exporter)]} it is {sentence}."


def _details(charted: Sequence[tuple[CoverageRow, Chart]], sources: Sources, config: Config) -> tuple[Details, ...]:
    return tuple(_of_one(row, chart, sources, config) for row, chart in charted)


def _of_one(row: CoverageRow, chart: Chart, sources: Sources, config: Config) -> Details:
    op = parse_op_name(row.arrives_as)
    operator = sources.catalogue.operator(op)
    match = match_in(sources, op)
    plan = match.plans[0] if match.plans else None
    standard = operator_of_same_name(op, sources.schemas)
    registered = sources.catalogue.registered
    return Details(
        overloads=tuple((str(schema), _place(schema.location)) for schema in operator.overloads),
        stubs=tuple((" ".join(str(stub).split()), _place(stub.location)) for stub in operator.stubs),
        onnx=Standard(
            standard.name, sources.schemas.history(standard.name)[0].since_version, operator_page(standard.name)
        )
        if standard
        else None,
        refuses=tuple(map(_refusal, registered.refusals(op.qualified, Target.TORCHSCRIPT.opsets[-1]))),
        candidates=tuple(f"{candidate.strategy}: {candidate.verdict}" for candidate in match.candidates),
        plan=plan.body.source if plan else "",
        graph=draw_graph(plan_graph(plan), f"the plan of {op}", styled=False) if plan else "",
        code=tuple(_code(plan, row, sources, config)),
        evidence=tuple(_seen(proof) for proof in chart.proofs if _was_judged(proof)),
        reproduction=_reproduction(row, chart, config),
    )


def _place(location: Location) -> str:
    return str(location).rpartition("site-packages/")[2]


def _refusal(refusal: Refusal) -> str:
    return f"{refusal.message} (where {refusal.condition})" if refusal.condition else refusal.message


def _code(plan: Plan | None, row: CoverageRow, sources: Sources, config: Config) -> Iterator[Code]:
    """The code for one opset of each exporter."""
    newest = Target.TORCHSCRIPT.opsets[-1]
    if plan is not None and row.symgen is not None:
        lowered = lower_at(plan, sources.schemas, load_older_forms(), newest)
        module = render_module(lowered, [newest], config.templates)
        yield Code(f"symgen's function for the TorchScript exporter, opset {newest}", shown_source(module))
    arrival = arrival_in(sources, parse_op_name(row.op), Target.TORCHLIB)
    for first in match_in(sources, arrival.op).plans[:1]:
        with contextlib.suppress(NotExpressibleError):
            yield _torchlib_code(first, sources, config)


def _torchlib_code(plan: Plan, sources: Sources, config: Config) -> Code:
    """The code that the dynamo exporter builds with, or for its newest opset where only that can say it.

    Raises:
        NotExpressibleError: where that can't either.
    """
    forms = load_older_forms()
    try:
        lowered = lower_at(plan, sources.schemas, forms, TORCHLIB_OPSET, emitter=TORCHLIB)
    except NotExpressibleError:
        lowered = lower_at(plan, sources.schemas, forms, Target.TORCHLIB.opsets[-1], emitter=TORCHLIB)
    module = render_torchlib_module(lowered, deduce_types(lowered, sources.schemas), config.templates)
    return Code(f"symgen's function for the dynamo exporter, opset {lowered.first}", shown_source(module))


def _was_judged(proof: Proof) -> bool:
    """Whether it tells more than that an operator is never asked for."""
    return proof.by != "parts" or bool(proof.evidence.samples or proof.evidence.failures)


def _seen(proof: Proof) -> Seen:
    evidence = proof.evidence
    who = _WHO[proof.by]
    parts = [
        f"{evidence.samples} samples right in {evidence.exports} exports and {evidence.runs} runs",
        " ".join(evidence.dtypes),
        f"opsets {' '.join(map(str, evidence.opsets))}",
        " ".join(evidence.modes),
        f"largest error {evidence.max_abs_err:.2g} (relative {evidence.max_rel_err:.2g})",
        *evidence.notes,
        f"lengths of inputs refused as {', '.join(evidence.refused_lengths)}" if evidence.refused_lengths else "",
    ]
    faults = [*_faults("failed", evidence.failures), *_faults("refused", evidence.refused)]
    title = f"{who} in the {TITLES[Target(proof.exporter)]}, as last seen"
    return Seen(title, "; ".join(part for part in parts if part), tuple(faults))


def _faults(label: str, results: Sequence[SampleResult]) -> Iterator[str]:
    for result in results[:_SHOWN]:
        detail = f": {result.detail.splitlines()[0]}" if result.detail else ""
        yield f"{label}: {result.sample} [{result.dtype}, opset {result.opset}, {result.mode}] {result.verdict}{detail}"
    if len(results) > _SHOWN:
        yield f"and {len(results) - _SHOWN} more {label}"


def _reproduction(row: CoverageRow, chart: Chart, config: Config) -> str:
    """A script that shows the first fault on record, else the commands that show how it stands."""
    for proof in chart.proofs:
        for sample, result in proof.failed[:1]:
            op = parse_op_name(proof.op)
            package = "" if proof.by == "torch" else "symbolics"
            return render_reproduction(Reproduction(op, sample, result, package=package), config.templates)
    return f"symgen audit {row.arrives_as}" if row.torch else f"symgen match {row.arrives_as} --verify"
