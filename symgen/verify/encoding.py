"""Tensors as text, and back."""

from __future__ import annotations

import base64
from collections.abc import Sequence

import torch


def encode(tensor: torch.Tensor) -> str:
    """The elements' bytes, in order."""
    if not tensor.numel():
        return ""
    plain = tensor.detach().clone(memory_format=torch.contiguous_format)
    return base64.b64encode(plain.view(-1).view(torch.uint8).numpy().tobytes()).decode()


def decode(text: str, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """The tensor whose elements `encode` gave."""
    if not text:
        return torch.empty(tuple(shape), dtype=dtype)
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=dtype).reshape(tuple(shape))
