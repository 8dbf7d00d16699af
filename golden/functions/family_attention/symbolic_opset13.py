"""ONNX symbolic functions, right from opset 13 on."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import _C, _prims_common
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import (
    _type_utils,
    jit_utils,
    registration,
    symbolic_helper,
)

__all__ = ["scaled_dot_product_attention"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=13, custom=True)


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _stand_in 87d9265a9ee6e3b4
def _stand_in(value: _C.Value) -> Any:
    """What counts for promotion: a Python number for a constant that was one, else a tensor of the dtype and rank."""
    dtype = _dtype(value)
    rank = symbolic_helper._get_tensor_rank(value)
    if rank == 0 and value.node().kind() == "onnx::Constant":
        # The exporter turns Python numbers into constants of the widest dtype.
        number = {torch.float64: 1.0, torch.int64: 1, torch.bool: True}.get(dtype)
        if number is not None:
            return number
    return torch.empty((1,) * (1 if rank is None else rank), dtype=dtype, device="meta")


# symgen: _common_dtype f9b4d831f9ab90b3
def _common_dtype(values: Sequence[Any], kind: str) -> torch.dtype:
    """The dtype to which eager PyTorch casts the arguments."""
    tensors = [
        tensor for value in values for tensor in (value if isinstance(value, list) else [value])
    ]
    if kind == "BY_DTYPE":
        return functools.reduce(torch.promote_types, [_dtype(tensor) for tensor in tensors])
    stand_ins = [_stand_in(tensor) for tensor in tensors if not symbolic_helper._is_none(tensor)]
    rule = kind if kind in ("INT_TO_FLOAT", "BOOL_TO_LONG") else "DEFAULT"
    kinds = _prims_common.ELEMENTWISE_TYPE_PROMOTION_KIND
    return _prims_common.elementwise_dtypes(*stand_ins, type_promotion_kind=kinds[rule])[1]


# symgen: _result_dtypes 4412215f334896e2
def _result_dtypes(
    values: Sequence[Any], kind: str, widen: bool, precise: bool = False
) -> tuple[torch.dtype, torch.dtype]:
    """The dtype to compute in and the dtype of the result, by PyTorch's own promotion."""
    if kind == "DOUBLE":
        return torch.float64, torch.float64
    common = _common_dtype(values, kind)
    if kind == "COMMON":
        return common, common
    result = (
        torch.bool
        if kind == "ALWAYS_BOOL"
        else _dtype(values[0])
        if kind == "LIKE_FIRST"
        else common
    )
    if precise and common.is_floating_point:
        return torch.float64, result
    # Few ONNX operators take bfloat16, and few integers of less than 32 bits.
    if common == torch.bfloat16 or (common == torch.float16 and widen):
        return torch.float32, result
    if common in (torch.bool, torch.uint8, torch.int8, torch.int16):
        return torch.int32, result
    return common, result


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: _as_float 0538c9471ff7f181
def _as_float(g: jit_utils.GraphContext, value: _C.Value) -> _C.Value:
    """A tensor of whole numbers or bools in float32; any other as it is."""
    return value if _dtype(value).is_floating_point else _cast(g, value, torch.float32)


# symgen: _cast_all a39edfd3acb89e95
def _cast_all(g: jit_utils.GraphContext, value: Any, dtype: torch.dtype) -> Any:
    """Cast a tensor, or each tensor of a list; an absent one stays absent."""
    if isinstance(value, list):
        return [_cast(g, element, dtype) for element in value]
    return value if symbolic_helper._is_none(value) else _cast(g, value, dtype)


# symgen: _cast_back fa3185a9c5cc60f2
def _cast_back(
    g: jit_utils.GraphContext, output: Any, compute: torch.dtype, result: torch.dtype
) -> Any:
    """Cast what was computed to the dtype of the result; an output of another dtype (indices, a mask) stays."""
    if isinstance(output, list):
        return [_cast_back(g, element, compute, result) for element in output]
    if symbolic_helper._is_packed_list(output):
        elements = _cast_back(g, symbolic_helper._unpack_list(output), compute, result)
        return g.op("prim::ListConstruct", *elements)
    actual = _type_utils.JitScalarType.from_value(output, _type_utils.JitScalarType.UNDEFINED)
    if actual == _type_utils.JitScalarType.UNDEFINED or actual.dtype() == compute:
        return _cast(g, output, result)
    return output


