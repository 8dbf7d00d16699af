import functools

import torch
from torch.onnx._internal.torchscript_exporter import registration, symbolic_helper


def _power(power, g, self, other):
    return g.op("Pow", self, other)


_by_power = functools.partial(_power, 2)
for _opset in range(9, 12):
    registration.onnx_symbolic("aten::hypot", opset=_opset)(_by_power)
