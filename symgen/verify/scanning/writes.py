"""Writes in place that the exporter drops without a word.

The exporter turns a write into a new value, and has what comes later use that in place of the tensor that was written.
Through slices and selections it finds the tensor that a view was taken of; through no other view. So it forgets a write
wherever something that shares memory with the written tensor is read later, by another name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import torch

from symgen.model.scan import Place
from symgen.verify.scan_jobs import DroppedWrite, StateWrite
from symgen.verify.scanning.graphs import Visit, looked_up, visits
from symgen.verify.scanning.places import place_of
from symgen.verify.scanning.subscripts import FOLLOWED, forgotten

_ASSIGNMENTS = frozenset({"aten::copy_", "aten::index_put_"})
"""Through a slice these give the tensor below it its new value, and leave the slice as it was."""
_UNPACKING = frozenset({"prim::ListUnpack", "prim::TupleUnpack"})
_OFTEN_COPIES = frozenset(
    {"aten::contiguous", "aten::to", "aten::type_as", "aten::float", "aten::half", "aten::double"}
)
"""They may give their argument itself, or a copy; a graph doesn't say which."""


@dataclass(frozen=True)
class _View:
    """How a value came about that shares memory with another: the operator, and the value it was made of."""

    op: str
    base: int


@dataclass
class _Memory:
    """Which values share memory so far, by the numbers of the values."""

    views: dict[int, _View] = field(default_factory=dict)
    roots: dict[int, int] = field(default_factory=dict)
    members: dict[int, list[int]] = field(default_factory=dict)
    parts: dict[int, frozenset[int]] = field(default_factory=dict)
    """The parts that a tensor was cut into, by each of them: they share memory with it, and not with each other."""

    def root(self, value: int) -> int:
        """The value that the memory belongs to."""
        return self.roots.get(value, value)

    def add(self, value: int, op: str, base: int) -> None:
        """A new view of a value."""
        root = self.root(base)
        self.views[value] = _View(op, base)
        self.roots[value] = root
        self.members.setdefault(root, [root]).append(value)

    def chain(self, value: int) -> Iterator[tuple[int, str]]:
        """The values that a value is a view of, nearest first, each with the operator that made the view."""
        while value in self.views:
            view = self.views[value]
            yield view.base, view.op
            value = view.base


@dataclass(frozen=True)
class _Write:
    """A write, and the values that don't get to know of it."""

    node: Any
    op: str
    stale: frozenset[int]
    through: str
    forgets: str = ""


def dropped_writes(graph: Any, nodes: Sequence[Visit]) -> tuple[DroppedWrite, ...]:
    """The writes whose result something later doesn't see."""
    memory = _Memory()
    found: dict[tuple[str, Place], DroppedWrite] = {}
    stale: dict[int, _Write] = {}
    for visit in nodes:
        node = visit.node
        for value in node.inputs() if stale else ():
            if (write := stale.get(value.unique())) is not None:
                _report(write, node, found)
                stale = {number: one for number, one in stale.items() if one is not write}
        write = _take(node, memory)
        if write is not None and write.stale:
            stale |= dict.fromkeys(write.stale, write)
    for value in graph.outputs():
        if (write := stale.get(value.unique())) is not None:
            _report(write, None, found)
    return tuple(found.values())


def writes_of_state(graph: Any, nodes: Sequence[Visit], parameters: int) -> tuple[StateWrite, ...]:
    """The writes into parameters and buffers, which are the last inputs of the graph."""
    inputs = list(graph.inputs())
    state = {value.unique(): value.debugName() for value in inputs[len(inputs) - parameters :]}
    memory = _Memory()
    found: dict[str, StateWrite] = {}
    for visit in nodes:
        if _take(visit.node, memory) is None:
            continue
        name = state.get(memory.root(next(visit.node.outputs()).unique()))
        if name is not None:
            known = found.get(name) or StateWrite(name, 0, place_of(visit.node))
            found[name] = replace(known, count=known.count + 1)
    return tuple(found.values())


