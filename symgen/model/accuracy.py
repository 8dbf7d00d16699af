"""How accurate a translation is over a sweep of values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Accuracy:
    """The largest error of the exported operator in units of the last place of float32, beside eager torch's own."""

    ulps: float
    eager_ulps: float
    at: tuple[float, ...]
    """The operands at which the error is largest."""
    values: int
    """How many operands, or pairs of them, gave a finite result."""
