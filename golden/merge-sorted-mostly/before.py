import functools

import torch
from torch.onnx._internal.torchscript_exporter import registration, symbolic_helper

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9)


@_onnx_symbolic("aten::acos")
def acos(g, self):
    return g.op("acos", self)


@_onnx_symbolic("aten::asin")
def asin(g, self):
    return g.op("asin", self)


@_onnx_symbolic("aten::atan")
def atan(g, self):
    return g.op("atan", self)


@_onnx_symbolic("aten::copysign")
def copysign(g, self):
    return g.op("copysign", self)


@_onnx_symbolic("aten::deg2rad")
def deg2rad(g, self):
    return g.op("deg2rad", self)


@_onnx_symbolic("aten::exp2")
def exp2(g, self):
    return g.op("exp2", self)


@_onnx_symbolic("aten::frac")
def frac(g, self):
    return g.op("frac", self)


@_onnx_symbolic("aten::isclose")
def isclose(g, self):
    return g.op("isclose", self)


@_onnx_symbolic("aten::ldexp")
def ldexp(g, self):
    return g.op("ldexp", self)


@_onnx_symbolic("aten::sinc")
def sinc(g, self):
    return g.op("sinc", self)


@_onnx_symbolic("aten::xlogy")
def xlogy(g, self):
    return g.op("xlogy", self)


@_onnx_symbolic("aten::fmax")
def fmax(g, self):
    return g.op("fmax", self)
