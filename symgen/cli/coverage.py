"""`symgen coverage`: who serves which operator, from which opset on, and why the rest is not served."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from symgen.cli.options import opset_option, output_options, settle
from symgen.cli.report import to_json
from symgen.config import HIGHEST_OPSET
from symgen.coverage import CoverageRow, count_coverage, list_coverage
from symgen.sources import load_sources

_COLORS = {"torch": "green", "symgen": "cyan", "neither": "yellow"}


@click.command("coverage")
@opset_option
@click.option("--missing", is_flag=True, help="Only the operators that torch's own exporter lacks.")
@output_options
def coverage_command(missing: bool, **given: object) -> int:
    """Show which operators can be exported.

    Lists every operator with who serves it in an export at --opset (20): torch's own function, symgen's, or neither
    and why.
    """
    config = settle(**given)
    opset = config.opset or HIGHEST_OPSET
    rows = list_coverage(load_sources(config))
    counts = count_coverage(rows, opset)
    listed = [row for row in rows if not missing or row.served_by(opset) != "torch"]
    if config.json:
        ops = [coverage_record(row, opset) for row in listed]
        click.echo(to_json({"opset": opset, "counts": dict(counts), "ops": ops}))
        return 0
    if not config.quiet:
        for line in _table(listed, opset):
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


def _table(rows: Sequence[CoverageRow], opset: int) -> Iterator[str]:
    width = max((len(row.op) for row in rows), default=0)
    for row in rows:
        who = row.served_by(opset)
        yield f"{row.op:<{width}}  {click.style(f'{who:<8}', fg=_COLORS[who])} {_remark(row)}".rstrip()


def _remark(row: CoverageRow) -> str:
    parts = [f"arrives as {row.arrives_as}"] if row.arrives_as != row.op else []
    if row.torch:
        parts.append(f"torch's from opset {row.torch[0]}")
    if row.symgen is not None:
        parts.append(f"symgen's from opset {row.symgen} by {row.strategy}")
    return "; ".join([*parts, *([row.reason] if row.reason else [])])
