"""Attention: values weighted by how well their keys answer to a query."""

import math

from symgen.match.decompositions.differences import as_single
from symgen.match.decompositions.matrices import swap_last_axes
from symgen.match.decompositions.places import places_along, with_shape
from symgen.match.decompositions.random import uniform_like
from symgen.match.language import decomposition, helper, torch


@helper
def repeated_heads(op, x, heads):
    """Each head of keys or values (third axis from the end) over and over, so that there are as many as of queries."""
    axis = op.rank(x) - 3
    own, shape = op.size(x, axis), op.Shape(x)
    before, after = op.Slice(shape, [0], [axis]), op.Slice(shape, [axis + 1], [axis + 3])
    repeated = op.Expand(op.Unsqueeze(x, [axis + 1]), op.Concat(before, own, op.Div(heads, own), after, axis=0))
    return with_shape(op, repeated, op.Concat(before, heads, after, axis=0), axis + 3)


@helper
def is_not_later(op, query, key):
    """Whether each key (column) stands no later than each query (row)."""
    rows, columns = places_along(op, query, op.rank(query) - 2), places_along(op, key, op.rank(key) - 2)
    return op.LessOrEqual(op.Unsqueeze(columns, [0]), op.Unsqueeze(rows, [1]))


@helper
def scores_of(op, query, key, scale: float | None):
    """scale · query · keyᵀ: both factors take the root of the scale, so that no product overflows before it."""
    if scale is None:
        root = op.Sqrt(op.Reciprocal(op.Sqrt(op.cast(op.size(query, op.rank(query) - 1), like=query))))
        query, key = query * root, key * root
    else:
        root = math.sqrt(abs(scale))
        query, key = query * (-root if scale < 0.0 else root), key * root
    return op.MatMul(query, swap_last_axes(op, key))


@helper
def dropped_out(op, x, share: float):
    """That share of the elements made 0, the others larger in turn; the runtime takes a Dropout that is at work out."""
    lot = uniform_like(op, x)
    kept = x if share == 1.0 else x * (1.0 / (1.0 - share))
    return op.Where(lot >= share, kept, op.constant(0.0, like=x))


@helper
def stand_side_by_side(op, query, key, value) -> bool:
    """Whether all are of rank 4, with as many batches and heads, and none of their lengths is known to be 0."""
    if op.rank(query) != 4 or op.rank(key) != 4 or op.rank(value) != 4:
        return False
    sizes = [[op.static_size(x, axis) for axis in range(4)] for x in (query, key, value)]
    return sizes[0][:2] == sizes[1][:2] == sizes[2][:2] and 0 not in sizes[0] + sizes[1] + sizes[2]


@decomposition("aten::scaled_dot_product_attention", promote=("query", "key", "value"), kind="LIKE_FIRST")
def scaled_dot_product_attention(op, query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa):
    """softmax(scale · query · keyᵀ + mask) · value; a query that no key is left for gets 0

    Source: `_scaled_dot_product_attention_math` in torch.
    """
    # The runtime's Attention attends to all keys alike where a mask hides every one, and takes no negative scale.
    is_plain = attn_mask is None and dropout_p == 0.0 and (scale is None or scale > 0.0)
    if op.opset >= 23 and is_plain and op.dtype(query) == torch.float32 and stand_side_by_side(op, query, key, value):
        return op.Attention(query, key, value, is_causal=int(is_causal), scale=scale, outputs=1)
    if enable_gqa:
        heads = op.size(query, op.rank(query) - 3)
        key, value = repeated_heads(op, key, heads), repeated_heads(op, value, heads)
    scores = scores_of(op, query, key, scale)
    if attn_mask is not None and op.dtype(attn_mask) != torch.bool:
        mask = op.cast(attn_mask, like=query)
        allowed = op.Not(op.Equal(mask, op.constant(float("-inf"), like=mask)))
        scores = scores + mask
    elif attn_mask is not None or is_causal:
        allowed = is_not_later(op, query, key) if attn_mask is None else attn_mask
        if attn_mask is not None and is_causal:
            allowed = allowed & is_not_later(op, query, key)
        scores = op.Where(allowed, scores, op.constant(float("-inf"), like=scores))
    weights = op.Softmax(scores, axis=op.rank(scores) - 1)
    if attn_mask is not None:
        weights = op.Where(allowed, weights, op.constant(0.0, like=weights))
    if dropout_p > 0.0:
        weights = dropped_out(op, weights, dropout_p)
    return op.MatMul(weights, value)


@helper
def heads_like(op, x, query):
    """Keys or values with as many heads as the queries, of which several in a row share one."""
    heads = op.static_size(query, 1)
    return x if heads is not None and op.static_size(x, 1) == heads else repeated_heads(op, x, op.size(query, 1))


@decomposition("aten::_scaled_dot_product_flash_attention_for_cpu", promote=())
def _scaled_dot_product_flash_attention_for_cpu(op, query, key, value, dropout_p, is_causal, attn_mask, scale):
    """softmax(scale · query · keyᵀ + mask) · value, and the logarithm of each query's Σ exp(score), at least in float32

    A query that no key is left for gets 0 twice. Source: `cpu_flash_attention` in torch's FlashAttentionKernel.cpp.
    """
    if dropout_p != 0.0:
        op.fail("_scaled_dot_product_flash_attention_for_cpu: dropout_p must be 0, as in torch's kernel")
    if scale is None and op.static_size(query, 3) == 0:
        # Torch's logarithms are then 0 or nan, by how many keys there are.
        op.fail("_scaled_dot_product_flash_attention_for_cpu: scale must be given where query has no channels", query)
    q, k, v = as_single(op, query), as_single(op, key), as_single(op, value)
    scores = scores_of(op, q, heads_like(op, k, q), scale)
    if attn_mask is not None:
        scores = scores + op.cast(attn_mask, like=scores)
    if is_causal:
        scores = op.Where(is_not_later(op, q, k), scores, op.constant(-math.inf, like=scores))
    largest = op.ReduceMax(scores, axes=[3], keepdims=1)
    shift = op.Where(op.Equal(largest, op.constant(-math.inf, like=largest)), op.constant(0.0, like=largest), largest)
    weights = op.Exp(scores - shift)
    total = op.ReduceSum(weights, [3], keepdims=1)
    divisor = op.Where(op.Equal(total, 0), op.constant(1.0, like=total), total)
    output = op.MatMul(weights / divisor, heads_like(op, v, q))
    return op.cast(output, like=query), op.Squeeze(op.Log(divisor) + shift, [3])
