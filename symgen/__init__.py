"""symgen writes ONNX symbolic functions for PyTorch operators, and proves them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symgen.pipeline.live_scan import scan

__version__ = "0.1.0"
__all__ = ["__version__", "scan"]


def __getattr__(name: str) -> Any:
    """Loads `scan`, and torch with it, when it is asked for."""
    if name == "scan":
        from symgen.pipeline.live_scan import scan

        return scan
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
