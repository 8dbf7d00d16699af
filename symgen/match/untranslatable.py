"""Operators that have no faithful translation, each with one true sentence why and what would change it."""

from __future__ import annotations

from collections.abc import Mapping

from symgen.model.names import OpName

_COMPLEX_RESULT = (
    "its result is complex, and ONNX Runtime has no operators on complex tensors; "
    "such operators, or complex tensors carried as real ones with a last axis of 2, would change that"
)
_COMPLEX_INPUT = (
    "it takes complex tensors, which the exporter cannot hand over and ONNX Runtime cannot compute with; "
    "complex graph inputs in both would change that"
)
_COMPLEX_RESULTS = (
    "chalf", "complex", "fft_fft", "fft_fft2", "fft_fftn", "fft_ifft", "fft_ifft2", "fft_ifftn", "fft_ihfft",
    "fft_ihfft2", "fft_ihfftn", "fft_rfft", "fft_rfft2", "fft_rfftn", "linalg_eig", "linalg_eigvals", "polar",
    "view_as_complex",
)  # fmt: skip
_COMPLEX_INPUTS = (
    "fft_hfft", "fft_hfft2", "fft_hfftn", "fft_irfft", "fft_irfft2", "fft_irfftn", "imag", "istft", "view_as_real",
)  # fmt: skip

REASONS: Mapping[str, str] = {
    **dict.fromkeys(_COMPLEX_RESULTS, _COMPLEX_RESULT),
    **dict.fromkeys(_COMPLEX_INPUTS, _COMPLEX_INPUT),
    "hash_tensor": "its result is uint64, which the TorchScript exporter has no type for; one that knows it would do",
    "to_sparse": (
        "ONNX models have no sparse layout for values inside a graph; "
        "a sparse tensor type for activations would change that"
    ),
}


def reason_for(op: OpName) -> str:
    """The sentence for an operator, empty where none is known."""
    return REASONS.get(op.base, "")
