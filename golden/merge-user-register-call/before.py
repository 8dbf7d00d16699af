import functools

import torch
from torch.onnx._internal.torchscript_exporter import registration, symbolic_helper


def register():
    torch.onnx.register_custom_op_symbolic("aten::hypot", lambda g, a, b: g.op("Sqrt", a), 9)
