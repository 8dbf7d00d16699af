"""ONNX symbolic functions, right from opset 9 on."""

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

__all__ = ["conv_tbc"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)


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


# symgen: aten::conv_tbc 1b4dc9f7d9a99ab2
@_onnx_symbolic("aten::conv_tbc")
@symbolic_helper.parse_args("v", "v", "v", "i")
def conv_tbc(
    g: jit_utils.GraphContext, input: _C.Value, weight: _C.Value, bias: _C.Value, pad: int = 0
) -> _C.Value:
    """conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor

    A convolution along the first axis, (time, batch, channels), with weights (kernel,
    in, out)
    """
    dtype = _dtype(input)
    if not dtype.is_floating_point:
        raise errors.SymbolicValueError("conv_tbc: ONNX convolves floating point only", input)
    x = g.op("Transpose", _as_single(g, input), perm_i=[1, 2, 0])
    w = g.op("Transpose", _cast_like(g, weight, x), perm_i=[2, 1, 0])
    y = g.op("Conv", x, w, _cast_like(g, bias, x), pads_i=[pad, pad])
    return _cast(g, g.op("Transpose", y, perm_i=[2, 0, 1]), dtype)