def written_values(graph: Any) -> frozenset[int]:
    """The numbers of all values that share memory with one that is written into."""
    memory = _Memory()
    roots = set()
    for visit in visits(graph):
        write = _take(visit.node, memory)
        if write is not None:
            roots |= {memory.root(output.unique()) for output in visit.node.outputs()}
    return frozenset({value for value in memory.roots if memory.roots[value] in roots} | roots)


def _report(write: _Write, reader: Any, found: dict[tuple[str, Place], DroppedWrite]) -> None:
    place = place_of(write.node)
    op = looked_up(write.op)
    known = found.get((op, place))
    if known is not None:
        found[op, place] = replace(known, count=known.count + 1)
        return
    read = place_of(reader) if reader is not None else Place()
    found[op, place] = DroppedWrite(op, 1, place, write.through, read, write.forgets)


def _take(node: Any, memory: _Memory) -> _Write | None:
    """Remembers the views that a node makes; gives the write that it does."""
    kind = node.kind()
    if kind in _UNPACKING:
        _unpack(node, memory)
    if not kind.startswith("aten::") or not _ever_aliases(kind):
        return None
    aliases = _aliases(node.schema())
    if aliases is None:
        return None
    inputs = list(node.inputs())
    if aliases.written is not None and not isinstance(inputs[aliases.written].type(), torch._C.TensorType):
        return None  # a list, which the exporter follows
    if aliases.written is None:
        if aliases.viewed is not None and kind not in _OFTEN_COPIES and aliases.viewed < len(inputs):
            for output in node.outputs():
                memory.add(output.unique(), kind, inputs[aliases.viewed].unique())
        return None
    written = inputs[aliases.written].unique()
    write = _written(node, kind, written, memory)
    for output in node.outputs():
        memory.roots[output.unique()] = memory.root(written)
    return write


def _unpack(node: Any, memory: _Memory) -> None:
    """The parts of a list of views are views of what the list was made of."""
    view = memory.views.get(next(node.inputs()).unique())
    if view is not None:
        parts = frozenset(output.unique() for output in node.outputs())
        for part in parts:
            memory.add(part, view.op, view.base)
            memory.parts[part] = parts


def _written(node: Any, kind: str, written: int, memory: _Memory) -> _Write:
    """The values that still stand for the old contents after a write, although they share its memory.

    A write into an argument `out` is none to the exporter: nothing that was there before knows of it.
    """
    chain = list(memory.chain(written))
    is_followed = all(op in FOLLOWED for _, op in chain)
    is_lost_here = bool(chain) and is_followed and kind in _ASSIGNMENTS
    knows = set() if is_lost_here or not kind.endswith("_") else {written}
    if chain and is_followed and kind.endswith("_"):
        knows.add(chain[-1][0])
    for value in (written, *(base for base, _ in chain)):
        knows |= memory.parts.get(value, frozenset()) - {value}
    stale = {written, *memory.members.get(memory.root(written), ())} - knows
    forgets = forgotten(node) if is_followed else ""
    if forgets:
        stale |= knows
    if is_lost_here or forgets:
        stale |= {output.unique() for output in node.outputs()}
    through = next((op for _, op in chain if op not in FOLLOWED), "")
    return _Write(node, kind, frozenset(stale), through, forgets)


@dataclass(frozen=True)
class _Aliases:
    """Which argument an operator writes, and which its results are views of."""

    written: int | None
    viewed: int | None


@cache
def _ever_aliases(kind: str) -> bool:
    """Whether any overload of an operator writes, or gives views."""
    schemas = torch._C._jit_get_schemas_for_operator(kind)
    return any(argument.alias_info is not None for schema in schemas for argument in schema.arguments)


@cache
def _aliases(schema: str) -> _Aliases | None:
    """What a schema says of memory; None where it says nothing."""
    try:
        parsed = torch._C.parse_schema(schema)
    except RuntimeError:
        return None
    written = viewed = None
    for place, argument in enumerate(parsed.arguments):
        info = argument.alias_info
        if info is not None and info.is_write and written is None:
            written = place
        elif info is not None and viewed is None and any(one.alias_info is not None for one in parsed.returns):
            viewed = place
    return None if written is None and viewed is None else _Aliases(written, viewed)
