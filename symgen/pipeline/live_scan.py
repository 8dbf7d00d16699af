"""`symgen.scan`: a scan of a model that lives in the caller's process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symgen.config import HIGHEST_OPSET, Config, ScanOptions
from symgen.model.run import Listener, ignore_steps
from symgen.model.scan import Report
from symgen.pipeline.scanning import Telling, UnusableModelError, report_on, settled
from symgen.sources import load_sources
from symgen.verify.scanning.live import live_model, scan_live
from symgen.verify.scanning.loading import UnusableError


def scan(
    model: Any,
    args: Any = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    opset: int = HIGHEST_OPSET,
    dynamic_axes: Mapping[str, Mapping[int, str]] | None = None,
    timeout: float = ScanOptions.timeout,
    listener: Listener = ignore_steps,
) -> Report:
    """Tells what stands between a model and ONNX, as `symgen scan` does.

    The symbolic functions that are registered in this process count; those of a package do once it is imported. The
    model runs in a copy of this process, in evaluation mode, and is left as it is.

    Args:
        model: a torch.nn.Module, or TorchScript.
        args: the positional arguments of a call: a tensor, or a tuple.
        kwargs: its keyword arguments.
        opset: the opset of the export.
        dynamic_axes: the dynamic axes, by the names of the parameters of `forward`: `{"x": {0: "batch"}}`.
        timeout: how many seconds a step may take in silence.
        listener: is told how far the scan is.

    Raises:
        UnusableModelError: where the model itself fails on its inputs.
    """
    name = type(model).__name__
    telling = Telling(listener)
    try:
        loaded = live_model(model, args, kwargs or {}, dynamic_axes or {})
    except UnusableError as error:
        raise UnusableModelError(f"{name}: {error}") from None
    seen = settled(name, scan_live(loaded, opset, timeout, telling), telling)
    return report_on(name, opset, seen, load_sources(Config()))
