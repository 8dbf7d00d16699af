"""What the lowering knows of a value while it rewrites a plan."""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass, field


class Kind(enum.Enum):
    """Where a value lives."""

    STATIC = "static"
    """A Python value, known when the model is exported."""
    GRAPH = "graph"
    """A value of the graph."""
    LIST = "list"
    """A Python list of graph values."""


@dataclass(frozen=True)
class Value:
    """An expression of the generated code, with what is known of its value.

    `element` is the ONNX element type where it is certain (`bool`, `int64`), else empty; `like` is the name of a
    variable that has the same dtype, where there is one, and `origin` that of the function's argument, if it is known.
    """

    node: ast.expr
    kind: Kind = Kind.STATIC
    element: str = ""
    like: str = ""
    origin: str = ""


@dataclass(frozen=True)
class HelperResult:
    """What is known of the dtype of a helper's result: an element type, or the argument that has the same."""

    element: str = ""
    argument: int | None = None


@dataclass
class Scope:
    """The variables of the function that is being rewritten."""

    variables: dict[str, Value] = field(default_factory=dict)

    def bind(self, name: str, value: Value) -> None:
        """A variable takes a value."""
        node = ast.Name(name, ast.Load())
        like = name if value.kind is Kind.GRAPH else ""
        self.variables[name] = Value(node, value.kind, value.element, like, value.origin)

    def copy(self) -> Scope:
        """A scope for one of several branches."""
        return Scope(dict(self.variables))

    def join(self, *branches: Scope) -> None:
        """What is known after branches of which one was taken: what they agree on."""
        for name in {name for branch in branches for name in branch.variables}:
            values = [branch.variables[name] for branch in branches if name in branch.variables]
            graph = next((v for v in values if v.kind is not Kind.STATIC), values[0])
            elements = {value.element for value in values}
            element = graph.element if len(elements) == 1 else ""
            origin = graph.origin if len({value.origin for value in values}) == 1 else ""
            self.variables[name] = Value(graph.node, graph.kind, element, graph.like, origin)
