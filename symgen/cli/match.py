"""`symgen match`: explains how operators would be translated, and writes nothing."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symgen.cli.options import ops_argument, opset_option, output_options, settle, target_option
from symgen.cli.report import evidence_record, evidence_sentence, finite, to_json
from symgen.config import Config, MatchOptions
from symgen.errors import UsageError
from symgen.model.accuracy import Accuracy
from symgen.model.explanation import CandidateReport, Declared, Explanation, OperatorUse
from symgen.model.result import Evidence

if TYPE_CHECKING:
    from symgen.explanation import Proofs
    from symgen.sources import Sources

_svg = click.Path(dir_okay=False, path_type=Path)


@click.command("match")
@ops_argument
@opset_option
@target_option
@click.option("--verify", is_flag=True, help="Run the round trips of every candidate now.")
@click.option("--accuracy", is_flag=True, help="Measure the largest error over a sweep, in units of the last place.")
@click.option("--graph", type=_svg, metavar="FILE", help="Draw the first plan of the one OP into an .svg.")
@output_options
def match_command(ops: tuple[str, ...], verify: bool, accuracy: bool, graph: Path | None, **given: object) -> int:
    """Explain how operators would be translated.

    Shows where each OP is declared, every overload, whether ONNX standardises it, each candidate with its verdict and
    the proof on record, and which dtypes ONNX Runtime has kernels for. Writes nothing but the drawing of --graph.
    """
    if not ops:
        raise click.UsageError("name an operator", click.get_current_context())
    if graph is not None and len(ops) != 1:
        raise click.UsageError("--graph draws one operator", click.get_current_context())
    if graph is not None:
        _check_drawing(graph)
    config = settle(**given)
    from symgen.explanation import explain_operators
    from symgen.introspect.runtime_kernels import load_kernels
    from symgen.sources import load_sources

    sources = load_sources(config)
    with _proofs(ops, sources, config, MatchOptions(verify, accuracy)) as (proofs, found):
        explanations = explain_operators(ops, config, found, load_kernels(), proofs)
        if graph is not None:
            _draw(explanations[0].op, found, graph, config)
    if config.json:
        click.echo(to_json({"ops": [explanation_record(explanation) for explanation in explanations]}))
    else:
        for line in _separated(explanation_lines(explanation, config) for explanation in explanations):
            click.echo(line)
    return int(any(explanation.reason and not explanation.registered for explanation in explanations))


def _check_drawing(path: Path) -> None:
    """Refuses a file that wouldn't be what its name says.

    Raises:
        UsageError: where it is so.
    """
    if path.suffix.lower() != ".svg":
        raise UsageError(f"--graph draws SVG, which {path} doesn't say", hint="its name must end in .svg")


def _draw(op: str, sources: Sources, path: Path, config: Config) -> None:
    """Writes the drawing of an operator's first plan; without a plan there is none, which the explanation says."""
    from symgen.files import Change, read_file, write_files
    from symgen.model.names import parse_op_name
    from symgen.render.plan_graph import plan_graph
    from symgen.render.plan_svg import draw_graph
    from symgen.sources import match_in

    for plan in match_in(sources, parse_op_name(op)).plans[:1]:
        drawing = draw_graph(plan_graph(plan), f"{op} by {plan.strategy}", own_templates=config.templates)
        write_files([Change(read_file(path), drawing.encode())])


@contextlib.contextmanager
def _proofs(
    ops: Iterable[str], sources: Sources, config: Config, options: MatchOptions
) -> Iterator[tuple[Proofs, Sources]]:
    """Proofs on record; with the options those that are made now, and derived plans, by processes that load torch."""
    from symgen.explanation import Proofs
    from symgen.model.names import parse_op_name
    from symgen.pipeline import evidence
    from symgen.sources import arrival_in

    on_record = Proofs(functools.partial(evidence.recorded_evidence, sources=sources, config=config))
    if not (options.verify or options.accuracy):
        yield on_record, sources
        return
    from symgen.pipeline.derive import with_derived
    from symgen.verify.pool import start_pool

    with start_pool() as pool:
        names = [arrival_in(sources, parse_op_name(text), config.target).op for text in ops]
        sources = with_derived(sources, names, pool, config.opset)
        verified = functools.partial(evidence.evidence_now, sources=sources, config=config, pool=pool)
        measured = functools.partial(evidence.accuracy_now, sources=sources, config=config, pool=pool)
        proofs = Proofs(
            verified if options.verify else on_record.evidence_of,
            measured if options.accuracy else on_record.accuracy_of,
        )
        yield proofs, sources


def explanation_record(explanation: Explanation) -> dict[str, object]:
    """One operator as the JSON has it; its keys stand in the README."""
    return {
        "asked": explanation.asked,
        "op": explanation.op,
        "arrival": explanation.arrival,
        "overloads": [_declared_record(declared) for declared in explanation.overloads],
        "stubs": [_declared_record(declared) for declared in explanation.stubs],
        "onnx": _standard_record(explanation),
        "torch": {"opsets": list(explanation.registered), "refuses": list(explanation.refusals)},
        "candidates": [_candidate_record(candidate) for candidate in explanation.candidates],
        "exporter": explanation.exporter,
        "reach": explanation.reach,
        "reason": explanation.reason,
    }


