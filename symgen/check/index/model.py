"""The facts about torch and ONNX that rules ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

Made = TypeVar("Made")


@dataclass(frozen=True)
class DeclaredArgument:
    """An argument as a schema or a stub declares it; types and defaults are text, a default of None is none."""

    name: str
    default: str | None = None
    type: str = ""


@dataclass(frozen=True)
class Overload:
    """One overload that reaches the exporter: it passes all of the arguments, by position."""

    name: str
    arguments: tuple[DeclaredArgument, ...]


@dataclass(frozen=True)
class DeclaredOp:
    """All that torch declares under one name."""

    overloads: tuple[Overload, ...]
    stubs: tuple[tuple[DeclaredArgument, ...], ...]
    """The parameters of each `def` in torch's `.pyi` files, those of Tensor methods among them."""

    def declarations(self) -> tuple[tuple[DeclaredArgument, ...], ...]:
        """The arguments of every overload, then those of every stub."""
        return (*(overload.arguments for overload in self.overloads), *self.stubs)


@dataclass(frozen=True)
class OnnxVersion:
    """One version of an ONNX operator."""

    since: int
    deprecated: bool
    inputs: tuple[str, ...]
    required: int
    """How many inputs may not be left out."""
    variadic: bool
    """Whether the last input takes any number."""
    outputs: int | None
    """How many outputs there are at most; None for any number."""
    attributes: Mapping[str, tuple[str, bool]]
    """Each attribute's type (`INTS`) and whether it is required."""


@dataclass(frozen=True)
class Shim:
    """A module of an old name: what it passes on of the actual one, and what that one keeps to itself."""

    actual: str
    shown: frozenset[str]
    hidden: frozenset[str]


@dataclass(frozen=True)
class CheckIndex:
    """The index: rows as JSON has them, made into values when they are asked for."""

    rows: Mapping[str, Any]
    _made: dict[tuple[str, str], Any] = field(default_factory=dict, compare=False, repr=False)

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

    def onnx(self, name: str) -> tuple[OnnxVersion, ...]:
        """The versions of an ONNX operator, oldest first; none for a name that ONNX doesn't know."""
        return self._once("onnx", name, lambda: tuple(map(_onnx_version, self.rows["onnx"].get(name, ()))))

    def onnx_at(self, name: str, opset: int) -> OnnxVersion | None:
        """The version of an ONNX operator that an opset holds."""
        usable = [version for version in self.onnx(name) if version.since <= opset]
        return usable[-1] if usable else None

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
    overloads, stubs = row
    return DeclaredOp(
        tuple(Overload(name, tuple(DeclaredArgument(*argument) for argument in found)) for name, found in overloads),
        tuple(tuple(DeclaredArgument(*argument) for argument in stub) for stub in stubs),
    )


def _onnx_version(row: Any) -> OnnxVersion:
    since, deprecated, inputs, required, variadic, outputs, attributes = row
    typed = {name: (kind, needed) for name, kind, needed in attributes}
    return OnnxVersion(since, deprecated, tuple(inputs), required, variadic, outputs, typed)
