"""ONNX symbolic functions, right from opset 18 on."""

from __future__ import annotations

import functools
import math
from typing import Any

import torch
from torch import _C
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import (
    _type_utils,
    jit_utils,
    registration,
    symbolic_helper,
)

__all__ = ["_scaled_dot_product_flash_attention_for_cpu"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=18, custom=True)


# symgen: _known 07c1363a5c94cc6e
def _known(value: Any) -> Any:
    """The Python number, list of numbers, or text in a constant value; None where it is known only when the model runs."""
    if symbolic_helper._is_none(value):
        return None
    if isinstance(value, _C.Value) and symbolic_helper._is_packed_list(value):
        value = symbolic_helper._unpack_list(value)
    if isinstance(value, (list, tuple)):
        elements = [_known(element) for element in value]
        if None in elements:
            return None
        return [
            number for part in elements for number in (part if isinstance(part, list) else [part])
        ]
    if isinstance(value, _C.Value):
        value = (
            value.toIValue()
            if value.node().kind() == "prim::Constant"
            else symbolic_helper._maybe_get_const(value, "t")
        )
    if isinstance(value, torch.Tensor):
        return value.tolist()
    return value if isinstance(value, (int, float, str, list)) else None


# symgen: _static_size 11ff0519ee8bff60
def _static_size(value: _C.Value, axis: int) -> int | None:
    """The length of an axis where it is known at export, else None."""
    known = symbolic_helper._get_tensor_dim_size(value, axis)
    if known is None and value.node().kind() == "onnx::Reshape":
        # Nodes that the exporter's own passes made have no inferred shapes.
        sizes = _known(list(value.node().inputs())[1])
        known = sizes[axis] if sizes is not None and sizes[axis] > 0 else None
    return known


# symgen: _rank 6d888dc2ea092ca6
def _rank(value: _C.Value) -> int:
    """The rank of a tensor; raises where the exporter does not know it."""
    rank = symbolic_helper._get_tensor_rank(value)
    if rank is None:
        raise errors.SymbolicValueError(
            f"the rank of {value.debugName()} is not known at export", value
        )
    return rank


# symgen: _size c55557e33fa7e33f
def _size(g: jit_utils.GraphContext, value: _C.Value, axis: int) -> _C.Value:
    """The length of an axis as an int64 tensor of shape [1], also where it is dynamic."""
    known = _static_size(value, axis)
    if known is not None:
        return g.op("Constant", value_t=torch.tensor([known], dtype=torch.int64))
    if axis < 0:
        axis += _rank(value)
    return g.op(
        "Gather", g.op("Shape", value), g.op("Constant", value_t=torch.tensor([axis])), axis_i=0
    )


# symgen: _cast_like 7ccf97423759ad9a
def _cast_like(g: jit_utils.GraphContext, value: _C.Value, like: _C.Value) -> _C.Value:
    """The tensor in the dtype of `like`, also where that is unknown at export."""
    known = _type_utils.JitScalarType.from_value(like, _type_utils.JitScalarType.UNDEFINED)
    if known != _type_utils.JitScalarType.UNDEFINED:
        return symbolic_helper._maybe_cast_to_type(g, value, known)
    if g.opset < 15:
        raise errors.SymbolicValueError(
            "a dtype that is unknown at export needs opset 15 (CastLike)", like
        )
    return g.op("CastLike", value, like)