def _standard_record(explanation: Explanation) -> dict[str, object] | None:
    if explanation.standardised is None:
        return None
    name, since = explanation.standardised
    return {"name": name, "since": since, "reach": explanation.standard_reach}


def explanation_lines(explanation: Explanation, config: Config) -> Iterator[str]:
    """One operator as people read it."""
    yield click.style(explanation.op, bold=True) + (f" (asked: {explanation.asked})" if explanation.arrival else "")
    if explanation.arrival:
        yield f"  {explanation.arrival}"
    yield from _section("overloads", (_declared_line(declared) for declared in explanation.overloads))
    yield from _section("stubs", (_declared_line(declared) for declared in explanation.stubs))
    yield from _section("ONNX", [_standard_line(explanation)])
    if explanation.exporter == "dynamo":
        yield from _section("exporter", _dynamo_lines(explanation))
    else:
        yield from _section("torch", _torch_lines(explanation))
    for candidate in explanation.candidates:
        yield from _candidate_lines(candidate, config)
    if explanation.reason:
        yield click.style("  no translation: ", fg="red") + explanation.reason


def _declared_record(declared: Declared) -> dict[str, object]:
    return {"text": declared.text, "path": declared.location.path, "line": declared.location.line}


def _candidate_record(candidate: CandidateReport) -> dict[str, object]:
    return {
        "strategy": candidate.strategy,
        "verdict": candidate.verdict,
        "opsets": [list(pair) for pair in candidate.opsets],
        "parameters": dict(candidate.parameters),
        "operators": [_operator_record(use) for use in candidate.operators],
        "limits": list(candidate.limits),
        "plan": candidate.plan,
        "evidence": evidence_record(candidate.evidence) if candidate.evidence else None,
        "accuracy": _accuracy_record(candidate.accuracy),
    }


def _operator_record(use: OperatorUse) -> dict[str, object]:
    return {"name": use.name, "since": use.since, "kernels": list(use.kernels), "reach": use.reach}


def _accuracy_record(accuracy: Accuracy | str | None) -> dict[str, object] | str | None:
    if not isinstance(accuracy, Accuracy):
        return accuracy
    return {
        "ulps": finite(accuracy.ulps),
        "eager_ulps": finite(accuracy.eager_ulps),
        "at": [finite(value) for value in accuracy.at],
        "values": accuracy.values,
    }


def _accuracy_sentence(accuracy: Accuracy | str) -> str:
    if isinstance(accuracy, str):
        return accuracy
    at = ", ".join(f"{value:.9g}" for value in accuracy.at)
    largest = f"at most {accuracy.ulps:.3g} ulps over {accuracy.values} float32 values, at {at}"
    return f"{largest} (eager torch: {accuracy.eager_ulps:.3g})"


def _declared_line(declared: Declared) -> str:
    """The declaration and its place, from the folder of installed packages on where it stands in one."""
    place = str(declared.location).rpartition("site-packages/")[2]
    return f"{declared.text}  {click.style(place, dim=True)}"


def _standard_line(explanation: Explanation) -> str:
    if explanation.standardised is None:
        return "has no operator of this name"
    name, since = explanation.standardised
    return f"{name}, since opset {since}{f': {explanation.standard_reach}' if explanation.standard_reach else ''}"


def _torch_lines(explanation: Explanation) -> Iterator[str]:
    if not explanation.registered:
        yield "has no symbolic function of its own"
        return
    yield f"has its own at opset {', '.join(map(str, explanation.registered))}"
    yield from (f"refuses: {refusal}" for refusal in explanation.refusals)


def _dynamo_lines(explanation: Explanation) -> Iterator[str]:
    has = "a function of its own" if explanation.registered else "no function: it takes the operator apart, or fails"
    yield f"torchlib has {has}"
    yield explanation.reach


def _candidate_lines(candidate: CandidateReport, config: Config) -> Iterator[str]:
    mark = click.style("yes", fg="green") if candidate.opsets else click.style("no", fg="yellow")
    yield f"  {candidate.strategy}: {mark}, {candidate.verdict}"
    if candidate.opsets:
        yield f"    opsets {', '.join(f'{first} to {last}' for first, last in candidate.opsets)}"
    yield from (f"    {name}: {fate}" for name, fate in candidate.parameters if fate != "used" or config.verbose)
    yield from (f"    does not serve: {limit}" for limit in candidate.limits)
    if candidate.evidence:
        yield from _proof_lines(candidate.evidence)
    if candidate.accuracy is not None:
        yield f"    error: {_accuracy_sentence(candidate.accuracy)}"
    yield from (f"    | {line}" for line in candidate.plan.splitlines())
    for use in candidate.operators:
        kernels = " ".join(use.kernels) or "none of its own"
        yield f"    {use.name} (since {use.since}): kernels for {kernels}{f'; {use.reach}' if use.reach else ''}"


def _proof_lines(evidence: Evidence) -> Iterator[str]:
    from symgen.pipeline.decide import failure_sentence

    yield f"    {'proof' if evidence.is_proof else 'no proof'}: {evidence_sentence(evidence)}"
    if evidence.failures:
        yield f"    {click.style('wrong', fg='red')}: {failure_sentence(evidence)}"


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield f"  {title if number == 0 else '':<9} {line}"


def _separated(groups: Iterable[Iterable[str]]) -> Iterator[str]:
    for number, group in enumerate(groups):
        if number:
            yield ""
        yield from group
