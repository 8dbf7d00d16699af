"""ONNX symbolic functions, right from opset 9 on."""

from __future__ import annotations

import functools

import torch
from torch import _C
from torch.onnx._internal.torchscript_exporter import (
    _type_utils,
    jit_utils,
    registration,
    symbolic_helper,
)

__all__ = ["_cast_Char"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: aten::_cast_Char 2fadefa0c3fb2a26
@_onnx_symbolic("aten::_cast_Char")
@symbolic_helper.parse_args("v", "none")
def _cast_Char(
    g: jit_utils.GraphContext, input: _C.Value, non_blocking: _C.Value | None = False
) -> _C.Value:
    """_cast_Char(Tensor self, bool non_blocking=False) -> Tensor

    The tensor as int8.
    """
    return _cast(g, input, torch.int8)
