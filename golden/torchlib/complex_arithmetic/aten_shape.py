"""ONNX translations of PyTorch's operators for its dynamo exporter: shape."""

from __future__ import annotations

import collections

from onnxscript import INT64, ir
from onnxscript.function_libs.torch_lib.registration import Registry, torch_op
from onnxscript.function_libs.torch_lib.tensor_typing import TTensor
from onnxscript.onnx_opset import opset18 as op

from .tracing import _carried, _carrying_complex, _ints, _is_complex, _rank, _traced

__all__ = ["aten_select_int"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: _own_rank bda96f374ee1ae54
def _own_rank(x: ir.Value, is_complex: bool) -> int:
    """The rank in the model, where complex numbers have no axis for their parts."""
    return _rank(x) - int(is_complex)


# symgen: aten_select_int 7d2dd925a9d66bd3
@torch_op("aten::select.int", registry=REGISTRIES[18], trace_only=True)
@_carrying_complex
@_traced
def aten_select_int(self: TTensor, dim: int, index: INT64) -> TTensor:
    """select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)

    self[index] along an axis
    """
    axis = dim % _own_rank(self, _is_complex(self))
    part = op.Gather(self, op.Squeeze(_ints(index), [0]), axis=axis)
    return _carried(part) if _is_complex(self) else part
