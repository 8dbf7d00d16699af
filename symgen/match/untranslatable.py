"""Operators that have no faithful translation, each with one true sentence why and what would change it."""

from __future__ import annotations

from collections.abc import Mapping

from symgen.model.names import OpName

REASONS: Mapping[str, str] = {
    "hash_tensor": "its result is uint64, which the TorchScript exporter has no type for; one that knows it would do",
    "imag": "torch takes the imaginary part of complex tensors alone, and the exporter has none; complex graph inputs in ONNX Runtime would change that",
    "to_sparse": "ONNX models have no sparse layout for values inside a graph; a sparse tensor type for activations would change that",
}


def reason_for(op: OpName) -> str:
    """The sentence for an operator, empty where none is known."""
    return REASONS.get(op.base, "")
