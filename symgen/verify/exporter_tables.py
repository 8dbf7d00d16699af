"""Tables that the dynamo exporter makes anew for each export, made once in a process that exports hundreds of times.

Reading all of torchlib, which parses the source of each of its functions, is two thirds of a small export.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from torch.onnx._internal.exporter import _constants, _decomp, _registration

Read = Callable[..., _registration.ONNXRegistry]


def keep_exporter_tables() -> None:
    """From now on the exporter takes copies of what it has read and made before in this process."""
    if not hasattr(_registration.ONNXRegistry.from_torchlib, "__wrapped__"):
        read: Read = _registration.ONNXRegistry.from_torchlib
        _registration.ONNXRegistry.from_torchlib = _copying(read)  # type: ignore[method-assign]
        _decomp.create_onnx_friendly_decomposition_table = _keeping(_decomp.create_onnx_friendly_decomposition_table)


def _copying(read: Read) -> Any:
    """Torchlib's registry as it is read once for an opset; an export adds functions to its own copy."""
    kept = functools.cache(read)

    @functools.wraps(read)
    def registry_of(opset_version: int = _constants.TORCHLIB_OPSET) -> _registration.ONNXRegistry:
        whole = kept(opset_version)
        registry = _registration.ONNXRegistry()
        registry._opset_version = whole.opset_version
        registry.functions = {target: list(functions) for target, functions in whole.functions.items()}
        return registry

    return staticmethod(registry_of)


def _keeping(make: Callable[[Any], dict[Any, Any]]) -> Any:
    """The decompositions of what the exporter has no function for, made once for the same functions."""
    kept = functools.cache(make)

    @functools.wraps(make)
    def table_of(registered: Iterable[Any]) -> dict[Any, Any]:
        return dict(kept(frozenset(registered)))

    return table_of
