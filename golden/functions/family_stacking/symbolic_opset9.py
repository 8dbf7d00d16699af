"""ONNX symbolic functions, right from opset 9 on."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import torch
from torch import _C
from torch.onnx._internal.torchscript_exporter import jit_utils, registration, symbolic_helper

__all__ = ["flatten_dense_tensors"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)


# symgen: _joined e3ae50b05624270f
def _joined(g: jit_utils.GraphContext, tensors: Sequence[_C.Value], axis: int) -> _C.Value:
    """The tensors one behind the other."""
    return (
        g.op("Concat", *tensors, axis_i=axis) if len(tensors) > 1 else g.op("Identity", tensors[0])
    )


# symgen: aten::flatten_dense_tensors 0ef77d6e59d84e92
@_onnx_symbolic("aten::flatten_dense_tensors")
@symbolic_helper.parse_args("v")
def flatten_dense_tensors(g: jit_utils.GraphContext, tensors: _C.Value) -> _C.Value:
    """flatten_dense_tensors(Tensor[] tensors) -> Tensor

    The elements of all tensors in one vector.
    """
    tensors = symbolic_helper._unpack_list(tensors)
    return _joined(
        g, [g.op("Reshape", x, g.op("Constant", value_t=torch.tensor([-1]))) for x in tensors], 0
    )
