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

__all__ = ["is_signed"]

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


# symgen: aten::is_signed 36f6ab571c3241fd
@_onnx_symbolic("aten::is_signed")
@symbolic_helper.parse_args("v")
def is_signed(g: jit_utils.GraphContext, input: _C.Value) -> _C.Value:
    """is_signed(Tensor self) -> bool

    Whether the dtype has negative numbers.
    """
    return g.op("Constant", value_t=torch.tensor(_dtype(input).is_signed, dtype=torch.bool))
