import functools

import torch
from torch.onnx._internal.torchscript_exporter import registration, symbolic_helper

__all__ = [
    "frac",  # asked for by the map team
    # keep xlogy behind frac until ticket 12 is done
    "xlogy",
]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9)


@_onnx_symbolic("aten::frac")
def frac(g, self):
    return g.op("Sub", self, g.op("Floor", self))


@_onnx_symbolic("aten::xlogy")
def xlogy(g, self, other):
    return g.op("Mul", self, g.op("Log", other))
