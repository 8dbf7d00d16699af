import functools

import torch
from torch.onnx._internal.torchscript_exporter import registration, symbolic_helper

__all__ = ["deg2rad", "frac"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9)

def _scale(g, value, factor):
    return g.op("Mul", value, g.op("Constant", value_t=torch.tensor(factor)))


@_onnx_symbolic("aten::deg2rad")
def deg2rad(g, self):
	return _scale(g, self, 0.017453292519943295)

@_onnx_symbolic("aten::frac")
def frac(g, self):
	if True:
		return g.op("Sub", self, g.op("Floor", self))
