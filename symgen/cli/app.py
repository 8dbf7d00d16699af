"""The root command, and what becomes of errors: one line on stderr and the contract's exit status."""

from __future__ import annotations

from collections.abc import Sequence

import click
from click.exceptions import NoArgsIsHelpError

import symgen
from symgen.cli.lazy import LazyCommand, LazyGroup
from symgen.errors import SymgenError

INTERRUPTED = 130
"""The exit status that shells give to a program ended by Ctrl-C."""
COMMANDS = {
    "new": LazyCommand("symgen.cli.new", "new_command", "Write and verify the symbolic functions of operators."),
    "match": LazyCommand("symgen.cli.match", "match_command", "Explain how operators would be translated."),
    "verify": LazyCommand("symgen.cli.verify", "verify_command", "Run the round trips now and print the evidence."),
    "fix": LazyCommand("symgen.cli.new", "fix_command", "Write corrected functions where torch's own are wrong."),
    "audit": LazyCommand("symgen.cli.audit", "audit_command", "Judge what torch's exporter registers itself."),
    "check": LazyCommand("symgen.cli.check", "check_command", "Check symbolic files, as a pre-commit hook does."),
    "explain": LazyCommand("symgen.cli.check", "explain_command", "Explain a finding of check."),
    "scan": LazyCommand("symgen.cli.scan", "scan_command", "Show what stands between a model and ONNX."),
    "upstream": LazyCommand(
        "symgen.cli.upstream", "upstream_command", "Contribute operators to PyTorch or onnxscript itself."
    ),
    "coverage": LazyCommand("symgen.cli.coverage", "coverage_command", "Show which operators can be exported."),
}


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 done, 1 something is left to do (a stub, failure, conflict, finding), 2 usage, 130 Ctrl-C.",
)
@click.version_option(symgen.__version__, prog_name="symgen", message="%(prog)s %(version)s")
def cli() -> None:
    """Write ONNX symbolic functions for PyTorch operators, and prove them."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command line, by default the process's own, and returns its exit status."""
    try:
        status = cli.main(args=argv, prog_name="symgen", standalone_mode=False)
    except SymgenError as error:
        return _fail(str(error), error.exit_status)
    except NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return error.exit_code
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "symgen"
        return _fail(f"{error.format_message()} (see '{command} --help')", error.exit_code)
    except click.ClickException as error:
        return _fail(error.format_message(), error.exit_code)
    except click.Abort as abort:
        how_far = str(abort.__cause__ or "") or "interrupted"
        click.echo(f"{how_far}: files are as they were, or complete", err=True)
        return INTERRUPTED
    return int(status or 0)


def _fail(message: str, status: int) -> int:
    click.echo(click.style("error:", fg="red", bold=True) + f" {message}", err=True)
    return status
