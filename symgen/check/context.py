"""What a rule is given: the file as it was read, and what is known around it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import PurePath

from symgen.check.findings import Edit, Finding
from symgen.check.index.model import CheckIndex
from symgen.check.reading.flow import Body
from symgen.check.reading.module import SymbolicModule
from symgen.check.reading.opsets import ALL, OpsetMask, mask_between, mask_of
from symgen.check.reading.reach import reach
from symgen.check.reading.registrations import Registration
from symgen.check.settings import CheckSettings
from symgen.check.surroundings import ALONE, NeighbourRegistration, Surroundings
from symgen.model.location import Location

LOWEST_OPSET = 9
"""From here on the exporter looks downwards for a function; below, upwards to this one."""
LEGACY_OPSETS = (7, 8)
Placed = ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias


@dataclass(frozen=True, eq=False)
class Context:
    """One file's check."""

    module: SymbolicModule
    index: CheckIndex
    settings: CheckSettings
    surroundings: Surroundings = ALONE
    _neighbours: dict[str, Sequence[NeighbourRegistration]] = field(default_factory=dict, repr=False)

    @cached_property
    def is_torch_file(self) -> bool:
        """Whether the file is one of torch's own, installed or in a checkout."""
        path = PurePath(self.module.path)
        parts = path.parts
        return ("torch", "onnx") in pairwise(parts) and "_opset" in path.name

    def finding(
        self,
        code: str,
        node: Placed,
        message: str,
        *,
        fix: str = "",
        edits: Iterable[Edit] = (),
        scope: tuple[int, int] = (0, 0),
    ) -> Finding:
        """A finding at the start of a node; at its name, where the node is a definition."""
        source, line, column = self.module.source, node.lineno, node.col_offset
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            column = node.col_offset + len(source.line(line).encode()[node.col_offset :].split(node.name.encode())[0])
        location = Location(source.path, line, source.column(line, column))
        return Finding(code, location, message, fix, tuple(edits), scope)

    def replaced(self, node: Placed, text: str) -> Edit:
        """The edit that writes something else in a node's place."""
        source = self.module.source
        return Edit(source.start(node), source.end(node), text)

    def versions(self, op: str) -> frozenset[int]:
        """The opsets at which anything registers a function for an operator: this file, its neighbours, torch."""
        beside = (neighbour.opset for neighbour in self.neighbours(op))
        return self._versions.get(op, frozenset()).union(self.index.registered(op), beside)

    def neighbours(self, op: str) -> Sequence[NeighbourRegistration]:
        """What other files of the folder register; those of the installed torch are in the index already."""
        if op not in self._neighbours:
            installed = self.is_torch_file and self.module.path.startswith(self.index.torch_root)
            self._neighbours[op] = () if installed else self.surroundings.neighbours(op)
        return self._neighbours[op]

    def served(self, op: str, opset: int) -> OpsetMask:
        """The opsets of an export at which a function registered at `opset` is called."""
        versions = self.versions(op)
        following = min((version for version in versions if version > opset), default=self.index.newest_opset + 1)
        served = mask_between(max(opset, LOWEST_OPSET), min(following - 1, self.index.newest_opset))
        if opset < LOWEST_OPSET:
            served |= mask_of(old for old in LEGACY_OPSETS if min(v for v in {*versions, opset} if v >= old) == opset)
        return served & self._wanted

    def served_by(self, registration: Registration) -> OpsetMask:
        """The opsets at which a registration's function is called; none where its opsets can't be told."""
        mask = 0
        if registration.op.startswith("aten::") and registration.op not in self.index.op_names:
            return mask  # the exporter never asks for it
        for opset in registration.opsets or ():
            mask |= self.served(registration.op, opset)
        return mask

    @cached_property
    def reached(self) -> dict[Body, OpsetMask]:
        """The functions that an export can enter, with the opsets at which it can."""
        served: dict[Body, OpsetMask] = {}
        for registration in self.module.registrations:
            if registration.body:
                served[registration.body] = served.get(registration.body, 0) | self.served_by(registration)
        return reach(served)

    @cached_property
    def _wanted(self) -> OpsetMask:
        """The opsets that the project asks for."""
        lowest = self.settings.opset
        return ALL if lowest is None else mask_between(lowest, self.index.newest_opset)

    @cached_property
    def _versions(self) -> dict[str, frozenset[int]]:
        versions: dict[str, frozenset[int]] = {}
        for registration in self.module.registrations:
            known = versions.get(registration.op, frozenset())
            versions[registration.op] = known.union(registration.opsets or ())
        return versions


def opset_range(opsets: Sequence[int]) -> str:
    """Opsets for people: `opset 18`, `opsets 9 to 12`, `opsets 9, 11`."""
    if len(opsets) == 1:
        return f"opset {opsets[0]}"
    if list(opsets) == list(range(opsets[0], opsets[-1] + 1)):
        return f"opsets {opsets[0]} to {opsets[-1]}"
    return f"opsets {', '.join(map(str, opsets))}"
