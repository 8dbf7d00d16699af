"""Spreads work that needs the sources and runs nothing over the machine's cores."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from symgen.config import Config
from symgen.sources import Sources, load_sources

_CHUNK = 24
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
Work = Callable[[Sequence[_Item], Sources, Config], Sequence[_Result]]
"""Makes one result of each item; a function of a module, as processes of their own have to find it."""


def over_all(
    work: Work[_Item, _Result], items: Sequence[_Item], sources: Sources, config: Config
) -> tuple[_Result, ...]:
    """The results in the items' order. A few items, or one core, aren't worth the start of a process."""
    count = os.cpu_count() or 1
    if len(items) <= 2 * _CHUNK or count == 1:
        return tuple(work(items, sources, config))
    chunks = [items[start : start + _CHUNK] for start in range(0, len(items), _CHUNK)]
    context = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(min(count, len(chunks)), context, _depend_on_parent) as pool:
            found = pool.map(functools.partial(_of_chunk, work, config), chunks)
            return tuple(result for results in found for result in results)
    except BrokenProcessPool:
        # Something ended a process, for want of memory perhaps; this one can do it all.
        return tuple(work(items, sources, config))


def _depend_on_parent() -> None:
    """Leaves Ctrl-C to the process that waits, and ends with it however that is ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _of_chunk(work: Work[_Item, _Result], config: Config, chunk: Sequence[_Item]) -> Sequence[_Result]:
    return tuple(work(chunk, _sources(config), config))


@functools.cache
def _sources(config: Config) -> Sources:
    """The sources, once in each process."""
    return load_sources(config)
