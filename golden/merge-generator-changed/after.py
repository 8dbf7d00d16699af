import functools

from torch import _C
from torch.onnx._internal.torchscript_exporter import jit_utils
from torch.onnx._internal.torchscript_exporter import registration, symbolic_helper

__all__ = ["frac", "hypot", "xlogy"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9)


@_onnx_symbolic("aten::frac")
def frac(g, self):
    return g.op("Sub", self, g.op("Floor", self))


# symgen: aten::hypot 07bddb19a2a36d82
@_onnx_symbolic("aten::hypot", custom=True)
def hypot(g: jit_utils.GraphContext, input: _C.Value, other: _C.Value) -> _C.Value:
    """hypot(Tensor input, Tensor other) -> Tensor"""
    squares = [g.op("Mul", each, each) for each in (input, other)]
    scale = g.op("Constant", value_t=None)
    return g.op("Sqrt", g.op("Mul", scale, g.op("Add", *squares)))


@_onnx_symbolic("aten::xlogy")
def xlogy(g, self, other):
    return g.op("Mul", self, g.op("Log", other))
