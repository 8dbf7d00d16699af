"""`symgen scan`: what stands between a model and ONNX."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from symgen.cli.options import opset_option, output_options, package_options, settle, target_option
from symgen.cli.progress import progress
from symgen.config import ScanOptions

_file = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("scan")
@click.argument("text", metavar="TARGET")
@click.option("--input", "inputs", multiple=True, metavar="SPEC", help="An input, as float32[batch,3]; repeatable.")
@click.option("--inputs", "inputs_path", type=_file, metavar="FILE", help="The inputs, saved with torch.save.")
@opset_option
@target_option
@click.option("--trust", is_flag=True, help="Load pickles, which runs whatever code they hold.")
@click.option("--new", is_flag=True, help="Write all that is missing into the package, as `symgen new` does.")
@click.option("--export", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Export and compare.")
@click.option("--import", "imports", multiple=True, metavar="MODULE", help="A module to import first.")
@click.option("--domain", default="", metavar="DOMAIN", help="For the nodes of what is your own, with --new.")
@click.option("--version", type=int, default=1, metavar="V", help="The domain's version (1).")
@click.option("--edit/--no-edit", default=True, help="Whether a class's own file may be changed (yes).")
@click.option("--timeout", type=click.FloatRange(min=1), default=ScanOptions.timeout, help="Seconds a step may take.")
@package_options
@output_options
def scan_command(text: str, target: str | None, **given: object) -> int:
    """Show what stands between a model and ONNX.

    TARGET is a TorchScript .pt, an exported .pt2, or package.module:NAME for a torch.nn.Module or a function that
    returns one. The inputs are those given, or the name `inputs` in that module. Lists every operator that the exporter
    can't convert at --opset (20), what it drops without a word, and what tracing turns into constants. A .pt2 is judged
    by the dynamo exporter, a module with --target torchlib too. All of the model's code runs in a child process.
    """
    names = {field.name for field in dataclasses.fields(ScanOptions)}
    options = ScanOptions(**{name: value for name, value in given.items() if name in names})  # type: ignore[arg-type]
    others = {name: value for name, value in given.items() if name not in names}
    from symgen.cli.scan_report import print_report
    from symgen.pipeline.scan_targets import exporter_for
    from symgen.pipeline.scanning import scan

    config = settle(**others, target=exporter_for(text, target))
    with progress(config, "of the graph") as listener:
        report = scan(text, config, options, listener)
    return print_report(report, config)
