import functools

import torch
from torch.onnx._internal.torchscript_exporter import registration, symbolic_helper

EPSILON = 1e-6
"""What counts as nothing."""
