"""`symgen coverage`: who serves which operator, from which opset on, and why the rest is not served."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symgen.cli.coverage_records import change_line, changes_record, standing_record, to_csv
from symgen.cli.coverage_table import dynamo_line, sums_line, table_lines
from symgen.cli.options import ops_argument, opset_option, output_options, settle
from symgen.cli.progress import progress
from symgen.cli.report import evidence_record, to_json
from symgen.config import HIGHEST_OPSET, Config, Target
from symgen.coverage import CoverageRow, count_coverage
from symgen.model.names import parse_op_name
from symgen.sources import Sources, load_sources

if TYPE_CHECKING:
    from symgen.model.standing import Chart
    from symgen.pipeline.coverage_changes import CoverageChange
    from symgen.pipeline.survey import Judgement

_file = click.Path(dir_okay=False, path_type=Path)
_out = click.Path(dir_okay=False, path_type=Path, allow_dash=True)
_STDOUT = Path("-")


@click.command("coverage")
@opset_option
@ops_argument
@click.option("--missing", is_flag=True, help="Only the operators that torch's own exporter lacks.")
@click.option("--verify", is_flag=True, help="Run the round trips of each operator that is listed.")
@click.option("--csv", "csv_file", type=_out, metavar="FILE", help="Write every opset of both exporters; - for stdout.")
@click.option("--html", type=_file, metavar="FILE", help="Write one page that shows it all, and needs no network.")
@click.option("--against", type=_file, metavar="FILE", help="Compare with what --json printed; 1 where one is lost.")
@output_options
def coverage_command(
    ops: tuple[str, ...],
    missing: bool,
    verify: bool,
    csv_file: Path | None,
    html: Path | None,
    against: Path | None,
    **given: object,
) -> int:
    """Show which operators can be exported.

    Lists every operator, or each OP, with who serves it in an export at --opset (20): torch's own function, symgen's,
    or neither and why; first in the TorchScript exporter, then in the dynamo exporter from opset 18 on. With --verify
    each is judged by real exports and runs of the first. The files hold every opset of both exporters, with what audits
    and proofs on record say. Of what the dynamo exporter never asks for they tell what torch.export makes of it, and
    whether symgen's functions for that put it right: by a run on record, or as follows from the proofs of these.
    """
    config = settle(**given, target=Target.TORCHSCRIPT)
    if csv_file == _STDOUT and config.json:
        raise click.UsageError("--csv - and --json both print", click.get_current_context())
    if csv_file and html and csv_file.resolve() == html.resolve():
        raise click.UsageError("--csv and --html write the same file", click.get_current_context())
    from symgen.pipeline.chart import list_charted
    from symgen.pipeline.coverage_changes import compare_coverage, load_coverage

    old = load_coverage(against) if against else None
    opset = config.opset or HIGHEST_OPSET
    sources = load_sources(config)
    names = list(dict.fromkeys(parse_op_name(op).without_overload() for op in ops))
    charted = list_charted(names, sources, config)
    rows, charts = [row for row, _ in charted], {row.op: chart for row, chart in charted}
    listed = [row for row in rows if not missing or row.served_by(opset) != "torch"]
    counts = dict(count_coverage(rows, opset))
    judgements = _judge(listed, sources, config) if verify else {}
    verified = _verified_counts(judgements)
    records = {
        row.op: coverage_record(row, opset) | standing_record(row, charts[row.op], sources)
        for row in rows
        if config.json or old
    }
    written = _write(listed, charts, sources, config, csv_file, html)
    changes: tuple[CoverageChange, ...] = ()
    if old is not None:
        changes = compare_coverage(old["ops"], list(records.values()), whole=not ops)
    status = int(any(change.kind == "lost" for change in changes))
    if config.json:
        said = [records[row.op] | judgement_record(judgements.get(row.op)) for row in listed]
        compared = {} if old is None else {"against": changes_record(changes)}
        click.echo(to_json({"opset": opset, "counts": counts | verified, "ops": said} | compared))
        return status
    if csv_file == _STDOUT:
        return status
    if not (config.quiet or written or old):
        shown = {row.op for row in listed}
        for line in table_lines([one for one in charted if one[0].op in shown], opset, judgements):
            click.echo(line)
    for change in changes:
        click.echo(change_line(change))
    if sums := dynamo_line(charted, opset):
        click.echo(sums)
    click.echo(sums_line(charted, opset, verified))
    for path in written:
        click.echo(f"wrote {path}")
    return status


def _write(
    rows: Sequence[CoverageRow],
    charts: Mapping[str, Chart],
    sources: Sources,
    config: Config,
    csv_file: Path | None,
    html: Path | None,
) -> tuple[Path, ...]:
    """Writes the files asked for, all of them or none, and prints what goes to stdout; returns the paths."""
    from symgen.files import Change, read_file, write_files

    texts: dict[Path, str] = {}
    if csv_file:
        texts[csv_file] = to_csv((row, charts[row.op], _link(row, sources)) for row in rows)
    if html:
        from symgen.pipeline.coverage_page import coverage_page

        texts[html] = coverage_page(rows, [charts[row.op] for row in rows], sources, config, _versions())
    if _STDOUT in texts:
        click.echo(texts.pop(_STDOUT), nl=False)
    write_files([Change(read_file(path), text.encode()) for path, text in texts.items()])
    return tuple(texts)


def _link(row: CoverageRow, sources: Sources) -> str:
    from symgen.pipeline.coverage_links import what_would_change

    return what_would_change(row, sources)


def _versions() -> str:
    head = json.loads(to_json({}))
    return ", ".join(f"{name} {version}" for name, version in head.items())


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
