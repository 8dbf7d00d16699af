"""Watches a trace for values that leave it: Python numbers, NumPy arrays and decisions, which become constants."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from symgen.verify.scan_jobs import Baked
from symgen.verify.scanning.places import place_here

_EXITS: Mapping[str, str] = {
    "__bool__": "bool()",
    "__int__": "int()",
    "__float__": "float()",
    "__index__": "a Python number",
    "__len__": "len()",
    "__iter__": "iteration",
    "item": ".item()",
    "tolist": ".tolist()",
    "numpy": ".numpy()",
    "__array__": "a NumPy array",
}
"""The methods of a tensor that give something that tracing can't follow, and what people call them."""
_OF_SHAPES_ONLY = frozenset({"__len__", "__iter__"})
"""These tell no more than a size, whatever is in the tensor."""
_SHAPES = frozenset({"aten::size", "aten::numel", "aten::dim", "aten::_shape_as_tensor"})
_FAR = 200
"""How many nodes back the origin of a value is looked for."""


@dataclass
class Watch:
    """What has left the trace so far."""

    names: Mapping[int, str]
    """The paths of the modules, by their ids."""
    found: dict[tuple[str, int, str], Baked] = field(default_factory=dict)

    def take(self, method: str, tensor: torch.Tensor) -> None:
        """Takes note of a call of one of the methods."""
        origin = _origin(tensor)
        if origin == "constant":
            return
        place = place_here(dict(self.names))
        how, from_shape = _EXITS[method], method in _OF_SHAPES_ONLY or origin == "shape"
        key = (place.path, place.line, place.module)
        known = self.found.get(key)
        if known is None:
            self.found[key] = Baked(how, 1, place, from_shape)
        else:
            self.found[key] = replace(known, count=known.count + 1, from_shape=known.from_shape and from_shape)


@contextlib.contextmanager
def watching(model: Any) -> Iterator[Watch]:
    """A watch over all that is traced while the block runs."""
    modules = model.named_modules() if isinstance(model, torch.nn.Module) else ()
    watch = Watch({id(module): name for name, module in modules})
    before = {method: getattr(torch.Tensor, method) for method in _EXITS}
    for method, original in before.items():
        setattr(torch.Tensor, method, _watched(method, original, watch))
    try:
        yield watch
    finally:
        for method, original in before.items():
            setattr(torch.Tensor, method, original)


def _watched(method: str, original: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    busy = False

    @functools.wraps(original)
    def call(self: torch.Tensor, *arguments: Any, **keywords: Any) -> Any:
        nonlocal busy
        if busy or torch._C._get_tracing_state() is None:
            return original(self, *arguments, **keywords)
        busy = True
        try:
            watch.take(method, self)
            return original(self, *arguments, **keywords)
        finally:
            busy = False

    return call


def _origin(tensor: torch.Tensor) -> str:
    """Where a value comes from: `constant`, `shape` where only sizes went into it, else `data`."""
    try:
        value = torch._C._get_value_trace(tensor)  # type: ignore[attr-defined]
    except RuntimeError:
        return "constant"
    pending, seen, sizes = [value.node()], 0, False
    while pending:
        node = pending.pop()
        kind, seen = node.kind(), seen + 1
        if kind == "prim::Constant":
            continue
        if kind in _SHAPES:
            sizes = True
        elif kind == "prim::Param" or seen > _FAR:
            return "data"
        else:
            pending += [one.node() for one in node.inputs()]
    return "shape" if sizes else "constant"
