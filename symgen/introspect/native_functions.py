"""Reads native_functions.yaml: every overload of every ATen operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from symgen.errors import ParseError
from symgen.introspect.aten_schemas import parse_schema
from symgen.introspect.cache import Row, tuples
from symgen.introspect.generated_functions import generated_schema, is_generated
from symgen.introspect.torch_install import TorchInstall
from symgen.model.location import Location
from symgen.model.schema import AtenSchema

_LINE = "__line__"


@dataclass(frozen=True)
class FunctionEntry:
    """One entry of native_functions.yaml, its schema still text: parsing all 2,584 costs more than one asks for."""

    func: str
    line: int
    variants: tuple[str, ...] = ("function",)
    composite_implicit: bool = False
    structured_delegate: str = ""
    tags: tuple[str, ...] = ()

    @classmethod
    def from_row(cls, row: Row) -> FunctionEntry:
        """The entry from its row in a cache."""
        return cls(*tuples(row))

    @property
    def base(self) -> str:
        """The name without its overload."""
        return self.func.partition("(")[0].partition(".")[0]

    def schema(self, path: str) -> AtenSchema:
        """The entry's schema; raises ParseError where it has an unknown type."""
        return replace(
            parse_schema(self.func, Location(path, self.line)),
            variants=self.variants,
            composite_implicit=self.composite_implicit,
            structured_delegate=self.structured_delegate,
            tags=self.tags,
        )


@dataclass(frozen=True)
class GeneratedEntry:
    """A function that has no entry of its own: another's `autogen:` line names it, and torchgen makes it of that."""

    name: str
    origin: FunctionEntry

    @classmethod
    def from_row(cls, row: Row) -> GeneratedEntry:
        """The entry from its row in a cache."""
        name, origin = row
        return cls(name, FunctionEntry.from_row(origin))

    @property
    def base(self) -> str:
        """The name without its overload."""
        return self.name.partition(".")[0]

    def schema(self, path: str) -> AtenSchema:
        """Its schema, located where its origin stands; raises ParseError where that has an unknown type."""
        return generated_schema(self.origin.schema(path), self.name)


@dataclass(frozen=True)
class NativeFunctions:
    """All entries of one native_functions.yaml by the operators' base names, in the file's order.

    What torchgen makes of them stands beside them. Only what a new name has is an operator of its own: by other names
    go the same operators in place, or written to `out=`.
    """

    path: str
    entries: Mapping[str, tuple[FunctionEntry, ...]]
    generated: Mapping[str, tuple[GeneratedEntry, ...]] = field(default_factory=dict)

    def __contains__(self, base: object) -> bool:
        return base in self.entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def overloads(self, base: str) -> tuple[AtenSchema, ...]:
        """The schemas of all overloads of `aten::base`; empty where there is no such operator."""
        return tuple(entry.schema(self.path) for entry in self.entries.get(base, ()))

    def generated_overloads(self, base: str) -> tuple[AtenSchema, ...]:
        """The schemas of what torchgen makes under a name; empty where it makes nothing."""
        return tuple(entry.schema(self.path) for entry in self.generated.get(base, ()))

    def is_functional(self, base: str) -> bool:
        """Whether torchgen alone makes the operator, as `_native_batch_norm_legit_functional`."""
        return base in self.generated and base not in self.entries and f"{base}_" not in self.entries

    @property
    def functionals(self) -> tuple[str, ...]:
        """The base names of the operators that torchgen alone makes."""
        return tuple(filter(self.is_functional, self.generated))


def load_native_functions(install: TorchInstall) -> NativeFunctions:
    """Reads the file that ships with torch.

    Raises:
        ParseError: where it is absent or is not what it should be.
    """
    path = install.native_functions
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ParseError(f"cannot read torch's operator declarations: {error}", location=Location(str(path))) from error
    return parse_native_functions(text, str(path))


def parse_native_functions(text: str, path: str | Path) -> NativeFunctions:
    """Reads the text of a native_functions.yaml; each schema is parsed when it is asked for.

    Raises:
        ParseError: where the text is not YAML or not a list of functions.
    """
    entries: dict[str, list[FunctionEntry]] = {}
    generated: dict[str, dict[str, GeneratedEntry]] = {}
    for item in _load_yaml(text, str(path)):
        entry = _entry(item, str(path))
        entries.setdefault(entry.base, []).append(entry)
        for made in _generated(item, entry):
            generated.setdefault(made.base, {}).setdefault(made.name, made)
    return NativeFunctions(
        str(path),
        {base: tuple(found) for base, found in entries.items()},
        {base: tuple(found.values()) for base, found in generated.items()},
    )


def _load_yaml(text: str, path: str) -> list[Any]:
    """The list in the file; each mapping in it has its line under `__line__`."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Safe, in C where libyaml is there, and keeping line numbers."""

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            return {**super().construct_mapping(node, deep), _LINE: node.start_mark.line + 1}

    try:
        loaded = yaml.load(text, Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise ParseError(f"not valid YAML: {error.problem}", location=Location(path, line)) from error
    if not isinstance(loaded, list):
        raise ParseError("not a list of functions", location=Location(path))
    return loaded


def _entry(item: Any, path: str) -> FunctionEntry:
    if not isinstance(item, dict) or not isinstance(item.get("func"), str):
        line = item.get(_LINE, 0) if isinstance(item, dict) else 0
        raise ParseError("an entry without `func`", location=Location(path, line))
    return FunctionEntry(
        func=item["func"],
        line=item[_LINE],
        variants=_words(item.get("variants", "function")),
        composite_implicit=_is_composite_implicit(item),
        structured_delegate=str(item.get("structured_delegate", "")),
        tags=_words(item.get("tags", ())),
    )


def _generated(item: Mapping[str, Any], entry: FunctionEntry) -> Iterator[GeneratedEntry]:
    """What torchgen makes of an entry; one in place and the other beside it may name the same."""
    if is_generated(entry.composite_implicit, entry.tags):
        yield from (GeneratedEntry(name, entry) for name in _words(item.get("autogen", ())))


def _words(value: str | list[str] | tuple[()]) -> tuple[str, ...]:
    """`function, method`, `[core, pointwise]` and `core`, each as a tuple."""
    return tuple(value.split(", ")) if isinstance(value, str) else tuple(value)


def _is_composite_implicit(item: Mapping[str, Any]) -> bool:
    """As torchgen decides it: by a dispatch key, or for want of both a dispatch table and a structured delegate."""
    dispatch = item.get("dispatch")
    if dispatch:
        return any("CompositeImplicitAutograd" in keys.split(", ") for keys in dispatch if keys != _LINE)
    return "structured_delegate" not in item
