"""How far a long run is, on stderr: a bar where that is a terminal, else a line every half minute."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator

import click

from symgen.config import Color, Config
from symgen.model.run import Listener, Step, ignore_steps

SECONDS = 30.0
"""Between two lines where there is no bar; what is quicker says nothing."""


@contextlib.contextmanager
def progress(config: Config, counted: str = "") -> Iterator[Listener]:
    """A listener that draws a bar while the block runs, with the time left; in a log it writes lines.

    Beside it stand the samples and failures so far, or what is `counted`.
    """
    if config.quiet:
        yield ignore_steps
        return
    if not sys.stderr.isatty():
        with _lines(counted) as listener:
            yield listener
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(counted or "{task.fields[beside]}"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True, no_color=config.color is Color.NEVER)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=None, beside="")

        def show(step: Step) -> None:
            beside = ", ".join(filter(None, (step.counted, _samples(step))))
            bar.update(task, description=step.op, completed=step.done, total=step.total, beside=beside)

        yield show


@contextlib.contextmanager
def _lines(counted: str) -> Iterator[Listener]:
    """A listener whose last step is written down every half minute, however long that step takes."""
    started, ended = time.monotonic(), threading.Event()
    last: list[Step] = []

    def keep(step: Step) -> None:
        last[:] = [step]

    def write() -> None:
        while not ended.wait(SECONDS):
            with contextlib.suppress(OSError, ValueError):  # nobody reads it any more
                click.echo(step_line(last[0] if last else None, time.monotonic() - started, counted), err=True)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        yield keep
    finally:
        ended.set()
        writer.join()


def step_line(step: Step | None, seconds: float, counted: str = "") -> str:
    """How far a run is, as a line of a log."""
    parts = ["nothing done yet" if step is None else step.op]
    if step is not None and step.total:
        parts.append(f"{step.done} of {step.total} {counted or step.counted or 'operators done'}")
    if step is not None and not counted and _samples(step):
        parts.append(_samples(step))
    return f"symgen, after {seconds:.0f} s: {', '.join(parts)}"


def _samples(step: Step) -> str:
    """How many samples have run; empty for a step that runs none of its own."""
    return "" if step.counted and not step.samples else f"{step.samples} samples, {step.failures} failures"
