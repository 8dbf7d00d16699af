"""Ratios of times, measured so that what else the machine does falls on both sides."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path


def seconds_of(command: Sequence[str], folder: Path | None = None) -> float:
    """How long a process takes from start to end; it must end well."""
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def ratio(measured: Callable[[], float], baseline: Callable[[], float], rounds: int) -> float:
    """The shortest of the measured times over the shortest of the baseline's, taken in turn; one round warms up."""
    measured(), baseline()
    pairs = [(measured(), baseline()) for _ in range(rounds)]
    return min(pair[0] for pair in pairs) / min(pair[1] for pair in pairs)
