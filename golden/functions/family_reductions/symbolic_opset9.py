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

__all__ = ["is_nonzero"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: aten::is_nonzero afce725b4d6fe5a6
@_onnx_symbolic("aten::is_nonzero")
@symbolic_helper.parse_args("v")
def is_nonzero(g: jit_utils.GraphContext, input: _C.Value) -> _C.Value:
    """is_nonzero(Tensor self) -> bool

    Whether the only element is not zero.
    """
    return _cast(
        g,
        g.op("Reshape", input, g.op("Constant", value_t=torch.tensor([], dtype=torch.int64))),
        torch.bool,
    )
