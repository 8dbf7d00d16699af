"""ONNX translations of PyTorch's operators for its dynamo exporter: attention."""

from __future__ import annotations

import collections
import math

import torch
from onnxscript import ir
from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TFloat, TTensor
from onnxscript.onnx_opset import opset18 as op, opset23

from .tracing import (
    _cast,
    _cast_like,
    _constant,
    _dtype,
    _listed,
    _promoted,
    _rank,
    _scalar,
    _size,
    _static_size,
)

__all__ = ["aten_scaled_dot_product_attention", "aten_scaled_dot_product_attention_opset23"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: _uniform_like 512f3672dd35f3f6
def _uniform_like(x: ir.Value) -> ir.Value:
    """Numbers from [0, 1) in the shape of x, in float64 where x is that, else in float32."""
    if _dtype(x) == torch.float64:
        return _cast(op.RandomUniformLike(x, dtype=11), torch.float64)
    return op.RandomUniformLike(_cast(x, torch.float32), dtype=1)


# symgen: _dropped_out fb79a2b7e3e98975
def _dropped_out(x: ir.Value, share: float) -> ir.Value:
    """That share of the elements made 0, the others larger in turn; the runtime takes a Dropout that is at work out."""
    lot = _uniform_like(x)
    kept = x if share == 1.0 else op.Mul(x, 1.0 / (1.0 - share))
    return op.Where(op.GreaterOrEqual(lot, share), kept, _scalar(0.0, x))


# symgen: _places_along 16673a7b65dbf84b
def _places_along(x: ir.Value, axis: int) -> ir.Value:
    """0, 1 … n − 1 for an axis of length n."""
    size = _static_size(x, axis)
    if size is not None:
        return _constant(list(range(size)), torch.int64)
    return op.Range(0, op.Squeeze(_size(x, axis), [0]), 1)


# symgen: _is_not_later e5fed3af7d333800
def _is_not_later(query: ir.Value, key: ir.Value) -> ir.Value:
    """Whether each key (column) stands no later than each query (row)."""
    rows, columns = _places_along(query, _rank(query) - 2), _places_along(key, _rank(key) - 2)
    return op.LessOrEqual(op.Unsqueeze(columns, [0]), op.Unsqueeze(rows, [1]))


# symgen: _with_shape 2593ee09b35f5130
def _with_shape(x: ir.Value, shape: ir.Value, rank: int) -> ir.Value:
    """The tensor in a shape of that rank, which is counted out; a 0 in it is a length."""
    return op.Reshape(x, shape, allowzero=1)


# symgen: _repeated_heads d774bdc5b9b27235
def _repeated_heads(x: ir.Value, heads: ir.Value) -> ir.Value:
    """Each head of keys or values (third axis from the end) over and over, so that there are as many as of queries."""
    axis = _rank(x) - 3
    own, shape = _size(x, axis), op.Shape(x)
    before, after = op.Slice(shape, [0], [axis]), op.Slice(shape, [axis + 1], [axis + 3])
    repeated = op.Expand(
        op.Unsqueeze(x, [axis + 1]), op.Concat(before, own, op.Div(heads, own), after, axis=0)
    )
    return _with_shape(repeated, op.Concat(before, heads, after, axis=0), axis + 3)


# symgen: _swap_last_axes 86e74e42275ac546
def _swap_last_axes(matrix: ir.Value) -> ir.Value:
    """The transposed matrices."""
    rank = _rank(matrix)
    return op.Transpose(matrix, perm=[*range(rank - 2), rank - 1, rank - 2])


# symgen: _scores_of b2eecf71783f4eca
def _scores_of(query: ir.Value, key: ir.Value, scale: float | None) -> ir.Value:
    """scale · query · keyᵀ: both factors take the root of the scale, so that no product overflows before it."""
    if scale is None:
        root = op.Sqrt(op.Reciprocal(op.Sqrt(_cast_like(_size(query, _rank(query) - 1), query))))
        query, key = op.Mul(query, root), op.Mul(key, root)
    else:
        root = math.sqrt(abs(scale))
        query, key = op.Mul(query, -root if scale < 0.0 else root), op.Mul(key, root)
    return op.MatMul(query, _swap_last_axes(key))


# symgen: _stand_side_by_side 4be44f25a3acaea8
def _stand_side_by_side(query: ir.Value, key: ir.Value, value: ir.Value) -> bool:
    """Whether all are of rank 4, with as many batches and heads, and none of their lengths is known to be 0."""
    if _rank(query) != 4 or _rank(key) != 4 or _rank(value) != 4:
        return False
    sizes = [[_static_size(x, axis) for axis in range(4)] for x in (query, key, value)]
    return sizes[0][:2] == sizes[1][:2] == sizes[2][:2] and 0 not in sizes[0] + sizes[1] + sizes[2]


# symgen: aten_scaled_dot_product_attention 28e0d915f8a2dd4c
@torch_op("aten::scaled_dot_product_attention", registry=REGISTRIES[18], trace_only=True)
@_promoted("query", "key", "value", kind="LIKE_FIRST")
def aten_scaled_dot_product_attention(
    query: TFloat,
    key: TFloat,
    value: TFloat,
    attn_mask: TTensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> TFloat:
    """scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor

    softmax(scale · query · keyᵀ + mask) · value; a query that no key is left for gets 0

    Source: `_scaled_dot_product_attention_math` in torch.
    """
    if enable_gqa:
        heads = _size(query, _rank(query) - 3)
        key, value = _repeated_heads(key, heads), _repeated_heads(value, heads)
    scores = _scores_of(query, key, scale)
    if attn_mask is not None and _dtype(attn_mask) != torch.bool:
        mask = _cast_like(attn_mask, query)
        allowed = op.Not(op.Equal(mask, _scalar(float("-inf"), mask)))
        scores = op.Add(scores, mask)
    elif attn_mask is not None or is_causal:
        allowed = _is_not_later(query, key) if attn_mask is None else attn_mask
        if attn_mask is not None and is_causal:
            allowed = op.And(allowed, _is_not_later(query, key))
        scores = op.Where(allowed, scores, _scalar(float("-inf"), scores))
    weights = op.Softmax(scores, axis=_rank(scores) - 1)
    if attn_mask is not None:
        weights = op.Where(allowed, weights, _scalar(0.0, weights))
    if dropout_p > 0.0:
        weights = _dropped_out(weights, dropout_p)
    return op.MatMul(weights, value)


# symgen: aten_scaled_dot_product_attention_opset23 9031eb16364601aa
@torch_op("aten::scaled_dot_product_attention", registry=REGISTRIES[23], trace_only=True)
@_promoted("query", "key", "value", kind="LIKE_FIRST")
def aten_scaled_dot_product_attention_opset23(
    query: TFloat,
    key: TFloat,
    value: TFloat,
    attn_mask: TTensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> TFloat:
    """scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor

    softmax(scale · query · keyᵀ + mask) · value; a query that no key is left for gets 0

    Source: `_scaled_dot_product_attention_math` in torch.
    """
    # The runtime's Attention attends to all keys alike where a mask hides every one, and takes no negative scale.
    is_plain = attn_mask is None and dropout_p == 0.0 and (scale is None or scale > 0.0)
    if is_plain and _dtype(query) == torch.float32 and _stand_side_by_side(query, key, value):
        return _listed(opset23.Attention(query, key, value, is_causal=int(is_causal), scale=scale))[
            0
        ]
    if enable_gqa:
        heads = _size(query, _rank(query) - 3)
        key, value = _repeated_heads(key, heads), _repeated_heads(value, heads)
    scores = _scores_of(query, key, scale)
    if attn_mask is not None and _dtype(attn_mask) != torch.bool:
        mask = _cast_like(attn_mask, query)
        allowed = op.Not(op.Equal(mask, _scalar(float("-inf"), mask)))
        scores = op.Add(scores, mask)
    elif attn_mask is not None or is_causal:
        allowed = _is_not_later(query, key) if attn_mask is None else attn_mask
        if attn_mask is not None and is_causal:
            allowed = op.And(allowed, _is_not_later(query, key))
        scores = op.Where(allowed, scores, _scalar(float("-inf"), scores))
    weights = op.Softmax(scores, axis=_rank(scores) - 1)
    if attn_mask is not None:
        weights = op.Where(allowed, weights, _scalar(0.0, weights))
    if dropout_p > 0.0:
        weights = _dropped_out(weights, dropout_p)
    return op.MatMul(weights, value)
