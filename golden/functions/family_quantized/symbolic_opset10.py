"""ONNX symbolic functions, right from opset 10 on."""

from __future__ import annotations

import functools

from torch import _C
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import jit_utils, registration, symbolic_helper

__all__ = ["quantized_dropout"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=10, custom=True)


# symgen: quantized::dropout 70c28930b107576e
@_onnx_symbolic("quantized::dropout")
@symbolic_helper.parse_args("v", "none", "none", "none", "b")
def quantized_dropout(
    g: jit_utils.GraphContext,
    self: _C.Value,
    output_scale: _C.Value | None,
    output_zero_point: _C.Value | None,
    p: _C.Value | None = 0.5,
    training: bool = False,
) -> _C.Value:
    """quantized::dropout(Tensor self, float output_scale, int output_zero_point, Scalar p=0.5, bool training=False) -> Tensor

    x
    """
    if training:
        raise errors.SymbolicValueError(
            "quantized::dropout: training other than False has no translation", self
        )
    return self
