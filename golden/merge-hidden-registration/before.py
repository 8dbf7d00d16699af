import functools
from torch.onnx._internal.torchscript_exporter import registration as _torch_registration

registration = {"frac": 9}
torch = None


@_torch_registration.onnx_symbolic("aten::frac", opset=registration["frac"])
def frac(g, self):
    return g.op("Sub", self, g.op("Floor", self))
