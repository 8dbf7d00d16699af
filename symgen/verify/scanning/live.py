"""Scans a model that lives in this process: in a copy of the process, so that a crash or a hang is a result."""

from __future__ import annotations

import multiprocessing
import os
import traceback
import warnings
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any

import torch

from symgen.verify.messages import Failed
from symgen.verify.scan_jobs import ScanSeen, ScanStep, Unusable
from symgen.verify.scanning.loading import LoadedModel, UnusableError, as_args, input_names
from symgen.verify.supervisor import HAS_FORK, cause_of
from symgen.verify.worker import quiet

Tell = Callable[[ScanStep | ScanSeen], None]
Scan = Callable[[LoadedModel, Tell], ScanSeen]
"""A scan by one of the exporters."""


def live_model(
    model: Any, args: Any, kwargs: Mapping[str, Any], dynamic_axes: Mapping[str, Mapping[int, str]]
) -> LoadedModel:
    """A model with its inputs; the axes are given by the names of the parameters of `forward`.

    Raises:
        UnusableError: where there is no input of such a name.
    """
    loaded = LoadedModel(model, (*as_args(args), *([dict(kwargs)] if kwargs else [])), {})
    names = input_names(loaded)
    if isinstance(model, torch.export.ExportedProgram) and dynamic_axes:
        raise UnusableError("an exported program has its dynamic axes already")
    for name in dynamic_axes:
        if name not in names:
            raise UnusableError(f"there is no input {name} to have a dynamic axis; the inputs are {', '.join(names)}")
    axes = {names.index(name): dict(found) for name, found in dynamic_axes.items()}
    return LoadedModel(model, loaded.args, axes)


def scan_live(scan: Scan, loaded: LoadedModel, limit: float, tell: Tell) -> ScanSeen | Unusable | Failed:
    """Scans it; a silence longer than `limit` seconds is a hang. Where the system can't copy processes, in this one."""
    if not HAS_FORK:
        return _scanned(scan, loaded, tell)
    context: Any = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(scan, loaded, here, there), daemon=True)
    process.start()
    there.close()
    answer: ScanSeen | Unusable | Failed = Failed("the process gave no answer", "")
    try:
        while here.poll(limit):
            message = here.recv()
            if message is None:
                return answer
            if isinstance(message, ScanStep | ScanSeen):
                tell(message)
            if not isinstance(message, ScanStep):
                answer = message
        return Failed(f"no end within {limit:g} s", "")
    except EOFError:
        process.join()
        return Failed(f"the child process ended early: {cause_of(process.exitcode)}", "")
    finally:
        process.kill()
        process.join()


def _child(scan: Scan, loaded: LoadedModel, other: Connection, connection: Connection) -> None:
    other.close()
    quiet()
    torch.set_num_threads(1)
    try:
        connection.send(_scanned(scan, loaded, connection.send))
    except Exception as error:
        connection.send(Failed(f"{type(error).__name__}: {error}", traceback.format_exc()))
    connection.send(None)
    os._exit(0)


def _scanned(scan: Scan, loaded: LoadedModel, tell: Tell) -> ScanSeen | Unusable:
    if isinstance(loaded.model, torch.nn.Module) and HAS_FORK:
        loaded.model.eval()  # of the copy alone
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return scan(loaded, tell)
        except UnusableError as error:
            return Unusable(str(error))
