"""What stands around a checked file: other files that register, and tests. Pure checks see nothing there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from symgen.model.location import Location


class NeighbourRegistration(NamedTuple):
    """What another file of the same folder registers, without condition, at one opset."""

    opset: int
    custom: bool | None
    location: Location


class Surroundings(Protocol):
    """Answers about the folder of a checked file and the project's tests."""

    def neighbours(self, op: str) -> Sequence[NeighbourRegistration]:
        """What the other files of the folder register for an operator."""

    def is_tested(self, op: str, function: str) -> bool | None:
        """Whether a test names the operator or its function; None where that isn't asked of this file."""


class NoSurroundings:
    """A file that stands for itself."""

    def neighbours(self, op: str) -> Sequence[NeighbourRegistration]:
        """There are none."""
        return ()

    def is_tested(self, op: str, function: str) -> bool | None:
        """Not asked."""
        return None


ALONE = NoSurroundings()
"""For checks of a text by itself."""
