"""ONNX symbolic functions, right from opset 11 on."""

from __future__ import annotations

import functools

import torch
from torch import _C
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import (
    _type_utils,
    jit_utils,
    registration,
    symbolic_helper,
)

__all__ = ["cumsum"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=11, custom=True)


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


# symgen: _running_sum 0e819a79abb0cae8
def _running_sum(g: jit_utils.GraphContext, x: _C.Value, axis: int) -> _C.Value:
    """Σ of the elements up to each place, in the dtype of the tensor"""
    dtype = _dtype(x)
    if dtype == torch.float16:
        return _cast(
            g,
            g.op(
                "CumSum",
                _cast(g, x, torch.float32),
                g.op("Constant", value_t=torch.tensor(axis, dtype=torch.int64)),
            ),
            dtype,
        )
    if dtype in (torch.bool, torch.uint8, torch.int8, torch.int16):
        return _cast(
            g,
            g.op(
                "CumSum",
                _cast(g, x, torch.int32),
                g.op("Constant", value_t=torch.tensor(axis, dtype=torch.int64)),
            ),
            dtype,
        )
    return g.op("CumSum", x, g.op("Constant", value_t=torch.tensor(axis, dtype=torch.int64)))


# symgen: _summed_as c91c65afdb23f33f
def _summed_as(g: jit_utils.GraphContext, x: _C.Value, dtype: torch.dtype | None) -> _C.Value:
    """The tensor in the dtype of its sum: the one asked for, else int64 for whole numbers."""
    if dtype is not None:
        return _cast(g, x, dtype)
    return x if _dtype(x).is_floating_point else _cast(g, x, torch.int64)


# symgen: _dtype_argument 46bb609b081e1e51
def _dtype_argument(dtype: int | None) -> torch.dtype | None:
    """The `torch.dtype` that a `dtype` argument stands for."""
    return None if dtype is None else _type_utils.JitScalarType(dtype).dtype()


# symgen: _rank 6d888dc2ea092ca6
def _rank(value: _C.Value) -> int:
    """The rank of a tensor; raises where the exporter does not know it."""
    rank = symbolic_helper._get_tensor_rank(value)
    if rank is None:
        raise errors.SymbolicValueError(
            f"the rank of {value.debugName()} is not known at export", value
        )
    return rank


# symgen: aten::cumsum e7c4cac1b01c45f1
@_onnx_symbolic("aten::cumsum")
@symbolic_helper.parse_args("v", "i", "i")
def cumsum(
    g: jit_utils.GraphContext, input: _C.Value, dim: int, dtype: int | None = None
) -> _C.Value:
    """cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor

    Σ of the elements up to each place
    """
    dtype = _dtype_argument(dtype)
    x = _summed_as(g, input, dtype)
    rank = _rank(input)
    return _running_sum(g, x, dim % rank) if rank else g.op("Identity", x)
