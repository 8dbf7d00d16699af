"""The types of ATen schemas: a small closed tree."""

from __future__ import annotations

from dataclasses import dataclass

BASE_TYPES = frozenset(
    {
        "Tensor", "Scalar", "int", "SymInt", "float", "bool", "SymBool", "str", "ScalarType", "Layout", "Device",
        "DeviceIndex", "MemoryFormat", "Generator", "Dimname", "QScheme", "Storage", "Stream", "ConstQuantizerPtr",
        "DimVector", "GraphModule", "number", "Any", "complex",
    }
)  # fmt: skip


@dataclass(frozen=True)
class BaseType:
    """A type without parts, as `Tensor` or `SymInt`."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ClassType:
    """A class that a library registered with TorchScript, as `__torch__.torch.classes.rnn.CellParamsBase`."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class OptionalType:
    """`T?`: a value that may be absent."""

    element: Type

    def __str__(self) -> str:
        return f"{self.element}?"


@dataclass(frozen=True)
class ListType:
    """`T[]` or `T[n]`: a list; with a size, one element stands for n of them."""

    element: Type
    size: int | None = None

    def __str__(self) -> str:
        return f"{self.element}[{'' if self.size is None else self.size}]"


Type = BaseType | ClassType | OptionalType | ListType


def declared(kind: Type, alias: str) -> str:
    """The type as a schema writes it with an alias annotation, which stands inside: `Tensor(a!)[]`."""
    match kind:
        case OptionalType(element):
            return f"{declared(element, alias)}?"
        case ListType(element, size):
            return f"{declared(element, alias)}[{'' if size is None else size}]"
        case _:
            return f"{kind}({alias})" if alias else str(kind)


def strip_optional(kind: Type) -> Type:
    """The type of the value when it is there."""
    return kind.element if isinstance(kind, OptionalType) else kind


def innermost(kind: Type) -> BaseType | ClassType:
    """The type without the optionals and lists around it."""
    while isinstance(kind, (OptionalType, ListType)):
        kind = kind.element
    return kind


def is_tensor(kind: Type) -> bool:
    """Whether a value of this type is one tensor (or none)."""
    return strip_optional(kind) == BaseType("Tensor")


def is_tensor_list(kind: Type) -> bool:
    """Whether a value of this type is a list of tensors (`Tensor[]`, `Tensor?[]`)."""
    bare = strip_optional(kind)
    return isinstance(bare, ListType) and is_tensor(bare.element)
