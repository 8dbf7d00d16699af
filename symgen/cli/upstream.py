"""`symgen upstream`: operators as commits in a checkout of PyTorch or onnxscript, or as a package to publish."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symgen.cli.options import dry_run_option, ops_argument, opset_option, output_options, package_options, settle
from symgen.cli.progress import progress
from symgen.cli.report import outcome_lines, outcome_record, print_diff, to_json
from symgen.config import Config

if TYPE_CHECKING:
    from symgen.pipeline.upstream.options import Contributed, InCheckout, UpstreamOptions, UpstreamRun

_path = click.Path(path_type=Path)
_OF_CHECKOUT = {
    "project": "--upstream",
    "repo": "--repo",
    "single": "--single",
    "no_commit": "--no-commit",
    "branch": "--branch",
    "message": "--message",
    "patch": "--patch",
    "verify": "--verify",
}


@click.command("upstream")
@ops_argument
@click.option("--repo", type=_path, metavar="PATH", help="The checkout.")
@click.option(
    "--upstream",
    "project",
    type=click.Choice(["pytorch", "onnxscript"]),
    default="pytorch",
    show_default=True,
    help="The project: PyTorch's TorchScript exporter, or onnxscript's torchlib.",
)
@opset_option
@click.option("--single", is_flag=True, help="One commit for all operators, not one for each.")
@click.option("--no-commit", is_flag=True, help="Change the files and commit nothing.")
@click.option("--branch", default="", metavar="NAME", help="Make this branch first.")
@click.option("--message", type=_path, metavar="FILE", help="Write the text of the pull request there.")
@click.option("--patch", type=_path, metavar="FILE", help="Write a patch and leave the checkout as it is.")
@click.option("--verify", is_flag=True, help="Run the function and its test from the checkout, too.")
@click.option("--out-of-tree", is_flag=True, help="Write a package to publish instead.")
@package_options
@dry_run_option
@click.option("--no-verify", is_flag=True, default=None, help="Write without running the round trips.")
@output_options
def upstream_command(ops: tuple[str, ...], out_of_tree: bool, **given: object) -> int:
    """Contribute operators to PyTorch or onnxscript itself.

    Leaves one commit for each OP in a checkout: the function in the file and the style of the exporter there, its test
    in the project's own suite, and a message with the evidence. Nothing is pushed. With --out-of-tree the same symbolic
    functions become a package of their own, ready to publish.
    """
    context = click.get_current_context()
    if not ops:
        raise click.UsageError("name an operator", context)
    asked = {name: given.pop(name) for name in _OF_CHECKOUT}
    _refuse_contradictions(asked, out_of_tree, context)
    config = settle(**given)
    from symgen.pipeline.upstream.options import ProjectName, UpstreamOptions
    from symgen.pipeline.upstream.package import write_package
    from symgen.pipeline.upstream.run import upstream

    with progress(config) as listener:
        if out_of_tree:
            return print_upstream(write_package(ops, config, listener), config)
        commit = not asked.pop("no_commit")
        project = ProjectName(str(asked.pop("project")))
        options = UpstreamOptions(commit=commit, project=project, **asked)  # type: ignore[arg-type]  # each has passed click's types
        run = upstream(ops, config, options, listener)
    return print_upstream(run, config, options)


def _refuse_contradictions(asked: dict[str, object], out_of_tree: bool, context: click.Context) -> None:
    source = context.get_parameter_source
    named = [
        option
        for name, option in _OF_CHECKOUT.items()
        if asked[name] and source(name) is not click.core.ParameterSource.DEFAULT
    ]
    if out_of_tree and named:
        raise click.UsageError(f"--out-of-tree needs no checkout, and {named[0]} is about one", context)
    if not out_of_tree and not asked["repo"]:
        raise click.UsageError("name the checkout with --repo, or say --out-of-tree", context)
    for other in ("branch", "no_commit"):
        if asked["patch"] and asked[other]:
            raise click.UsageError(f"--patch leaves the checkout alone, and {_OF_CHECKOUT[other]} does not", context)


def print_upstream(run: UpstreamRun, config: Config, options: UpstreamOptions | None = None) -> int:
    """Prints what a run did, and returns its exit status."""
    if config.json:
        click.echo(to_json(_record(run, config, options)))
        _print_changes(run, config, err=True)
        return run.exit_status
    for one in run.contributed:
        for line in _lines(one, config):
            click.echo(line)
    _print_changes(run, config)
    if run.text and not config.dry_run and options and options.message is None:
        click.echo(f"\n{run.text}", nl=False)
    return run.exit_status


def _print_changes(run: UpstreamRun, config: Config, *, err: bool = False) -> None:
    if config.dry_run:
        click.echo(run.diff, nl=False, err=err)
        print_diff(run.changes, err=err)


def _record(run: UpstreamRun, config: Config, options: UpstreamOptions | None) -> dict[str, object]:
    """The run as the JSON has it; its keys stand in the README."""
    patch = options.patch if options and run.text and not config.dry_run else None
    return {
        "layout": run.layout,
        "base": run.base,
        "branch": run.branch,
        "patch": str(patch) if patch else None,
        "message": run.text,
        "ops": [_contributed_record(one) for one in run.contributed],
    }


def _contributed_record(one: Contributed) -> dict[str, object]:
    seen = one.seen
    return {
        **outcome_record(one.outcome),
        "commit": one.commit,
        "message": one.message,
        "in_checkout": {
            "torch": seen.torch,
            "version": seen.version,
            "samples": seen.samples,
            "tests": seen.tests,
            "failure": seen.failure,
            "note": seen.note,
        }
        if seen
        else None,
    }


def _lines(one: Contributed, config: Config) -> Iterator[str]:
    yield from outcome_lines(one.outcome, config)
    if one.seen:
        yield f"  there   {_seen_sentence(one.seen)}"
    if one.commit:
        yield f"  commit  {one.commit}"


def _seen_sentence(seen: InCheckout) -> str:
    what = f"{seen.samples} samples right and {seen.tests} tests passed with the checkout's own exporter"
    version = f" ({seen.version} on torch {seen.torch})" if seen.version else f" (on torch {seen.torch})"
    return "; ".join(part for part in (what + version if seen.samples else "", seen.failure, seen.note) if part)
