"""What a merge is asked for, and what it says it did."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from symgen.model.definition import Import
from symgen.model.location import Location

REGISTRATION = Import("torch.onnx._internal.torchscript_exporter", "registration")
"""The module of torch that registers symbolic functions, since torch 2.9."""


class Policy(enum.Enum):
    """What happens to a generated definition that a person edited since."""

    SAFE = "safe"
    """It is left alone; the outcome is a conflict."""
    MERGE = "merge"
    """A three-way merge with the last generated text as base; a conflict where both sides changed the same lines."""
    MARKERS = "markers"
    """Like MERGE, but a conflict is written into the file between conflict markers."""
    FORCE = "force"
    """The generated text replaces it."""


@dataclass(frozen=True)
class MergeOptions:
    """How definitions are written into a file."""

    policy: Policy = Policy.SAFE
    custom: bool = True
    """Whether registrations are custom ones; those in torch's own files are not."""
    markers: bool = True
    """Whether a marker line is written above each definition; a PyTorch checkout gets none."""
    registration: Import = REGISTRATION
    """Where the module with `onnx_symbolic` is imported from, for files that have no decorator of their own."""


class Action(enum.StrEnum):
    """What became of one definition."""

    ADDED = "added"
    REPLACED = "replaced"
    MERGED = "merged"
    REMOVED = "removed"
    UNCHANGED = "unchanged"
    CONFLICT = "conflict"
    """A person edited it, or a helper that it needs; the file keeps what it had."""
    REFUSED = "refused"
    """Something of the user's own is in the way; the file keeps what it had."""

    @property
    def is_failure(self) -> bool:
        """Whether the definition is not in the file as it was asked for."""
        return self in {Action.CONFLICT, Action.REFUSED}


@dataclass(frozen=True)
class DefinitionOutcome:
    """What became of one definition, and where it stands or what is in its way."""

    key: str
    """The operator (`aten::hypot`), or the name of a helper or test."""
    name: str
    action: Action
    location: Location | None = None
    """Of what is in the way, in the file as it was; None where nothing is."""
    reason: str = ""
    diff: str = ""
    """For a conflict: what the person changed, and what the generator changed, since the last generated text."""
    keeps_edits: bool = False
    """Whether the file holds it as a person edited it, and so not as it was proven."""

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location else ""
        return f"{where}{self.key}: {self.reason or self.action}"


@dataclass(frozen=True)
class MergeOutcome:
    """The file as it should be. Definitions stand alone: one that fails doesn't keep the others out."""

    before: bytes | None
    after: bytes | None
    """None where nothing is left and the file goes."""
    bases: Mapping[str, str]
    """The last generated text of each definition in the file, by key."""
    definitions: tuple[DefinitionOutcome, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether there is something to write."""
        return self.after != self.before

    @property
    def failures(self) -> tuple[DefinitionOutcome, ...]:
        """The conflicts and refusals."""
        return tuple(outcome for outcome in self.definitions if outcome.action.is_failure)