# symgen: _keeping_double ea72d6f96587264a
def _keeping_double(g: jit_utils.GraphContext) -> jit_utils.GraphContext:
    """The context, but in which 0-d float64 stays what it is: the exporter takes it for a Python number of float32."""

    def dtypes_of(values: Sequence[Any]) -> set[str]:
        return {value.type().scalarType() for value in values if isinstance(value, _C.Value)} - {
            "Bool"
        }

    class Context(jit_utils.GraphContext):
        def op(self, opname: str, *raw_args: Any, outputs: int = 1, **kwargs: Any) -> Any:
            is_double = dtypes_of(raw_args) == {"Double"}
            if is_double and opname in (
                "Equal",
                "Greater",
                "Less",
                "GreaterOrEqual",
                "LessOrEqual",
            ):
                if all(symbolic_helper._get_tensor_rank(value) == 0 for value in raw_args):
                    first = symbolic_helper._unsqueeze_helper(self, raw_args[0], [0])
                    return symbolic_helper._squeeze_helper(
                        self, super().op(opname, first, raw_args[1]), [0]
                    )
            result = super().op(opname, *raw_args, outputs=outputs, **kwargs)
            if is_double and opname in (
                "Add",
                "Sub",
                "Mul",
                "Div",
                "Pow",
                "Mod",
                "Max",
                "Min",
                "Where",
                "Sum",
            ):
                result.setType(result.type().with_dtype(torch.float64))
            return result

    return Context(**{field.name: getattr(g, field.name) for field in dataclasses.fields(g)})


# symgen: _unpacked b814708eb7f41339
def _unpacked(value: Any) -> Any:
    """The tensors of a list; any other value as it is."""
    is_list = isinstance(value, _C.Value) and symbolic_helper._is_packed_list(value)
    return symbolic_helper._unpack_list(value) if is_list else value


