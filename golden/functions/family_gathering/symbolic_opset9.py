"""ONNX symbolic functions, right from opset 9 on."""

from __future__ import annotations

import functools

import torch
from torch import _C
from torch.onnx._internal.torchscript_exporter import jit_utils, registration, symbolic_helper

__all__ = ["take"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)


# symgen: aten::take 6459a219ed724f98
@_onnx_symbolic("aten::take")
@symbolic_helper.parse_args("v", "v")
def take(g: jit_utils.GraphContext, input: _C.Value, index: _C.Value) -> _C.Value:
    """take(Tensor self, Tensor index) -> Tensor

    The elements at some places of the flattened tensor.
    """
    return g.op(
        "Gather",
        g.op("Reshape", input, g.op("Constant", value_t=torch.tensor([-1]))),
        index,
        axis_i=0,
    )
