import functools

import torch
from torch.onnx._internal.torchscript_exporter import registration, symbolic_helper

__all__ = ["frac"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9)

<<<<<<< HEAD
@_onnx_symbolic("aten::frac")
=======
@_onnx_symbolic("aten::frac", opset=[9, 13])
>>>>>>> feature/frac
def frac(g, self):
    return g.op("Sub", self, g.op("Floor", self))
