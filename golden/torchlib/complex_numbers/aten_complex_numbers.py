"""ONNX translations of PyTorch's operators for its dynamo exporter: complex numbers."""

from __future__ import annotations

import collections

from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TTensor
from onnxscript.onnx_opset import opset18 as op

from .tracing import _carrying_complex, _is_complex, _traced

__all__ = ["aten_view_as_real"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: aten_view_as_real 6380525e3c920169
@torch_op("aten::view_as_real", registry=REGISTRIES[18], trace_only=True)
@_carrying_complex
@_traced
def aten_view_as_real(self: TTensor) -> TTensor:
    """view_as_real(Tensor(a) self) -> Tensor(a)

    The parts of complex numbers along a new last axis
    """
    if not _is_complex(self):
        raise NotImplementedError("view_as_real: takes a complex tensor")
    return op.Identity(self)
