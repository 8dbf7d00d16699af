"""`symgen new` and `symgen fix`: operators in, verified symbolic functions out."""

from __future__ import annotations

import dataclasses

import click

from symgen.cli.options import as_function_option, ops_argument, output_options, own_options, settle, writing_options
from symgen.cli.progress import progress
from symgen.cli.report import print_run
from symgen.config import NewOptions

_merge = click.option("--merge", is_flag=True, help="Merge what was edited with the new text, three ways.")
_family = click.option("--family", default="", metavar="NAME", help="Like --all, for one family of operators.")


@click.command("new")
@ops_argument
@writing_options
@as_function_option
@_merge
@click.option("--remove", is_flag=True, help="Take out the operators' functions and tests.")
@click.option("--all", "every", is_flag=True, help="Every operator that the exporter lacks.")
@_family
@own_options
@output_options
def new_command(ops: tuple[str, ...], **given: object) -> int:
    """Write and verify the symbolic functions of operators.

    OP is aten::elu, elu, torch.nn.functional.elu or aten::max.dim; a custom operator, with --pyi or --import; or
    package.module:ClassName for a torch.autograd.Function, which gets a symbolic method. Each is matched, lowered,
    rendered, merged and verified through the exporter and ONNX Runtime before anything is written.
    """
    return _run(ops, *_parted(given))


@click.command("fix")
@ops_argument
@writing_options
@as_function_option
@_merge
@click.option("--all", "every", is_flag=True, help="Every operator that torch registers and gets wrong.")
@_family
@output_options
def fix_command(ops: tuple[str, ...], merge: bool, every: bool, family: str, **given: object) -> int:
    """Write corrected functions where torch's own are wrong.

    Writes, as `symgen new` does, the function that torch has already but gets wrong or refuses arguments of. An
    operator that torch lacks is left alone.
    """
    return _run(ops, NewOptions(merge=merge, correct=True, every=every, family=family), given)


def _parted(given: dict[str, object]) -> tuple[NewOptions, dict[str, object]]:
    """What this call is to do, apart from how and where."""
    names = {field.name for field in dataclasses.fields(NewOptions)}
    options = NewOptions(**{name: value for name, value in given.items() if name in names})  # type: ignore[arg-type]
    return options, {name: value for name, value in given.items() if name not in names}


def _run(ops: tuple[str, ...], options: NewOptions, given: dict[str, object]) -> int:
    if not (ops or options.every or options.family):
        raise click.UsageError("name an operator, or say --all", click.get_current_context())
    if options.remove and (options.merge or options.every or options.family):
        raise click.UsageError("--remove takes the operators to remove, and no other mode", click.get_current_context())
    config = settle(**given)
    from symgen.pipeline import new

    with progress(config) as listener:
        run = new(ops, config, options, listener)
    return print_run(run, config)
