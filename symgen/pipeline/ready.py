"""What was decided for one thing that was asked for, ready to be merged into files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from symgen.model.definition import ModuleText
from symgen.model.result import Outcome


@dataclass(frozen=True)
class Target:
    """One file, and the definitions of one operator that it is to hold."""

    path: Path
    module: ModuleText
    is_test: bool = False


@dataclass(frozen=True)
class Ready:
    """The outcome as it is before the files have had their say, and what they are to hold."""

    outcome: Outcome
    targets: tuple[Target, ...] = ()
