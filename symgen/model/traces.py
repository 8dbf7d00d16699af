"""What torch's own decomposition of an operator did with some calls: its graphs as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Ref:
    """The result of a step, or an argument, by its name; `place` chooses one of several results."""

    name: str
    place: int | None = None


@dataclass(frozen=True)
class DTypeName:
    """A dtype as a constant."""

    name: str


@dataclass(frozen=True)
class Numbers:
    """A small tensor as a constant: its elements in nested tuples, and its dtype."""

    values: object
    dtype: str


@dataclass(frozen=True)
class Said:
    """A constant as an expression of the plan language, where several traces were made one."""

    text: str


Item = None | bool | int | float | str | Ref | DTypeName | Numbers | Said | tuple["Item", ...]
"""An argument of a step."""


@dataclass(frozen=True)
class Step:
    """A call of an ATen operator (`mul`), or of a function on lengths (`length.mul`)."""

    name: str
    target: str
    arguments: tuple[Item, ...] = ()
    keywords: tuple[tuple[str, Item], ...] = ()
    dtype: str = ""
    """The dtype of the result, where it is one tensor."""
    rank: int | None = None


@dataclass(frozen=True)
class Trace:
    """One call of the operator, and the steps into which torch decomposed it."""

    known: Mapping[str, Item]
    """The arguments that are no tensors, by the parameter's name."""
    ranks: Mapping[str, int]
    """The ranks of the arguments that are tensors."""
    steps: tuple[Step, ...]
    results: tuple[Ref, ...]


@dataclass(frozen=True)
class Traced:
    """The traces of an operator, and what kept others from being made."""

    traces: tuple[Trace, ...] = ()
    kind: str = ""
    """How the dtype of the result follows from those of the arguments, as a `PromotionKind`; empty where it doesn't."""
    promoted: tuple[str, ...] = ()
    """The tensor arguments that are promoted together."""
    reason: str = field(default="", compare=False)
