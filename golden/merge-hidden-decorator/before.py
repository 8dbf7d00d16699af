import functools

import torch
from torch.onnx._internal.torchscript_exporter import registration, symbolic_helper


def _onnx_symbolic(name):
    return lambda function: function


@_onnx_symbolic("aten::frac")
def frac(g, self):
    return g.op("Sub", self, g.op("Floor", self))
