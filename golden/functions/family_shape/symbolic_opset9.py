"""ONNX symbolic functions, right from opset 9 on."""

from __future__ import annotations

import functools

from torch import _C
from torch.onnx._internal.torchscript_exporter import jit_utils, registration, symbolic_helper

__all__ = ["_lazy_clone"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)


# symgen: aten::_lazy_clone 346422a228b9b3b2
@_onnx_symbolic("aten::_lazy_clone")
@symbolic_helper.parse_args("v")
def _lazy_clone(g: jit_utils.GraphContext, input: _C.Value) -> _C.Value:
    """_lazy_clone(Tensor self) -> Tensor

    The tensor itself.
    """
    return g.op("Identity", input)
