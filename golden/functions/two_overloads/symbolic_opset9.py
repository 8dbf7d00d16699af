"""ONNX symbolic functions, right from opset 9 on."""

from __future__ import annotations

import functools
from collections.abc import Sequence
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

__all__ = ["ldexp"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)


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


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: aten::ldexp 71b0fd88fb9cef94
@_onnx_symbolic("aten::ldexp")
@symbolic_helper.parse_args("v", "v")
def ldexp(g: jit_utils.GraphContext, input: _C.Value, other: _C.Value) -> _C.Value:
    """ldexp.Tensor(Tensor self, Tensor other) -> Tensor

    x · 2ⁿ
    """
    common = _common_dtype([input, other], "DEFAULT")
    if _dtype(other).is_floating_point:
        # In half precision the power by itself is infinite from n = 16 on.
        wide = torch.float64 if common == torch.float64 else torch.float32
        power = _cast_like(
            g,
            g.op(
                "Pow",
                g.op("Constant", value_t=torch.tensor(2.0, dtype=wide)),
                _cast(g, other, wide),
            ),
            other,
        )
        return _cast(g, g.op("Mul", _cast(g, input, wide), _cast(g, power, wide)), common)
    if not _dtype(input).is_floating_point:
        return g.op(
            "Mul",
            _cast(g, input, torch.float32),
            g.op(
                "Pow",
                g.op("Constant", value_t=torch.tensor(2.0, dtype=torch.float32)),
                _cast(g, other, torch.float32),
            ),
        )
    # As in C, n is an int of 32 bits. In three steps, because the power overflows before the product does, or makes nan
    # of 0; two are not enough to take the smallest numbers to the largest ones.
    x, n = _cast(g, input, torch.float64), _cast(g, _cast(g, other, torch.int32), torch.float64)
    n = g.op("Min", g.op("Max", n, _scalar(g, -3069.0, n)), _scalar(g, 3069.0, n))
    third = g.op("Floor", g.op("Div", n, _scalar(g, 3.0, n)))
    for step in (third, third, g.op("Sub", n, g.op("Mul", _scalar(g, 2.0, third), third))):
        x = g.op(
            "Mul",
            x,
            g.op("Pow", g.op("Constant", value_t=torch.tensor(2.0, dtype=torch.float64)), step),
        )
    return _cast_like(g, x, input)
