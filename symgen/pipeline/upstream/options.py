"""What `symgen upstream` is asked for, and what it says it did."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path

from symgen.model.result import Outcome
from symgen.model.run import FileChange


class ProjectName(enum.StrEnum):
    """The projects that operators are contributed to."""

    PYTORCH = "pytorch"
    ONNXSCRIPT = "onnxscript"


@dataclass(frozen=True)
class UpstreamOptions:
    """What this call is to do; how and where stands in the Config."""

    repo: Path
    project: ProjectName = ProjectName.PYTORCH
    single: bool = False
    """One commit for all operators."""
    commit: bool = True
    """Whether commits are made; else the same change in the work tree."""
    branch: str = ""
    """A new branch for the commits."""
    message: Path | None = None
    """Where the text of the pull request goes; else it is printed."""
    patch: Path | None = None
    """A file for the commits, which then leave the checkout as it is."""
    verify: bool = False
    """Whether the function and its test are run from the checkout too."""


@dataclass(frozen=True)
class InCheckout:
    """What the checkout's own exporter showed, laid over the installed torch."""

    torch: str
    """The version of the installed torch."""
    version: str
    """That of the checkout, where it says so."""
    samples: int = 0
    """Round trips that were right."""
    tests: int = 0
    """Tests of the suite that passed."""
    failure: str = ""
    """What was wrong; empty where nothing was."""
    note: str = ""
    """What could not be run, and why."""


@dataclass(frozen=True)
class Contributed:
    """One operator: its outcome, the commit that holds it, and what is said of it."""

    outcome: Outcome
    commit: str = ""
    message: str = ""
    seen: InCheckout | None = None


@dataclass(frozen=True)
class UpstreamRun:
    """What a run did."""

    contributed: tuple[Contributed, ...]
    layout: str = ""
    base: str = ""
    branch: str = ""
    text: str = ""
    """The text of the pull request; empty where there is nothing to pull."""
    diff: bytes = b""
    """All changes to the checkout as one diff."""
    changes: tuple[FileChange, ...] = ()
    """Changes beside a checkout: those of a package."""

    @property
    def exit_status(self) -> int:
        """The highest of the outcomes'."""
        return max((one.outcome.exit_status for one in self.contributed), default=0)