# symgen: _promoted 8a0bc3373a986882
def _promoted(
    *names: str,
    kind: str = "DEFAULT",
    widen: bool = True,
    precise: bool = False,
    as_float: Sequence[str] = (),
    unrounded: Sequence[str] = (),
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Cast the named arguments to their common dtype, as eager PyTorch promotes them, and the results back.

    With `widen`, half precision is computed in float32, with `precise` all floating point in float64. Integers that
    ONNX operators do not take, and bool, are computed in int32. Whole numbers in `as_float` count as float32. Numbers
    and 0-d tensors in `unrounded` meet half precision as they are.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        parameters = list(inspect.signature(function).parameters)[1:]
        positions = [parameters.index(name) for name in names]

        @functools.wraps(function)
        def wrapper(g: jit_utils.GraphContext, *args: Any, **kwargs: Any) -> Any:
            present = [position for position in positions if position < len(args)]
            cast = [
                _unpacked(value) if position in positions else value
                for position, value in enumerate(args)
            ]
            for position in map(parameters.index, as_float):
                cast[position] = _as_float(g, cast[position])
            values = [cast[position] for position in present]
            compute, result = _result_dtypes(values, kind, widen, precise)
            common = compute if kind == "DOUBLE" else _common_dtype(values, kind)
            for position in present:
                is_kept = parameters[position] in unrounded and compute.is_floating_point
                if not (is_kept and symbolic_helper._get_tensor_rank(cast[position]) == 0):
                    cast[position] = _cast_all(g, cast[position], common)
                cast[position] = _cast_all(g, cast[position], compute)
            outputs = function(
                _keeping_double(g) if compute == torch.float64 else g, *cast, **kwargs
            )
            several = outputs if isinstance(outputs, tuple) else (outputs,)
            several = tuple(_cast_back(g, output, compute, result) for output in several)
            return several if isinstance(outputs, tuple) else several[0]

        return wrapper

    return decorate


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


# symgen: _static_numel 9d9f211f8b1cf1df
def _static_numel(value: _C.Value) -> int | None:
    """The number of elements where it is known at export, else None."""
    sizes = symbolic_helper._get_tensor_sizes(value)
    return None if sizes is None or None in sizes else math.prod(sizes)


# symgen: _with_shape c6d871273a801d87
def _with_shape(g: jit_utils.GraphContext, x: _C.Value, shape: _C.Value, rank: int) -> _C.Value:
    """The tensor in a shape of that rank, which is counted out; a 0 in it is a length."""
    if _static_numel(x):
        return g.op("Reshape", x, shape)
    # Before opset 14 a 0 takes the length from x: where there is nothing, 0 is made the length of all its axes.
    flat = g.op("Reshape", x, g.op("Constant", value_t=torch.tensor([-1])))
    others = list(range(1, rank))
    if not others:
        return flat
    counts = g.op("Concat", *[g.op("Shape", flat) for _ in others], axis_i=0)
    return g.op(
        "Reshape",
        g.op(
            "Slice",
            symbolic_helper._unsqueeze_helper(g, flat, others),
            g.op("Constant", value_t=torch.tensor([0] * len(others), dtype=torch.int64)),
            counts,
            g.op("Constant", value_t=torch.tensor(others, dtype=torch.int64)),
        ),
        shape,
    )


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


# symgen: _uniform_like 19fb26e5a6f383c1
def _uniform_like(g: jit_utils.GraphContext, x: _C.Value) -> _C.Value:
    """Numbers from [0, 1) in the shape of x, in float64 where x is that, else in float32."""
    if _dtype(x) == torch.float64:
        return _cast(g, g.op("RandomUniformLike", x, dtype_i=11), torch.float64)
    return g.op("RandomUniformLike", _cast(g, x, torch.float32), dtype_i=1)


# symgen: _dropped_out 3db626d84dfb5db9
def _dropped_out(g: jit_utils.GraphContext, x: _C.Value, share: float) -> _C.Value:
    """That share of the elements made 0, the others larger in turn; the runtime takes a Dropout that is at work out."""
    lot = _uniform_like(g, x)
    kept = x if share == 1.0 else g.op("Mul", x, _scalar(g, 1.0 / (1.0 - share), x))
    return g.op(
        "Where", g.op("GreaterOrEqual", lot, _scalar(g, share, lot)), kept, _scalar(g, 0.0, x)
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


# symgen: aten::scaled_dot_product_attention e382540aa531d819
@_onnx_symbolic("aten::scaled_dot_product_attention")
@symbolic_helper.parse_args("v", "v", "v", "v", "f", "b", "f", "b")
@_promoted("query", "key", "value", kind="LIKE_FIRST")
def scaled_dot_product_attention(
    g: jit_utils.GraphContext,
    query: _C.Value,
    key: _C.Value,
    value: _C.Value,
    attn_mask: _C.Value | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> _C.Value:
    """scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor

    softmax(scale · query · keyᵀ + mask) · value; a query that no key is left for gets 0

    Source: `_scaled_dot_product_attention_math` in torch.
    """
    if enable_gqa:
        heads = _size(g, query, _rank(query) - 3)
        key, value = _repeated_heads(g, key, heads), _repeated_heads(g, value, heads)
    scores = _scores_of(g, query, key, scale)
    if not symbolic_helper._is_none(attn_mask) and _dtype(attn_mask) != torch.bool:
        mask = _cast_like(g, attn_mask, query)
        allowed = g.op("Not", g.op("Equal", mask, _scalar(g, float("-inf"), mask)))
        scores = g.op("Add", scores, mask)
    elif not symbolic_helper._is_none(attn_mask) or is_causal:
        allowed = _is_not_later(g, query, key) if symbolic_helper._is_none(attn_mask) else attn_mask
        if not symbolic_helper._is_none(attn_mask) and is_causal:
            allowed = g.op("And", allowed, _is_not_later(g, query, key))
        scores = g.op("Where", allowed, scores, _scalar(g, float("-inf"), scores))
    weights = g.op("Softmax", scores, axis_i=_rank(scores) - 1)
    if not symbolic_helper._is_none(attn_mask):
        weights = g.op("Where", allowed, weights, _scalar(g, 0.0, weights))
    if dropout_p > 0.0:
        weights = _dropped_out(g, weights, dropout_p)
    return g.op("MatMul", weights, value)
