"""One node of a domain of the user's, as an operator's schema asks for it."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symgen.model.domain import Domain
from symgen.model.sample import Value
from symgen.model.schema import AtenSchema


class InputKind(enum.StrEnum):
    """How many tensors stand behind one argument."""

    SINGLE = "single"
    OPTIONAL = "optional"
    LIST = "list"


@dataclass(frozen=True)
class NodeInput:
    """An argument that becomes an input of the node; a list becomes as many as it has tensors."""

    name: str
    kind: InputKind


@dataclass(frozen=True)
class NodeAttribute:
    """An argument that becomes an attribute; absent ones leave it out."""

    name: str
    type: str
    """`i`, `f` or `s`, as the exporter calls it."""
    is_list: bool = False
    is_dtype: bool = False
    """Whether it is a dtype of torch, written as ONNX numbers them."""


@dataclass(frozen=True)
class IgnoredArgument:
    """An argument that says where or how a tensor is stored, which no node can."""

    name: str


NodePart = NodeInput | NodeAttribute | IgnoredArgument


@dataclass(frozen=True)
class NodeSpec:
    """The node of one overload: a part for each argument of the schema, in its order."""

    schema: AtenSchema
    domain: Domain
    name: str
    parts: tuple[NodePart, ...]

    @property
    def qualified(self) -> str:
        """`imgkit.ops::ShiftBlend`."""
        return f"{self.domain.name}::{self.name}"

    @property
    def outputs(self) -> int:
        """How many results the node has."""
        return len(self.schema.returns)

    @property
    def inputs(self) -> tuple[NodeInput, ...]:
        """The parts that are inputs."""
        return tuple(part for part in self.parts if isinstance(part, NodeInput))

    @property
    def attributes(self) -> tuple[NodeAttribute, ...]:
        """The parts that are attributes."""
        return tuple(part for part in self.parts if isinstance(part, NodeAttribute))


@dataclass(frozen=True)
class ExpectedNode:
    """What the node of one call has to be."""

    domain: Domain
    name: str
    inputs: tuple[bool, ...]
    """Whether each input is there; absent ones at the end don't count."""
    attributes: Mapping[str, Value]


@dataclass(frozen=True)
class NoNode:
    """Why one node can't stand for an overload; the sentence names the argument."""

    schema: AtenSchema
    reason: str


def without_trailing_absent(inputs: Sequence[bool]) -> tuple[bool, ...]:
    """The inputs up to the last that is there."""
    last = max((place for place, is_there in enumerate(inputs) if is_there), default=-1)
    return tuple(inputs[: last + 1])
