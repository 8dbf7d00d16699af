import functools

import torch
from torch.onnx._internal.torchscript_exporter import registration, symbolic_helper

__all__ = ["frac", "xlogy"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9)


@_onnx_symbolic("aten::frac")
def frac(g, self):
    return g.op("Sub", self, g.op("Floor", self))


@_onnx_symbolic("aten::xlogy")
def xlogy(g, self, other):
    symbolic_helper._unimplemented("aten::hypot", "of a logarithm")
    return g.op("Mul", self, g.op("Log", other))
