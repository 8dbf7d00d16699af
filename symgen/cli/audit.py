"""`symgen audit`: how right torch's own symbolic functions are."""

from __future__ import annotations

from pathlib import Path

import click

from symgen.cli.options import ops_argument, opset_option, output_options, settle, target_option
from symgen.cli.progress import progress
from symgen.cli.report import print_run


@click.command("audit")
@ops_argument
@opset_option
@target_option
@click.option("--repro", type=click.Path(path_type=Path, file_okay=False), help="Write a script per finding here.")
@output_options
def audit_command(ops: tuple[str, ...], repro: Path | None, **given: object) -> int:
    """Judge what torch's exporter registers itself.

    Runs the same round trips for torch's own functions, of each OP or of all, and reports wrong numbers, shapes and
    dtypes, invalid models and failures, each with the smallest sample found. With --target torchlib it is the dynamo
    exporter that is judged.
    """
    config = settle(**given)
    from symgen import pipeline

    with progress(config) as listener:
        run = pipeline.audit(ops, config, repro, listener)
    return print_run(run, config)
