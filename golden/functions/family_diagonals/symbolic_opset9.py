"""ONNX symbolic functions, right from opset 9 on."""

from __future__ import annotations

import functools

import torch
from torch import _C
from torch.onnx._internal.torchscript_exporter import (
    _type_utils,
    jit_utils,
    registration,
    symbolic_helper,
)

__all__ = ["tril_indices"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)


# symgen: _dtype_argument 46bb609b081e1e51
def _dtype_argument(dtype: int | None) -> torch.dtype | None:
    """The `torch.dtype` that a `dtype` argument stands for."""
    return None if dtype is None else _type_utils.JitScalarType(dtype).dtype()


# symgen: aten::tril_indices bc5f3e793d87b801
@_onnx_symbolic("aten::tril_indices")
@symbolic_helper.parse_args("i", "i", "i", "i", "none", "none", "none")
def tril_indices(
    g: jit_utils.GraphContext,
    row: int,
    col: int,
    offset: int = 0,
    dtype: int | None = None,
    layout: _C.Value | None = None,
    device: _C.Value | None = None,
    pin_memory: _C.Value | None = None,
) -> _C.Value:
    """tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor

    The places on and below a diagonal, row by row.
    """
    dtype = _dtype_argument(dtype)
    return g.op(
        "Constant",
        value_t=torch.tensor(
            torch.tril_indices(row, col, offset).tolist(), dtype=dtype or torch.int64
        ),
    )
