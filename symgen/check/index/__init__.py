"""What rules know of torch and ONNX: built once from the installed ones, cached, and decoded name by name."""

from __future__ import annotations
