import functools

from torch.onnx._internal.torchscript_exporter import registration

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9)


@_onnx_symbolic("aten::frac")
def frac(g, self):
    import torch
    from torch import _C
    return g.op("Sub", self, g.op("Constant", value_t=torch.tensor(1.0)))
