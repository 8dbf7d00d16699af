"""Jobs that import the user's own modules, which happens in a child process only; jobs and answers are data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from symgen.model.autograd import FunctionClass
from symgen.model.domain import Domain
from symgen.model.node import NodeSpec
from symgen.model.result import SampleResult
from symgen.model.sample import SampleSpec
from symgen.model.traces import Traced

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class UserJob(Generic[Answer]):
    """A job with one answer."""


@dataclass(frozen=True)
class Schemas:
    """The schemas as texts, sorted."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class SchemaJob(UserJob[Schemas]):
    """Import modules, and tell the schemas that are registered in a namespace then."""

    imports: tuple[str, ...]
    namespace: str


@dataclass(frozen=True)
class ClassSeen:
    """What calls of the class showed."""

    samples: tuple[SampleSpec, ...] = ()
    """Calls that eager torch takes, all arguments by position."""
    outputs: int | None = None
    like: str = ""
    """The parameter whose shape and dtype the one result has in every call."""
    branch: str = ""
    """A scripted object of the module that calls the class inside a branch or loop."""
    is_inlined: bool = False
    """Whether an export does without a `symbolic`."""


@dataclass(frozen=True)
class ClassJob(UserJob[ClassSeen]):
    """Import a class, and find calls that its `forward` takes."""

    owner: FunctionClass


@dataclass(frozen=True)
class NodesSeen:
    """What the exports showed."""

    results: tuple[SampleResult, ...] = ()
    proven: tuple[SampleSpec, ...] = ()
    """The calls that were right wherever they were exported."""
    notes: tuple[str, ...] = ()
    runs: int = 0
    function_opset: int | None = None
    """The opset of the onnxscript function that a module of the user's registers for the node, if one does."""


@dataclass(frozen=True)
class ClassNodeJob(UserJob[NodesSeen]):
    """Export calls of a class with its `symbolic`, and look at the node that stands for each."""

    owner: FunctionClass
    domain: Domain
    source: str
    """The `symbolic` as a function that can stand alone."""
    samples: tuple[SampleSpec, ...]
    opsets: tuple[int, ...]
    library: str = ""
    """A library of ONNX Runtime with the domain's kernels, for the numbers."""
    in_package: bool = False
    """Whether the source is a module of the package instead."""


@dataclass(frozen=True)
class ClassTripJob(UserJob[NodesSeen]):
    """Export calls of a class with a `symbolic` that says what `forward` does, and compare the numbers."""

    owner: FunctionClass
    source: str
    samples: tuple[SampleSpec, ...]
    opsets: tuple[int, ...]
    modules: tuple[tuple[int, str], ...] = ()
    """Modules that register the operators that torch lacks, each with its opset."""
    in_package: bool = False
    """Whether the source is a module of the package, and not a method."""


@dataclass(frozen=True)
class OperatorNodeJob(UserJob[NodesSeen]):
    """Find calls of a custom operator, export them, and look at the node that stands for each."""

    specs: tuple[NodeSpec, ...]
    """The node of each overload."""
    source: str
    """A module that registers the symbolic function."""
    opsets: tuple[int, ...]
    imports: tuple[str, ...] = ()
    """Modules that register the operator; where none does, one of the same schema stands in, without its numbers."""
    library: str = ""


UserAnswer = Schemas | ClassSeen | NodesSeen | Traced
