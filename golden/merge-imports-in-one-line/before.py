import functools; import torch  # one line
from torch.onnx._internal.torchscript_exporter import registration as registration

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9)


@_onnx_symbolic("aten::frac")
def frac(g, self):
    return g.op("Sub", self, g.op("Floor", self))
