"""Reads a traced graph as it is before the exporter's passes: what is called, how often, where, and inside of what."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch.onnx._internal.torchscript_exporter import registration

from symgen.verify.scan_jobs import FunctionUse, OpUse
from symgen.verify.scanning.places import place_of

PYTHON_OP = "prim::PythonOp"
BRANCHES = frozenset({"prim::If", "prim::Loop"})
"""The nodes that run what is inside of them sometimes, or several times."""
_TORCH_MACHINERY = frozenset({"prim", "onnx", "cuda"})


@dataclass(frozen=True)
class Visit:
    """A node, the Function that it is inside of, and whether it is in a branch or a loop."""

    node: Any
    inside: str = ""
    branch: bool = False


@dataclass(frozen=True)
class GraphSeen:
    """What a graph holds."""

    nodes: int
    uses: tuple[OpUse, ...]
    functions: tuple[FunctionUse, ...]


def visits(block: Any, inside: str = "", branch: bool = False) -> Iterator[Visit]:
    """Every node of a graph in its order, with those of branches, of loops and of Functions."""
    for node in block.nodes():
        yield Visit(node, inside, branch)
        kind = node.kind()
        if kind.startswith("aten::"):
            continue
        if kind == PYTHON_OP and node.hasAttribute("Subgraph"):
            yield from visits(node.g("Subgraph"), function_name(node), branch)
        for inner in node.blocks():
            yield from visits(inner, inside, branch or kind in BRANCHES)


def read_graph(nodes: Sequence[Visit], opset: int) -> GraphSeen:
    """Counts the nodes, the operators without a function at the opset, and the Functions."""
    reader = _Reader(opset)
    for visit in nodes:
        reader.take(visit)
    return GraphSeen(len(nodes), tuple(reader.uses.values()), tuple(reader.functions.values()))


def looked_up(kind: str) -> str:
    """The name under which the exporter looks an operator up: one trailing underscore is dropped."""
    return kind.removesuffix("_")


def first_opset(op: str) -> int | None:
    """The lowest opset at which a function is registered for an operator."""
    group = registration.registry.get_function_group(op)
    return group.get_min_supported() if group is not None else None


def is_served(op: str, opset: int) -> bool:
    """Whether an export at the opset finds a function for an operator."""
    group = registration.registry.get_function_group(op)
    return group is not None and group.get(opset) is not None


def function_name(node: Any) -> str:
    """`module:Class` of a Function's node."""
    owner = getattr(node.pyobj(), "__self__", None)
    return class_name(owner) if isinstance(owner, type) else str(node.pyname())


def class_name(owner: type) -> str:
    """A class as `symgen new` takes it; one of a script by the name that the script has where it is imported."""
    module = owner.__module__
    if module == "__main__":
        module = inspect.getmodulename(getattr(sys.modules[module], "__file__", None) or "") or module
    return f"{module}:{owner.__qualname__}"


class _Reader:
    """Sums up what the nodes show, each operator and Function once."""

    def __init__(self, opset: int) -> None:
        self._opset = opset
        self._served: dict[str, bool] = {}
        self.uses: dict[tuple[str, str], OpUse] = {}
        self.functions: dict[str, FunctionUse] = {}

    def take(self, visit: Visit) -> None:
        """Takes one node into the sums."""
        kind = visit.node.kind()
        if kind == PYTHON_OP:
            self._take_function(visit.node)
        elif kind.partition("::")[0] not in _TORCH_MACHINERY:
            self._take_op(visit, kind)

    def _take_op(self, visit: Visit, kind: str) -> None:
        op = looked_up(kind)
        if op not in self._served:
            self._served[op] = is_served(op, self._opset)
        if self._served[op]:
            return
        known = self.uses.get((op, visit.inside))
        if known is None:
            use = OpUse(op, kind, 1, place_of(visit.node), visit.inside, visit.branch, first_opset(op))
            self.uses[op, visit.inside] = replace(use, has_result=_gives_tensors(visit.node))
        else:
            both = known.branch and visit.branch
            self.uses[op, visit.inside] = replace(known, count=known.count + 1, branch=both)

    def _take_function(self, node: Any) -> None:
        name = function_name(node)
        known = self.functions.get(name)
        if known is None:
            fate, detail = _fate(node, self._opset)
            self.functions[name] = FunctionUse(name, 1, place_of(node), fate, detail)
        else:
            self.functions[name] = replace(known, count=known.count + 1)


def _gives_tensors(node: Any) -> bool:
    """Whether an operator's results are tensors; numbers, strings and nothing at all are the exporter's affair."""
    return any("Tensor" in str(output.type()) for output in node.outputs())


def _fate(node: Any, opset: int) -> tuple[str, str]:
    """What the exporter does with a Function."""
    owner = getattr(node.pyobj(), "__self__", None)
    if hasattr(owner, "symbolic"):
        return "symbolic", ""
    if is_served(PYTHON_OP, opset):
        return "handler", ""
    if not node.hasAttribute("Subgraph"):
        return "fails", "its forward was not traced"
    graph = node.g("Subgraph")
    has_inputs = next(iter(graph.inputs()), None) is not None
    return "constant" if has_inputs and not _depends_on_inputs(graph) else "inlined", ""


def _depends_on_inputs(graph: Any) -> bool:
    """Whether anything that a graph gives is made of what it takes."""
    inputs = {value.unique() for value in graph.inputs()}
    pending, seen = list(graph.outputs()), set()
    while pending:
        value = pending.pop()
        if value.unique() in inputs:
            return True
        if value.unique() not in seen:
            seen.add(value.unique())
            pending += value.node().inputs()
    return False
