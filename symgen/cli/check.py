"""`symgen check` and `symgen explain`: the pre-commit hook, and what its findings mean."""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from symgen.cli.options import opset_option, package_options, settle

if TYPE_CHECKING:
    from symgen.check import CheckSettings, Finding
    from symgen.config import Config

_FORMATS = ("text", "json", "github", "sarif")


def _codes(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...] | None:
    """`--ignore SG010,SG012 --ignore SG001` as one row of codes; None where the option isn't given."""
    codes = tuple(code.strip().upper() for part in value for code in part.split(",") if code.strip())
    return codes or None


@click.command("check")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--fix", is_flag=True, help="Mend what is mechanical, and report the rest.")
@click.option("--select", multiple=True, metavar="CODES", callback=_codes, help="Report these codes only (SG00,SG011).")
@click.option("--ignore", multiple=True, metavar="CODES", callback=_codes, help="Don't report these codes.")
@click.option("--output-format", type=click.Choice(_FORMATS), default="text", help="How findings are written (text).")
@opset_option
@package_options
@click.option(
    "--jobs", type=click.IntRange(min=1), default=None, help="How many processes share the files (one a core)."
)
@click.option("-q", "--quiet", is_flag=True, default=None, help="Print findings only, no sums.")
def check_command(paths: tuple[str, ...], fix: bool, output_format: str, jobs: int | None, **given: object) -> int:
    """Check symbolic files, as a pre-commit hook does.

    Compares them with torch's declarations and ONNX's schemas, without importing either. In a folder, and without PATH
    in the configured package, it takes the files that register symbolic functions. `symgen explain CODE` tells what a
    finding means; `# symgen: ignore[CODE] reason` on its line silences it.
    """
    config = settle(**given)
    with _without_collector():
        mended, findings = _run(paths, fix, _settings(config, jobs or _cores()))
    from symgen.check.output import render

    text = render(findings, output_format)
    if text:
        click.echo(text)
    if not config.quiet:
        for line in _sums(mended, findings):
            click.echo(line, err=True)
    return int(bool(findings))


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Trees and what is read of them hold no cycles: the collector would walk them over and over and free nothing.

    Nor is it to walk what is left when it is let go on, and once more at the end of the process.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if enabled:
            gc.enable()


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _settings(config: Config, jobs: int) -> CheckSettings:
    from symgen.check import CheckSettings
    from symgen.check.rules import require_codes

    require_codes((*config.select, *config.ignore))
    return CheckSettings(config.package, config.tests, config.opset, config.select, config.ignore, jobs)


def _run(paths: Sequence[str], fix: bool, settings: CheckSettings) -> tuple[int, Sequence[Finding]]:
    """How many findings were mended, and those that there are."""
    if fix:
        from symgen.check.fixing import fix_paths

        report = fix_paths(paths, settings)
        return sum(count for _, count in report.mended), report.remaining
    from symgen.check import check_paths

    return 0, check_paths(paths, settings)


def _sums(mended: int, findings: Sequence[Finding]) -> list[str]:
    """What the run came to, for people."""
    lines = [f"mended {mended} {'finding' if mended == 1 else 'findings'}"] if mended else []
    if findings:
        mechanical = sum(bool(finding.edits) for finding in findings)
        hint = f", {mechanical} of them mechanical (--fix)" if mechanical else ""
        lines.append(f"{len(findings)} {'finding' if len(findings) == 1 else 'findings'}{hint}")
    return lines


@click.command("explain")
@click.argument("code", required=False)
def explain_command(code: str | None) -> int:
    """Explain a finding of check.

    CODE is SG001, for example. Without one, all codes are listed.
    """
    from symgen.check.explain import explain, overview

    click.echo(explain(code) if code else overview())
    return 0
