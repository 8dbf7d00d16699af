"""Operators that have no faithful translation, each with one true sentence why and what would change it."""

from __future__ import annotations

from collections.abc import Mapping

from symgen.model.names import OpName

_EIGENVALUES = (
    "it takes iterations on a Hessenberg form that split the matrix where its numbers allow it, step by step; "
    "an operator for eigenvalues in ONNX would change that"
)
_HALF = (
    "its result is of complex numbers in half precision, which the TorchScript exporter has no type for; "
    "one that knows it would do"
)

REASONS: Mapping[str, str] = {
    "broadcast_shapes": (
        "it takes and gives Python numbers only, so that no graph ever holds it; a graph of shapes would change that"
    ),
    **dict.fromkeys(("linalg_eig", "linalg_eigvals"), _EIGENVALUES),
    "chalf": _HALF,
    "hash_tensor": "its result is uint64, which the TorchScript exporter has no type for; one that knows it would do",
    "to_sparse": (
        "ONNX models have no sparse layout for values inside a graph; "
        "a sparse tensor type for activations would change that"
    ),
}


def reason_for(op: OpName) -> str:
    """The sentence for an operator, empty where none is known."""
    return REASONS.get(op.base, "")
