"""`symgen verify`: the round trips of functions that stand in a package already."""

from __future__ import annotations

import click

from symgen.cli.options import opset_option, output_options, package_options, settle, target_option
from symgen.cli.progress import progress
from symgen.cli.report import print_run
from symgen.config import VerifyOptions


@click.command("verify")
@click.argument("targets", nargs=-1, metavar="[OP or PATH]...")
@opset_option
@target_option
@package_options
@click.option("--full", is_flag=True, help="Every sample at every opset in every mode.")
@output_options
def verify_command(targets: tuple[str, ...], full: bool, **given: object) -> int:
    """Run the round trips now and print the evidence.

    Each target is an operator or a file with symbolic functions; without one, the whole package is verified.
    """
    config = settle(**given)
    from symgen.pipeline import verify

    with progress(config) as listener:
        run = verify(targets, config, VerifyOptions(full=full), listener)
    return print_run(run, config)