# symgen: _scalar 9451145ccc11ca13
def _scalar(g: jit_utils.GraphContext, number: Any, like: _C.Value) -> _C.Value:
    """A constant of the dtype of `like`, also where that is unknown at export."""
    known = _type_utils.JitScalarType.from_value(like, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        return _cast_like(g, g.op("Constant", value_t=torch.tensor(number)), like)
    return g.op("Constant", value_t=torch.tensor(number, dtype=known.dtype()))


# symgen: _swap_last_axes 98dda34671a0f2bb
def _swap_last_axes(g: jit_utils.GraphContext, matrix: _C.Value) -> _C.Value:
    """The transposed matrices."""
    rank = _rank(matrix)
    return g.op("Transpose", matrix, perm_i=[*range(rank - 2), rank - 1, rank - 2])


# symgen: _scores_of ac4ace32d42b0f81
def _scores_of(
    g: jit_utils.GraphContext, query: _C.Value, key: _C.Value, scale: float | None
) -> _C.Value:
    """scale · query · keyᵀ: both factors take the root of the scale, so that no product overflows before it."""
    if scale is None:
        root = g.op(
            "Sqrt",
            g.op(
                "Reciprocal", g.op("Sqrt", _cast_like(g, _size(g, query, _rank(query) - 1), query))
            ),
        )
        query, key = g.op("Mul", query, root), g.op("Mul", key, root)
    else:
        root = math.sqrt(abs(scale))
        query, key = (
            g.op("Mul", query, _scalar(g, -root if scale < 0.0 else root, query)),
            g.op("Mul", key, _scalar(g, root, key)),
        )
    return g.op("MatMul", query, _swap_last_axes(g, key))


# symgen: _with_shape 2417d253dfe2ae88
def _with_shape(g: jit_utils.GraphContext, x: _C.Value, shape: _C.Value, rank: int) -> _C.Value:
    """The tensor in a shape of that rank, which is counted out; a 0 in it is a length."""
    return g.op("Reshape", x, shape, allowzero_i=1)


# symgen: _repeated_heads 1dfd469e6f6c3a4e
def _repeated_heads(g: jit_utils.GraphContext, x: _C.Value, heads: _C.Value) -> _C.Value:
    """Each head of keys or values (third axis from the end) over and over, so that there are as many as of queries."""
    axis = _rank(x) - 3
    own, shape = _size(g, x, axis), g.op("Shape", x)
    before, after = (
        g.op(
            "Slice",
            shape,
            g.op("Constant", value_t=torch.tensor([0])),
            g.op("Constant", value_t=torch.tensor([axis], dtype=torch.int64)),
        ),
        g.op(
            "Slice",
            shape,
            g.op("Constant", value_t=torch.tensor([axis + 1], dtype=torch.int64)),
            g.op("Constant", value_t=torch.tensor([axis + 3], dtype=torch.int64)),
        ),
    )
    repeated = g.op(
        "Expand",
        symbolic_helper._unsqueeze_helper(g, x, [axis + 1]),
        g.op("Concat", before, own, g.op("Div", heads, own), after, axis_i=0),
    )
    return _with_shape(g, repeated, g.op("Concat", before, heads, after, axis_i=0), axis + 3)


# symgen: _heads_like d21d29eabdd71651
def _heads_like(g: jit_utils.GraphContext, x: _C.Value, query: _C.Value) -> _C.Value:
    """Keys or values with as many heads as the queries, of which several in a row share one."""
    heads = _static_size(query, 1)
    return (
        x
        if heads is not None and _static_size(x, 1) == heads
        else _repeated_heads(g, x, _size(g, query, 1))
    )


# symgen: _places_along dd91dc33e7428d59
def _places_along(g: jit_utils.GraphContext, x: _C.Value, axis: int) -> _C.Value:
    """0, 1 … n − 1 for an axis of length n."""
    size = _static_size(x, axis)
    if size is not None:
        return g.op("Constant", value_t=torch.tensor(list(range(size)), dtype=torch.int64))
    return g.op(
        "Range",
        g.op("Constant", value_t=torch.tensor(0, dtype=torch.int64)),
        symbolic_helper._squeeze_helper(g, _size(g, x, axis), [0]),
        g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
    )


# symgen: _is_not_later ef9fb0543610e1b9
def _is_not_later(g: jit_utils.GraphContext, query: _C.Value, key: _C.Value) -> _C.Value:
    """Whether each key (column) stands no later than each query (row)."""
    rows, columns = _places_along(g, query, _rank(query) - 2), _places_along(g, key, _rank(key) - 2)
    return g.op(
        "LessOrEqual",
        symbolic_helper._unsqueeze_helper(g, columns, [0]),
        symbolic_helper._unsqueeze_helper(g, rows, [1]),
    )


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _as_single 0cc2ff2143414345
def _as_single(g: jit_utils.GraphContext, x: _C.Value) -> _C.Value:
    """Whole numbers and half precision as float32."""
    return _cast(g, x, torch.float64 if _dtype(x) == torch.float64 else torch.float32)


# symgen: aten::_scaled_dot_product_flash_attention_for_cpu a269084adea73f07
@_onnx_symbolic("aten::_scaled_dot_product_flash_attention_for_cpu")
@symbolic_helper.parse_args("v", "v", "v", "f", "b", "v", "f")
def _scaled_dot_product_flash_attention_for_cpu(
    g: jit_utils.GraphContext,
    query: _C.Value,
    key: _C.Value,
    value: _C.Value,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    attn_mask: _C.Value | None = None,
    scale: float | None = None,
) -> tuple[_C.Value, ...]:
    """_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float dropout_p=0.0, bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)

    softmax(scale · query · keyᵀ + mask) · value, and the logarithm of each query's Σ
    exp(score), at least in float32

    A query that no key is left for gets 0 twice. Source: `cpu_flash_attention` in
    torch's FlashAttentionKernel.cpp.
    """
    if dropout_p != 0.0:
        raise errors.SymbolicValueError(
            "_scaled_dot_product_flash_attention_for_cpu: dropout_p must be 0, as in torch's kernel",
            query,
        )
    if scale is None and _static_size(query, 3) == 0:
        # Torch's logarithms are then 0 or nan, by how many keys there are.
        raise errors.SymbolicValueError(
            "_scaled_dot_product_flash_attention_for_cpu: scale must be given where query has no channels",
            query,
        )
    q, k, v = _as_single(g, query), _as_single(g, key), _as_single(g, value)
    scores = _scores_of(g, q, _heads_like(g, k, q), scale)
    if not symbolic_helper._is_none(attn_mask):
        scores = g.op("Add", scores, _cast_like(g, attn_mask, scores))
    if is_causal:
        scores = g.op("Where", _is_not_later(g, q, k), scores, _scalar(g, -math.inf, scores))
    largest = g.op("ReduceMax", scores, g.op("Constant", value_t=torch.tensor([3])), keepdims_i=1)
    shift = g.op(
        "Where",
        g.op("Equal", largest, _scalar(g, -math.inf, largest)),
        _scalar(g, 0.0, largest),
        largest,
    )
    weights = g.op("Exp", g.op("Sub", scores, shift))
    total = symbolic_helper._reducesum_helper(g, weights, axes_i=[3], keepdims_i=1)
    divisor = g.op(
        "Where", g.op("Equal", total, _scalar(g, 0, total)), _scalar(g, 1.0, total), total
    )
    output = g.op("MatMul", g.op("Div", weights, divisor), _heads_like(g, v, q))
    return (
        _cast_like(g, output, query),
        symbolic_helper._squeeze_helper(g, g.op("Add", g.op("Log", divisor), shift), [3]),
    )
