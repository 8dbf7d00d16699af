"""ONNX symbolic functions, right from opset 13 on."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import torch
from torch import _C
from torch.onnx._internal.torchscript_exporter import (
    _type_utils,
    jit_utils,
    registration,
    symbolic_helper,
)

__all__ = ["empty_strided"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=13, custom=True)


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


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


# symgen: _ints 94b137551f16b0c3
def _ints(g: jit_utils.GraphContext, values: Any) -> _C.Value:
    """Integers, of which some may be graph values, as one int64 tensor of shape [n]."""
    if isinstance(values, _C.Value) and symbolic_helper._is_packed_list(values):
        values = symbolic_helper._unpack_list(values)
    known = _known(values)
    if known is not None:
        return g.op("Constant", value_t=torch.tensor(known, dtype=torch.int64).reshape(-1))
    if isinstance(values, _C.Value):
        # The exporter follows a length through Unsqueeze, not through Reshape.
        if symbolic_helper._get_tensor_rank(values) == 0:
            return _cast(g, symbolic_helper._unsqueeze_helper(g, values, [0]), torch.int64)
        shape = g.op("Constant", value_t=torch.tensor([-1]))
        return _cast(g, g.op("Reshape", values, shape), torch.int64)
    runs = itertools.groupby(values, key=lambda value: _known(value) is not None)
    parts = [part for is_known, run in runs for part in ([list(run)] if is_known else run)]
    return g.op("Concat", *[_ints(g, part) for part in parts], axis_i=0)


# symgen: _zeros_of dd4b3dbe9811976d
def _zeros_of(g: jit_utils.GraphContext, size: _C.Value, dtype: torch.dtype | None) -> _C.Value:
    """Zeros, which stand in for memory without defined content; float32 where no dtype is given."""
    if dtype != torch.bfloat16:
        return g.op("ConstantOfShape", _ints(g, size), value_t=torch.zeros(1, dtype=dtype))
    # ConstantOfShape gives it from opset 20 on, and the dynamo exporter makes one of Cast and ConstantOfShape.
    return _cast(
        g,
        g.op(
            "Expand",
            g.op("Constant", value_t=torch.tensor(0.0, dtype=torch.float32)),
            _ints(g, size),
        ),
        torch.bfloat16,
    )


# symgen: _dtype_argument 46bb609b081e1e51
def _dtype_argument(dtype: int | None) -> torch.dtype | None:
    """The `torch.dtype` that a `dtype` argument stands for."""
    return None if dtype is None else _type_utils.JitScalarType(dtype).dtype()


# symgen: aten::empty_strided 9c20c1c35df91922
@_onnx_symbolic("aten::empty_strided")
@symbolic_helper.parse_args("v", "none", "i", "none", "none", "none")
def empty_strided(
    g: jit_utils.GraphContext,
    size: _C.Value,
    stride: _C.Value | None,
    dtype: int | None = None,
    layout: _C.Value | None = None,
    device: _C.Value | None = None,
    pin_memory: _C.Value | None = None,
) -> _C.Value:
    """empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    A tensor without defined content, here zeros
    """
    dtype = _dtype_argument(dtype)
    return _zeros_of(g, size, dtype)
