"""The progress bar of long runs, on stderr and only where that is a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from symgen.config import Color, Config
from symgen.model.run import Listener, Step, ignore_steps


@contextlib.contextmanager
def progress(config: Config, counted: str = "") -> Iterator[Listener]:
    """A listener that draws a bar while the block runs, with the time left.

    Beside it stand the samples and failures so far, or what is `counted`.
    """
    if config.quiet or not sys.stderr.isatty():
        yield ignore_steps
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(counted or "{task.fields[samples]} samples, {task.fields[failures]} failures"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True, no_color=config.color is Color.NEVER)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=None, samples=0, failures=0)

        def show(step: Step) -> None:
            bar.update(
                task,
                description=step.op,
                completed=step.done,
                total=step.total,
                samples=step.samples,
                failures=step.failures,
            )

        yield show
