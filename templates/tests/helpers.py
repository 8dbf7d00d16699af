"""What a generated test file has beside the functions of a round trip; each function here becomes a definition."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.utils import _pytree as pytree

Build = Callable[[torch.dtype, int, int], torch.Tensor]


def make(*shape: int, dtype: torch.dtype | None = None, layout: str = "contiguous", **recipe: Any) -> Any:
    """A tensor to come, of the test's dtype unless one is given; in larger sizes by `more` where it is asked for."""

    def build(own: torch.dtype, seed: int, more: int) -> torch.Tensor:
        sizes = [size + more if size > 1 else size for size in shape]
        return tensor(sizes, dtype or own, seed, layout=layout, **recipe)

    return build


def edges(*shape: int, **more: Any) -> Any:
    """Zeros, ones, halves, the limits of the dtype, inf and nan."""
    return make(*shape, recipe="edges", **more)


def ties(*shape: int, **more: Any) -> Any:
    """Multiples of a half, many of them equal."""
    return make(*shape, recipe="ties", **more)


def holes(*shape: int, **more: Any) -> Any:
    """A nan and infinities among other values."""
    return make(*shape, recipe="holes", **more)


def distinct(*shape: int, **more: Any) -> Any:
    """No two values alike."""
    return make(*shape, recipe="distinct", **more)


def given(values: Any, dtype: torch.dtype | None = None) -> Any:
    """A tensor with these very values."""
    return lambda own, seed, more: torch.tensor(values, dtype=dtype or own)


def sample(*arguments: Any, **keywords: Any) -> Any:
    """The arguments of one call."""
    return list(arguments), keywords


def each(op: Any, dtypes: str, *samples: Any) -> list[Any]:
    """The parameters of a test: every sample in every dtype."""
    pairs = itertools.product(dtypes.split(), samples)
    return [pytest.param(op, getattr(torch, name), one, id=f"{op._overloadname}-{name}") for name, one in pairs]


def built(template: Any, dtype: torch.dtype, seed: int, more: int = 0) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a sample with their tensors, each from a seed of its own."""
    seeds = itertools.count(seed)
    return pytree.tree_map(lambda leaf: leaf(dtype, next(seeds), more) if callable(leaf) else leaf, template)


def tensors_in(value: Any) -> list[torch.Tensor]:
    """All tensors in nested lists, tuples and dictionaries, in order."""
    return [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def called(op: Any, call: tuple[list[Any], dict[str, Any]]) -> list[torch.Tensor]:
    """What torch itself gives, as a flat list; the inputs stay as they are."""
    arguments, keywords = pytree.tree_map(lambda x: x.clone() if isinstance(x, torch.Tensor) else x, call)
    return [real_view(x) for x in tensors_in(op(*arguments, **keywords))]


def goes_with(op: Any, call: tuple[list[Any], dict[str, Any]], first: tuple[list[Any], dict[str, Any]]) -> bool:
    """Whether torch takes a call, and gives as many tensors as for the first one."""
    try:
        return len(called(op, call)) == len(called(op, first))
    except (RuntimeError, IndexError):
        return False


def round_trip(op: Any, dtype: torch.dtype, template: Any, opset: int, same: Any = None, **tolerance: float) -> None:
    """Exports the call with fixed and with dynamic axes, runs the model on two sets of values and in another size."""
    first, second = built(template, dtype, 0), built(template, dtype, 1000)
    if opset < 13 and any(x.dtype is torch.bfloat16 for x in tensors_in(first)):
        pytest.skip("ONNX has bfloat16 in its operators since opset 13")
    # Not every call can be made with other values, or in another size.
    others = [call for call in (second, built(template, dtype, 0, more=2)) if goes_with(op, call, first)]
    for dynamic in (False, True):
        module = call_module(op, *first, written="!" in str(op._schema.arguments[0].alias_info))
        run, _ = load(export(module, tensors_in(first), opset, dynamic))
        for call in (first, *(call for call in others if dynamic or call is second)):
            assert_same(tensors_in(call), called(op, call), run(tensors_in(call)), same, **tolerance)


def round_trip_of_complex(
    op: Any, dtype: torch.dtype, template: Any, opset: int, same: Any = None, **tolerance: float
) -> None:
    """The same for an operator on complex tensors, which enter and leave the model as real ones."""
    carry_complex()
    round_trip(op, dtype, template, opset, same, **tolerance)


def assert_same(
    inputs: list[torch.Tensor], expected: list[torch.Tensor], got: list[torch.Tensor], same: Any, **tolerance: float
) -> None:
    """Shapes and dtypes are equal, and so are values within torch's own tolerances, or else the property holds."""
    assert [(g.shape, g.dtype) for g in got] == [(e.shape, e.dtype) for e in expected]
    try:
        for e, g in zip(expected, got, strict=True):
            torch.testing.assert_close(g, e, equal_nan=True, **tolerance)
    except AssertionError:
        if same is None:
            raise
        assert same(inputs, expected, got) == ""


def refuse(op: Any, dtype: torch.dtype, template: Any, opset: int) -> None:
    """The function says that it does not take the arguments; it does not give a wrong model."""
    call = built(template, dtype, 0)
    with pytest.raises(torch.onnx.errors.OnnxExporterError):
        export(call_module(op, *call), tensors_in(call), opset, False)
