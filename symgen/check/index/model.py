"""The facts about torch and ONNX that rules ask for.

An index holds rows as JSON has them and makes values of those that are asked for: a file names a few of some thousand
operators. Named tuples, because they are made by the hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from symgen.check.reading.opsets import ALL, OpsetMask

Made = TypeVar("Made")


PYTHON_ONLY = frozenset({"inplace", "out", "_stacklevel", "requires_grad"})
"""Parameters of Python functions that no operator has."""


def plain_name(name: str) -> str:
    """A parameter's name for comparison: `input` and `self` are the same."""
    return "self" if name == "input" else name


def plain_names(names: Iterable[str]) -> list[str]:
    """Parameters' names for comparison, without those that only Python has."""
    return [plain_name(name) for name in names if name not in PYTHON_ONLY]


class Overload(NamedTuple):
    """One overload that reaches the exporter: it passes all of its arguments, by position."""

    name: str
    names: Sequence[str]
    types: Sequence[str]
    """Of the arguments, as text: `int[1]?`."""


class DeclaredOp(NamedTuple):
    """All that torch declares under one name: schemas, function stubs and Tensor methods."""

    overloads: tuple[Overload, ...]
    positions: Sequence[Sequence[str]]
    """For each position, the names that any declaration has there, as `plain_names` gives them."""
    defaults: Mapping[str, Sequence[str]]
    """For each name, the defaults that any declaration gives it, as text."""


class OnnxVersion(NamedTuple):
    """One version of an ONNX operator."""

    since: int
    deprecated: bool
    inputs: Sequence[str]
    required: int
    """How many inputs may not be left out."""
    variadic: bool
    """Whether the last input takes any number."""
    outputs: int | None
    """How many outputs there are at most; None for any number."""
    attributes: Mapping[str, str]
    """Each attribute's type (`INTS`)."""
    needs: Sequence[str]
    """The attributes that are required."""


class Shim(NamedTuple):
    """A module of an old name: what it passes on of the actual one, and what that one keeps to itself."""

    actual: str
    shown: frozenset[str]
    hidden: frozenset[str]


@dataclass(frozen=True, eq=False)
class CheckIndex:
    """The index of one torch and one onnx."""

    rows: Mapping[str, Any]
    _made: dict[tuple[str, str], Any] = field(default_factory=dict, repr=False)

    @property
    def torch_version(self) -> str:
        """The torch that it was built from."""
        return str(self.rows["torch"])

    @property
    def torch_root(self) -> str:
        """The folder of that torch."""
        return str(self.rows["root"])

    @property
    def newest_opset(self) -> int:
        """The newest opset that the TorchScript exporter writes."""
        return int(self.rows["newest_opset"])

    @property
    def early_opsets(self) -> frozenset[int]:
        """The opsets whose files torch imports with `torch.onnx`; the others come at the first export."""
        return frozenset(self.rows["early_opsets"])

    @property
    def op_names(self) -> frozenset[str]:
        """The qualified names under which the exporter can meet an operator of torch."""
        return self._once("", "op_names", lambda: frozenset((*self.rows["ops"], *self.rows["jit_ops"])))

    def op(self, name: str) -> DeclaredOp | None:
        """What torch declares under a qualified name; None where no schema does."""
        row = self.rows["ops"].get(name)
        return self._once("op", name, lambda: _declared_op(row)) if row else None

    def onnx(self, name: str) -> Sequence[tuple[OnnxVersion, OpsetMask]]:
        """The versions of an ONNX operator, oldest first, each with the opsets that hold it; none for other names."""
        return self._once("onnx", name, lambda: _onnx_versions(self.rows["onnx"].get(name, ())))

    @property
    def onnx_names(self) -> tuple[str, ...]:
        """The names of all ONNX operators."""
        return tuple(self.rows["onnx"])

    def registered(self, op: str) -> tuple[int, ...]:
        """The opsets at which torch itself registers a function for an operator, rising."""
        return tuple(self.rows["registered"].get(op, ()))

    def has_module(self, name: str) -> bool | None:
        """Whether torch has a module of `torch.onnx`; None for modules elsewhere."""
        if name != "torch.onnx" and not name.startswith("torch.onnx."):
            return None
        return name in self._once("", "modules", lambda: frozenset(self.rows["modules"]))

    def shim(self, module: str) -> Shim | None:
        """What a module of an old name passes on; None for modules that are no such."""
        row = self.rows["shims"].get(module)
        return self._once("shim", module, lambda: Shim(row[0], frozenset(row[1]), frozenset(row[2]))) if row else None

    def _once(self, kind: str, name: str, make: Callable[[], Made]) -> Made:
        key = (kind, name)
        if key not in self._made:
            self._made[key] = make()
        made: Made = self._made[key]
        return made


def _declared_op(row: Any) -> DeclaredOp:
    overloads, positions, defaults = row
    return DeclaredOp(tuple(map(Overload._make, overloads)), positions, defaults)


def _onnx_versions(rows: Sequence[Any]) -> list[tuple[OnnxVersion, OpsetMask]]:
    found: list[tuple[OnnxVersion, OpsetMask]] = []
    held = ALL
    for version in reversed([OnnxVersion(*row) for row in rows]):
        below = (1 << version.since) - 1
        found.append((version, held & ~below))
        held &= below
    return found[::-1]
