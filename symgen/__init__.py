"""symgen writes ONNX symbolic functions for PyTorch operators, and proves them."""

from __future__ import annotations

__version__ = "0.1.0"
