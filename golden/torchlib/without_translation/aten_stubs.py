"""ONNX translations of PyTorch's operators for its dynamo exporter: stubs."""

from __future__ import annotations

import collections
from typing import Any, NoReturn

from onnxscript.function_libs.torch_lib.registration import Registry, torch_op

__all__ = ["aten_to_sparse"]

REGISTRIES: dict[int, Registry] = collections.defaultdict(Registry)
"""The translations, by the opset from which on they are valid."""


# symgen: aten_to_sparse 6f4f6b8e022c9f3a
@torch_op(
    ("aten::to_sparse.sparse_dim", "aten::to_sparse"), registry=REGISTRIES[18], trace_only=True
)
def aten_to_sparse(*args: Any, **kwargs: Any) -> NoReturn:
    """to_sparse.sparse_dim(Tensor self, int sparse_dim) -> Tensor
    to_sparse(Tensor self, *, Layout? layout=None, int[2]? blocksize=None, int? dense_dim=None) -> Tensor

    No translation: ONNX models have no sparse layout for values inside a graph; a
    sparse tensor type for activations would change that.
    """
    raise NotImplementedError(
        "aten::to_sparse has no translation to ONNX: ONNX models have no sparse "
        "layout for values inside a graph; a sparse tensor type for activations would"
        " change that"
    )
