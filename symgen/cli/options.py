"""The options that commands share; what the command line leaves open, `[tool.symgen]` says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from symgen.cli.completion import complete_ops
from symgen.config import Color, Config, Target, load_config

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def _switch(name: str, text: str) -> Callable[[Decorated], Decorated]:
    """A flag that also has a negative form, for where the configuration has set it."""
    positive = f"--{name}"
    negative = f"--{name.removeprefix('no-')}" if name.startswith("no-") else f"--no-{name}"
    return click.option(f"{positive}/{negative}", name.replace("-", "_"), default=None, help=text)


def _folder(name: str, text: str) -> Callable[[Decorated], Decorated]:
    return click.option(f"--{name}", type=click.Path(file_okay=False, path_type=Path), help=text)


def _stack(*options: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    def decorate(command: Decorated) -> Decorated:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_file = click.Path(exists=True, dir_okay=False, path_type=Path)
ops_argument = click.argument("ops", nargs=-1, metavar="OP...", shell_complete=complete_ops)
opset_option = click.option("--opset", type=int, metavar="N", help="The lowest opset wanted, and the file's number.")
target_option = click.option("--target", type=click.Choice(list(map(str, Target))), help="Which exporter it is for.")
package_options = _stack(
    _folder("package", "The folder of the functions (symbolics)."),
    _folder("tests", "The folder of their tests (tests)."),
)
dry_run_option = _switch("dry-run", "Write nothing; print a diff.")
writing_options = _stack(
    opset_option,
    target_option,
    package_options,
    dry_run_option,
    _switch("no-verify", "Write without running the round trips."),
    _switch("force", "Replace what was edited; write where torch's own is right already."),
)
as_function_option = _switch("as-function", "One local function of the model for each operator, for readers.")
own_options = _stack(
    click.option("--domain", default="", metavar="DOMAIN", help="One node of this domain, for what is your own."),
    click.option("--version", type=int, default=1, metavar="V", help="The domain's version (1)."),
    click.option("--pyi", type=_file, metavar="FILE", help="A stub file that declares custom operators."),
    click.option("--import", "imports", multiple=True, metavar="MODULE", help="A module that registers them."),
    click.option("--edit/--no-edit", default=True, help="Whether a class's own file may be changed (yes)."),
    click.option("--ort-library", type=_file, metavar="FILE", help="ONNX Runtime's kernels for the domain."),
)
output_options = _stack(
    _switch("json", "Print one JSON object."),
    click.option("-v", "--verbose", count=True, default=None, help="Say more; twice: everything."),
    click.option("-q", "--quiet", is_flag=True, default=None, help="Print results only, no progress and no advice."),
    click.option("--color", type=click.Choice(list(map(str, Color))), help="When to colour (auto)."),
)


def settle(**given: object) -> Config:
    """The settings of this run: the options given, over `[tool.symgen]`; also sets whether click writes colour.

    Raises:
        UsageError: where one of them is not usable.
    """
    config = load_config(Path.cwd(), given)
    click.get_current_context().color = {Color.AUTO: None, Color.ALWAYS: True, Color.NEVER: False}[config.color]
    return config
