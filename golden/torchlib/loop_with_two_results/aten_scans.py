"""ONNX translations of PyTorch's operators for its dynamo exporter: scans."""

from __future__ import annotations

import collections

import torch
from onnxscript import ir
from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TTensor
from onnxscript.onnx_opset import opset18 as op

from .tracing import _cast, _constant, _dtype, _loop, _promoted, _rank, _size, _static_size

__all__ = ["aten_cummax"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: _doublings 6b39d845e52b3405
def _doublings(x: ir.Value, axis: int) -> ir.Value:
    """How often 1 has to be doubled to reach the length of an axis."""
    length = _static_size(x, axis)
    if length is not None:
        return _constant(max(length - 1, 0).bit_length(), torch.int64)
    is_short = op.Less(_constant([2**n for n in range(62)], torch.int64), _size(x, axis))
    return op.ReduceSum(_cast(is_short, torch.int64), keepdims=0)


# symgen: _places_along 16673a7b65dbf84b
def _places_along(x: ir.Value, axis: int) -> ir.Value:
    """0, 1 … n − 1 for an axis of length n."""
    size = _static_size(x, axis)
    if size is not None:
        return _constant(list(range(size)), torch.int64)
    return op.Range(0, op.Squeeze(_size(x, axis), [0]), 1)


# symgen: _standing_along 109896675a670f60
def _standing_along(vector: ir.Value, axis: int, rank: int) -> ir.Value:
    """A vector as a tensor of that rank, lying along one axis."""
    others = [other for other in range(rank) if other != axis]
    return op.Unsqueeze(vector, others) if others else vector


# symgen: _running_extreme 36dbc93709fe70d5
def _running_extreme(x: ir.Value, dim: int, sign: int) -> tuple[ir.Value, ...]:
    """The largest (1) or smallest (-1) element up to each place, and the last place where it stands; nan wins."""
    rank = _rank(x)
    if rank == 0:
        return (op.Identity(x), _constant(0, torch.int64))
    axis = dim % rank
    places = _places_along(x, axis)
    indices = op.Expand(_standing_along(places, axis, rank), op.Shape(x))

    def double(
        k: ir.Value, extreme: ir.Value, index: ir.Value, shift: ir.Value
    ) -> tuple[ir.Value, ...]:
        earlier_places = op.Max(op.Sub(places, shift), 0)
        earlier = op.Gather(extreme, earlier_places, axis=axis)
        stays = (
            op.GreaterOrEqual(extreme, earlier) if sign > 0 else op.LessOrEqual(extreme, earlier)
        )
        if _dtype(extreme).is_floating_point:
            stays = op.Or(stays, op.IsNaN(extreme))
        extreme = op.Where(stays, extreme, earlier)
        return (
            extreme,
            op.Where(stays, index, op.Gather(index, earlier_places, axis=axis)),
            op.Add(shift, shift),
        )

    extreme, index, _ = _loop(_doublings(x, axis), double, x, indices, _constant([1], torch.int64))
    return (extreme, index)


# symgen: aten_cummax e3ed0d7dcf4665b7
@torch_op("aten::cummax", registry=REGISTRIES[18], trace_only=True)
@_promoted("self")
def aten_cummax(self: TTensor, dim: int) -> tuple[TTensor, TTensor]:
    """cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)

    The largest element up to each place, and the last place where it stands
    """
    return _running_extreme(self, dim, 1)
