"""How findings say things."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 output`, `2 outputs`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
