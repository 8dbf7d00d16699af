"""ONNX symbolic functions, right from opset 9 on."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NoReturn

from torch import _C
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import jit_utils, registration

__all__ = ["to_sparse"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)


# symgen: _first_value 1bd77b1d147a998a
def _first_value(args: Sequence[Any]) -> _C.Value:
    """The first graph value among the arguments, for an error to point to."""
    return next(arg for arg in args if isinstance(arg, _C.Value))


# symgen: aten::to_sparse 632c41ca80ce0a5d
@_onnx_symbolic("aten::to_sparse")
def to_sparse(g: jit_utils.GraphContext, *args: Any) -> NoReturn:
    """to_sparse.sparse_dim(Tensor self, int sparse_dim) -> Tensor
    to_sparse(Tensor self, *, Layout? layout=None, int[2]? blocksize=None, int? dense_dim=None) -> Tensor

    No translation: ONNX models have no sparse layout for values inside a graph; a
    sparse tensor type for activations would change that.
    """
    raise errors.SymbolicValueError(
        "aten::to_sparse has no translation to ONNX: ONNX models have no sparse "
        "layout for values inside a graph; a sparse tensor type for activations would"
        " change that",
        _first_value(args),
    )
