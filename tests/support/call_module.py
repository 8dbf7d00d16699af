"""A call as a module, for scripts that export it."""

from __future__ import annotations

from collections.abc import Callable

import torch

Call = Callable[[torch.Tensor], torch.Tensor]


class CallModule(torch.nn.Module):
    """A call as a module."""

    def __init__(self, call: Call) -> None:
        """Keeps the call."""
        super().__init__()
        self.call = call

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Makes the call."""
        return self.call(x)
