"""`symgen verify`: the round trips of functions that stand in a package already."""

from __future__ import annotations

from collections.abc import Iterator

import click

from symgen.cli.options import opset_option, output_options, package_options, settle, target_option
from symgen.cli.progress import progress
from symgen.cli.report import print_run
from symgen.config import VerifyOptions
from symgen.model.run import Run

_FORMATS = ("text", "github")


@click.command("verify")
@click.argument("targets", nargs=-1, metavar="[OP or PATH]...")
@opset_option
@target_option
@package_options
@click.option("--output-format", type=click.Choice(_FORMATS), default="text", help="Annotate a pull request (text).")
@click.option("--full", is_flag=True, help="Every sample at every opset in every mode.")
@output_options
def verify_command(targets: tuple[str, ...], output_format: str, full: bool, **given: object) -> int:
    """Run the round trips now and print the evidence.

    Each target is an operator, or a file or folder with symbolic functions; without one, the whole package is verified.
    With --output-format github what fails becomes an annotation of its function.
    """
    config = settle(**given)
    from symgen.pipeline import verify

    with progress(config) as listener:
        run = verify(targets, config, VerifyOptions(full=full), listener)
    status = print_run(run, config)
    if output_format == "github":
        for line in failure_annotations(run):
            click.echo(line)
    return status


def failure_annotations(run: Run) -> Iterator[str]:
    """The commands of GitHub Actions for what failed."""
    from symgen.check.output.github import annotation
    from symgen.pipeline.verify import place_of

    for outcome in run.outcomes:
        if outcome.exit_status:
            yield annotation(place_of(outcome), f"symgen verify {outcome.op}", outcome.reason)
