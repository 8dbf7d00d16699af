"""`symgen coverage`: who serves which operator, from which opset on, and why the rest is not served."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from symgen.cli.options import ops_argument, opset_option, output_options, settle
from symgen.cli.progress import progress
from symgen.cli.report import evidence_record, to_json
from symgen.config import HIGHEST_OPSET, Config
from symgen.coverage import CoverageRow, count_coverage, list_coverage
from symgen.model.names import parse_op_name
from symgen.sources import Sources, load_sources

if TYPE_CHECKING:
    from symgen.pipeline.survey import Judgement

_COLORS = {"torch": "green", "symgen": "cyan", "neither": "yellow"}


@click.command("coverage")
@opset_option
@ops_argument
@click.option("--missing", is_flag=True, help="Only the operators that torch's own exporter lacks.")
@click.option("--verify", is_flag=True, help="Run the round trips of each operator that is listed.")
@output_options
def coverage_command(ops: tuple[str, ...], missing: bool, verify: bool, **given: object) -> int:
    """Show which operators can be exported.

    Lists every operator, or each OP, with who serves it in an export at --opset (20): torch's own function, symgen's,
    or neither and why. With --verify each is judged by real exports and runs.
    """
    config = settle(**given)
    opset = config.opset or HIGHEST_OPSET
    sources = load_sources(config)
    rows = list_coverage(sources, [parse_op_name(op).without_overload() for op in ops])
    listed = [row for row in rows if not missing or row.served_by(opset) != "torch"]
    counts = dict(count_coverage(rows, opset))
    judgements = _judge(listed, sources, config) if verify else {}
    counts |= _verified_counts(judgements)
    if config.json:
        records = [coverage_record(row, opset) | judgement_record(judgements.get(row.op)) for row in listed]
        click.echo(to_json({"opset": opset, "counts": counts, "ops": records}))
        return 0
    if not config.quiet:
        for line in _table(listed, opset, judgements):
            click.echo(line)
    sums = ", ".join(f"{count} by {name}" for name, count in counts.items())
    click.echo(f"{len(rows)} operators at opset {opset}: {sums}")
    return 0


def coverage_record(row: CoverageRow, opset: int) -> dict[str, object]:
    """One operator as the JSON has it; its keys stand in the README."""
    return {
        "op": row.op,
        "arrives_as": row.arrives_as,
        "declared": row.declared,
        "served_by": row.served_by(opset),
        "torch": list(row.torch),
        "symgen": row.symgen,
        "strategy": row.strategy,
        "family": row.family,
        "reason": row.reason,
    }


def judgement_record(judgement: Judgement | None) -> dict[str, object]:
    """What a verification said of an operator, under `verified`; nothing where none was run."""
    if judgement is None:
        return {}
    return {
        "verified": {
            "status": judgement.status,
            "by": judgement.by,
            "float32": judgement.float32,
            "every_dtype": judgement.every_dtype,
            "reason": judgement.reason,
            "evidence": evidence_record(judgement.evidence),
        }
    }


def _judge(rows: Sequence[CoverageRow], sources: Sources, config: Config) -> dict[str, Judgement]:
    from symgen.pipeline.survey import survey

    with progress(config) as listener:
        return {judgement.op: judgement for judgement in survey([row.op for row in rows], sources, config, listener)}


def _verified_counts(judgements: Mapping[str, Judgement]) -> dict[str, int]:
    if not judgements:
        return {}
    float32 = sum(judgement.float32 for judgement in judgements.values())
    return {"right_float32": float32, "right_every_dtype": sum(one.every_dtype for one in judgements.values())}


def _table(rows: Sequence[CoverageRow], opset: int, judgements: Mapping[str, Judgement]) -> Iterator[str]:
    width = max((len(row.op) for row in rows), default=0)
    for row in rows:
        who = row.served_by(opset)
        judged = f" [{judgements[row.op].status}]" if row.op in judgements else ""
        yield f"{row.op:<{width}}  {click.style(f'{who:<8}', fg=_COLORS[who])}{judged} {_remark(row)}".rstrip()


def _remark(row: CoverageRow) -> str:
    parts = [f"arrives as {row.arrives_as}"] if row.arrives_as != row.op else []
    if row.torch:
        parts.append(f"torch's from opset {row.torch[0]}")
    if row.symgen is not None:
        parts.append(f"symgen's from opset {row.symgen} by {row.strategy}")
    return "; ".join([*parts, *([row.reason] if row.reason else [])])
