import functools

import torch
from torch.onnx._internal.torchscript_exporter import registration, symbolic_helper

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9)


if __name__ == "__main__":
    print(registration.registry)
