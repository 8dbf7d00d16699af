"""`symgen.scan`: a scan of a model that lives in the caller's process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from symgen.config import HIGHEST_OPSET, Config, ScanOptions, Target
from symgen.errors import UsageError
from symgen.model.run import Listener, ignore_steps
from symgen.model.scan import Report
from symgen.pipeline.scanning import Telling, UnusableModelError, report_on, settled
from symgen.sources import load_sources
from symgen.verify.scan_jobs import ScanSeen
from symgen.verify.scanning.live import Tell, live_model, scan_live
from symgen.verify.scanning.loading import LoadedModel, UnusableError
from symgen.verify.scanning.model import scan_model
from symgen.verify.scanning.program_scan import scan_by_dynamo


def scan(
    model: Any,
    args: Any = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    opset: int = HIGHEST_OPSET,
    dynamic_axes: Mapping[str, Mapping[int, str]] | None = None,
    target: str | None = None,
    custom_translation_table: Mapping[Any, Callable[..., Any]] | None = None,
    timeout: float = ScanOptions.timeout,
    listener: Listener = ignore_steps,
) -> Report:
    """Tells what stands between a model and ONNX, as `symgen scan` does.

    The symbolic functions that are registered in this process count; those of a package do once it is imported. The
    model runs in a copy of this process, in evaluation mode, and is left as it is.

    Args:
        model: a torch.nn.Module, TorchScript, or what torch.export makes of a module.
        args: the positional arguments of a call: a tensor, or a tuple.
        kwargs: its keyword arguments.
        opset: the opset of the export.
        dynamic_axes: the dynamic axes, by the names of the parameters of `forward`: `{"x": {0: "batch"}}`.
        target: `torchscript`, or `torchlib` for the dynamo exporter, which is the only one for an exported program.
        custom_translation_table: what the dynamo exporter is to be given.
        timeout: how many seconds a step may take in silence.
        listener: is told how far the scan is.

    Raises:
        UnusableModelError: where the model itself fails on its inputs.
        UsageError: where the exporter doesn't take such a model, or a table.
    """
    is_dynamo = _is_for_dynamo(model, target)
    if custom_translation_table and not is_dynamo:
        raise UsageError("the TorchScript exporter takes no table", hint="say target='torchlib'")
    name = type(model).__name__
    telling = Telling(listener)
    try:
        loaded = live_model(model, args, kwargs or {}, dynamic_axes or {})
    except UnusableError as error:
        raise UnusableModelError(f"{name}: {error}") from None

    def look(loaded: LoadedModel, tell: Tell) -> ScanSeen:
        if is_dynamo:
            return scan_by_dynamo(loaded, custom_translation_table or {}, opset, tell)
        return scan_model(loaded, opset, tell)

    seen = settled(name, scan_live(look, loaded, timeout, telling), telling)
    return report_on(name, opset, seen, load_sources(Config()))


def _is_for_dynamo(model: Any, target: str | None) -> bool:
    """Whether the dynamo exporter is asked: what was said, or what the kind of model leaves no choice about."""
    is_program, is_script = isinstance(model, torch.export.ExportedProgram), isinstance(model, torch.jit.ScriptModule)
    wanted = Target(target) if target else Target.TORCHLIB if is_program else Target.TORCHSCRIPT
    if (is_program and wanted is Target.TORCHSCRIPT) or (is_script and wanted is Target.TORCHLIB):
        raise UsageError(f"a {type(model).__name__} goes through the other exporter only")
    return wanted is Target.TORCHLIB
