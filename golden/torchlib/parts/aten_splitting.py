"""ONNX translations of PyTorch's operators for its dynamo exporter: splitting."""

from __future__ import annotations

import collections
from collections.abc import Sequence

import torch
from onnxscript import INT64, ir
from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TTensor
from onnxscript.onnx_opset import opset18 as op

from .tracing import (
    _constant,
    _dtype,
    _ints,
    _known,
    _list,
    _listed,
    _rank,
    _size,
    _split,
    _static_size,
    _traced,
)

__all__ = ["aten_split", "aten_unsafe_split_with_sizes"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: _in_parts 257542dad374db10
def _in_parts(x: ir.Value, sizes: list[int], axis: int) -> list[ir.Value]:
    """The parts of those sizes."""
    if len(sizes) == 1:
        return [x]
    return _listed(_split(x, sizes, axis=axis, outputs=len(sizes)))


# symgen: _in_parts_of d1ba348ed80a5efc
def _in_parts_of(x: ir.Value, size: int, axis: int) -> list[ir.Value]:
    """Parts of one size, the last one what is left, of an axis whose length is known."""
    length = _static_size(x, axis)
    whole = length // size if size else 0
    rest = length - whole * size
    return _in_parts(x, [size] * whole + [rest] * (rest > 0 or not whole), axis)


# symgen: _in_sizes 26851ae1ce2a041b
def _in_sizes(x: ir.Value, sizes: ir.Value, axis: int) -> list[ir.Value]:
    """The parts of those sizes, also where only the run of the model knows them."""
    known = _known(sizes)
    if known is not None:
        return _in_parts(x, known, axis)
    return _listed(_split(x, _ints(sizes), axis=axis, outputs=len(list(sizes))))


# symgen: _as_sequence 719d773be3355a71
def _as_sequence(x: ir.Value, size: ir.Value, axis: int) -> ir.Value:
    """Parts of one size, the last one what is left, as an ONNX sequence: only the run of the model knows how many."""
    if _dtype(x) == torch.bfloat16:
        raise NotImplementedError(
            "ONNX has no sequences of bfloat16: the length and the size of its parts have to be known at export"
        )
    length = _size(x, axis)
    # Of nothing there is one part, which is empty; the runtime would make none.
    starts = op.Range(0, op.Squeeze(op.Max(length, _constant([1], torch.int64)), [0]), size)
    return op.SplitToSequence(x, op.Min(op.Sub(length, starts), size), axis=axis)


# symgen: aten_split aa01386a26306d90
@torch_op(("aten::split.Tensor", "aten::split.sizes"), registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_split(
    self: TTensor, split_size: INT64 | Sequence[INT64], dim: int = 0
) -> Sequence[TTensor]:
    """split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]
    split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]

    Parts of one size, the last one what is left, or parts of the sizes in a list.
    """
    axis = dim % _rank(self)
    size = _known(split_size)
    if isinstance(size, list):
        parts = _in_parts(self, size, axis)
    elif isinstance(split_size, (list, tuple)):
        parts = _in_sizes(self, split_size, axis)
    elif size is not None and _static_size(self, axis) is not None:
        parts = _in_parts_of(self, size, axis)
    else:
        return _as_sequence(self, split_size, axis)
    return _list(parts)


# symgen: aten_unsafe_split_with_sizes 9fd3c88ab774ffc3
@torch_op("aten::unsafe_split_with_sizes", registry=REGISTRIES[18], trace_only=True)
@_traced
def aten_unsafe_split_with_sizes(
    self: TTensor, split_sizes: Sequence[INT64], dim: int = 0
) -> Sequence[TTensor]:
    """unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]

    Parts of those sizes.
    """
    parts = _in_sizes(self, split_sizes, dim % _rank(self))
    return _list(parts)
