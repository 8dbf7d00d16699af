import functools as ft

import torch as t
from torch.onnx._internal.torchscript_exporter import registration as reg

_symbolic = ft.partial(reg.onnx_symbolic, opset=9)


@_symbolic("aten::frac")
def frac(g, self):
    return g.op("Sub", self, g.op("Floor", self))
