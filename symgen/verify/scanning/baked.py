"""Watches a trace for values that leave it: Python numbers, NumPy arrays and decisions, which become constants."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from symgen.verify.scan_jobs import Baked
from symgen.verify.scanning.places import is_called_by_torch, is_indexing, place_here

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
    sizes: dict[tuple[str, int, str], list[Any]] = field(default_factory=dict)
    """The numbers that came of shapes alone."""
    busy: bool = False
    """Whether a call is being looked at, which calls the same methods."""

    def take(self, method: str, tensor: torch.Tensor) -> None:
        """Takes note of a call of one of the methods.

        What torch's own library asks of a size are checks of arguments, which are none of the user's affair. Indexing
        takes numbers out of tensors as well, and tracing follows these.
        """
        if (method in _OF_SHAPES_ONLY and not tensor.dim()) or (method == "__index__" and is_indexing()):
            return
        origin = _origin(tensor)
        from_shape = method in _OF_SHAPES_ONLY or origin == "shape"
        if origin == "constant" or (from_shape and is_called_by_torch()):
            return
        place = place_here(self.names)
        how = _EXITS[method]
        key = (place.path, place.line, place.module)
        if from_shape:
            self.sizes.setdefault(key, []).append(tensor.shape[0] if method in _OF_SHAPES_ONLY else tensor.tolist())
        known = self.found.get(key)
        if known is None:
            self.found[key] = Baked(how, 1, place, from_shape)
        else:
            self.found[key] = replace(known, count=known.count + 1, from_shape=known.from_shape and from_shape)

    def varying(self, other: Watch) -> tuple[Baked, ...]:
        """What was found, but for the numbers that are the same in a trace of other sizes."""
        return tuple(
            found
            for key, found in self.found.items()
            if not found.from_shape or self.sizes[key] != other.sizes.get(key)
        )


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
    @functools.wraps(original)
    def call(self: torch.Tensor, *arguments: Any, **keywords: Any) -> Any:
        if watch.busy or torch._C._get_tracing_state() is None:
            return original(self, *arguments, **keywords)
        watch.busy = True
        try:
            watch.take(method, self)
            return original(self, *arguments, **keywords)
        finally:
            watch.busy = False

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
