import functools

import torch
from torch.onnx._internal.torchscript_exporter import registration, symbolic_helper

__all__: list[str] = []

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9)
