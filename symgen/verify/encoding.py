"""Tensors as text and as NumPy arrays, and back."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import torch


def encode(tensor: torch.Tensor) -> str:
    """The elements' bytes, in order."""
    if not tensor.numel():
        return ""
    return base64.b64encode(tensor.detach().contiguous().view(-1).view(torch.uint8).numpy().tobytes()).decode()


def decode(text: str, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """The tensor whose elements `encode` gave."""
    if not text:
        return torch.empty(tuple(shape), dtype=dtype)
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=dtype).reshape(tuple(shape))


def to_numpy(x: torch.Tensor) -> np.ndarray[Any, Any]:
    """The array with a tensor's elements; bfloat16 as onnx has it, from ml_dtypes."""
    x = x.detach().contiguous()
    if x.dtype is torch.bfloat16:
        return x.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return x.numpy()


def from_numpy(value: Any) -> list[torch.Tensor]:
    """The tensor of an array, or those of a list of arrays."""
    if isinstance(value, list):
        return [tensor for element in value for tensor in from_numpy(element)]
    array = np.array(value)
    if array.dtype == ml_dtypes.bfloat16:
        return [torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)]
    return [torch.from_numpy(array)]
