"""ONNX symbolic functions, right from opset 10 on."""

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

__all__ = ["diff"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=10, custom=True)


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


# symgen: _part_of b4ee55713ce8dd52
def _part_of(
    g: jit_utils.GraphContext, x: _C.Value, axis: int, start: int, end: int | None
) -> _C.Value:
    """x[start:end] along an axis; negative places count from the end."""
    return g.op(
        "Slice",
        x,
        g.op("Constant", value_t=torch.tensor([start], dtype=torch.int64)),
        g.op(
            "Constant",
            value_t=torch.tensor([9223372036854775807 if end is None else end], dtype=torch.int64),
        ),
        g.op("Constant", value_t=torch.tensor([axis], dtype=torch.int64)),
    )


# symgen: _differences 895f98eea3a998cf
def _differences(g: jit_utils.GraphContext, x: _C.Value, axis: int) -> _C.Value:
    """x[1:] − x[:-1] along an axis"""
    return g.op("Sub", _part_of(g, x, axis, 1, None), _part_of(g, x, axis, 0, -1))


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: _rank 6d888dc2ea092ca6
def _rank(value: _C.Value) -> int:
    """The rank of a tensor; raises where the exporter does not know it."""
    rank = symbolic_helper._get_tensor_rank(value)
    if rank is None:
        raise errors.SymbolicValueError(
            f"the rank of {value.debugName()} is not known at export", value
        )
    return rank


# symgen: aten::diff 35000fc56fbc7302
@_onnx_symbolic("aten::diff")
@symbolic_helper.parse_args("v", "i", "i", "v", "v")
def diff(
    g: jit_utils.GraphContext,
    input: _C.Value,
    n: int = 1,
    dim: int = -1,
    prepend: _C.Value | None = None,
    append: _C.Value | None = None,
) -> _C.Value:
    """diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor

    The n-th difference along an axis; of bools, whether neighbours differ.
    """
    if n == 0:
        return g.op("Identity", input)
    axis = dim % _rank(input)
    ends = [value for value in (prepend, input, append) if not symbolic_helper._is_none(value)]
    dtype = _common_dtype([*ends], "DEFAULT")
    result = (
        g.op("Concat", *[_cast(g, end, dtype) for end in ends], axis_i=axis)
        if len(ends) > 1
        else g.op("Identity", input)
    )
    if dtype == torch.bool:
        for _ in range(n):
            result = g.op(
                "Xor", _part_of(g, result, axis, 1, None), _part_of(g, result, axis, 0, -1)
            )
        return result
    if dtype in (torch.uint8, torch.int8, torch.int16):
        result = _cast(g, result, torch.int32)
    for _ in range(n):
        result = _differences(g, result, axis)
    return _cast(g, result, dtype)
