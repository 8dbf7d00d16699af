"""What a whole run of `new`, `fix` or `verify` did, and how far it is while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symgen.model.result import Outcome


@dataclass(frozen=True)
class FileChange:
    """A file before and after a run; None where it is not there."""

    path: str
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True)
class Run:
    """The outcome of each operator, in the order asked, and the files that changed (in a dry run: would change)."""

    outcomes: tuple[Outcome, ...]
    changes: tuple[FileChange, ...] = ()

    @property
    def exit_status(self) -> int:
        """The highest of the outcomes'."""
        return max((outcome.exit_status for outcome in self.outcomes), default=0)


def operators(count: int) -> str:
    """So many operators, in words."""
    return "1 operator" if count == 1 else f"{count} operators"


@dataclass(frozen=True)
class Step:
    """How far a run is: counts of operators done, and of samples run and failed over all of them."""

    op: str
    """The operator at work."""
    done: int
    total: int
    samples: int = 0
    failures: int = 0
    counted: str = ""
    """What `done` counts, where that is not operators."""


Listener = Callable[[Step], None]
"""Is told of every step; it shows progress."""


def ignore_steps(step: Step) -> None:
    """A listener that shows nothing."""
