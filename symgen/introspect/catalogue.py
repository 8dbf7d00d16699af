"""Everything that torch declares, in one place: which operators exist, under which name each reaches the exporter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from symgen.errors import UnknownNameError
from symgen.introspect.annotations import parse_alternatives
from symgen.introspect.arrivals import Arrival, Measured, load_measured
from symgen.introspect.aten_schemas import parse_schema
from symgen.introspect.custom_ops import schemas_of_stubs
from symgen.introspect.library_schemas import load_library_schemas
from symgen.introspect.native_functions import NativeFunctions, load_native_functions
from symgen.introspect.parameter_names import stub_names
from symgen.introspect.registered import Registered, load_registered
from symgen.introspect.stubs import Stubs, load_stubs
from symgen.introspect.torch_install import TorchInstall, find_torch
from symgen.model.location import Location
from symgen.model.names import OpName
from symgen.model.schema import AtenSchema, Operator, StubSignature

ATEN = "aten"


@dataclass(frozen=True)
class Catalogue:
    """The operators of one installed torch, and the custom ones of the user's stub files."""

    install: TorchInstall
    functions: NativeFunctions
    stubs: Stubs
    registered: Registered
    measured: Mapping[str, Measured]
    extra_schemas: tuple[AtenSchema, ...] = ()
    """Schemas that a loaded library registered, handed in as values."""
    _libraries: dict[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict, compare=False, repr=False)

    def __contains__(self, name: object) -> bool:
        """Whether something declares the operator, whatever its overload."""
        return isinstance(name, OpName) and (self._declared_base(name) is not None or bool(self._schemas(name)))

    def __iter__(self) -> Iterator[OpName]:
        """The `aten` operators under the names that reach the exporter, sorted."""
        bases = {self._looked_up(base) for base in self.functions if self._reaches(base)}
        return iter(sorted(OpName(ATEN, base) for base in bases))

    def operator(self, name: OpName) -> Operator:
        """All that is declared under a name; with an overload in the name, that one alone.

        Raises:
            UnknownNameError: where nothing declares it; with the nearest names.
            ParseError: where its declaration has an unknown type.
        """
        schemas = self._schemas(name)
        if not schemas:
            raise UnknownNameError(f"no operator {name.qualified} is declared", nearest=self.nearest(str(name)))
        chosen = tuple(s for s in schemas if s.name.overload == name.overload) if name.overload else schemas
        if not chosen:
            overloads = [str(schema.name) for schema in schemas]
            raise UnknownNameError(f"{name.qualified} has no overload {name.overload!r}", nearest=overloads)
        return Operator(name, chosen, self._stubs_of(name))

    def arrives_as(self, name: OpName) -> Arrival:
        """Under which name the operator reaches the exporter, and why where it is another name.

        Raises:
            UnknownNameError: where nothing declares the operator.
        """
        if name not in self:
            self.operator(name)
        return _arrival(self, name)

    def overloads_reaching(self, name: OpName) -> tuple[AtenSchema, ...]:
        """The overloads that an export can meet: none with `out=`, none over named dimensions.

        An operator that exists only in place has its in-place overloads here.
        """
        return tuple(schema for schema in self._schemas(name) if schema.reaches_exporter)

    def stub_names(self, schema: AtenSchema) -> tuple[str, ...]:
        """The names of a schema's arguments as the stub has them (`input` for `self`), position by position."""
        return stub_names(schema, self._stubs_of(schema.name))

    def nearest(self, text: str, limit: int = 3) -> tuple[str, ...]:
        """The declared names that come closest to what was typed, best first."""
        from rapidfuzz import fuzz, process

        namespace, _, base = text.rpartition("::")
        base = base.partition(".")[0]
        matches = process.extract(base, self._names(namespace or ATEN), scorer=fuzz.ratio, limit=limit, score_cutoff=60)
        return tuple(f"{namespace or ATEN}::{name}" for name, _, _ in matches)

    @cached_property
    def _custom_schemas(self) -> Mapping[str, tuple[AtenSchema, ...]]:
        found: dict[str, tuple[AtenSchema, ...]] = {}
        for schema in self.extra_schemas:
            key = schema.name.qualified
            found[key] = (*found.get(key, ()), schema)
        return found

    def _names(self, namespace: str) -> list[str]:
        """The bases that exist in a namespace."""
        if namespace == ATEN:
            return [name.base for name in self]
        qualified = [*self._library(namespace), *self._custom_schemas]
        bases = [name.removeprefix(f"{namespace}::") for name in qualified if name.startswith(f"{namespace}::")]
        return sorted({*bases, *self.stubs.custom})

    def _schemas(self, name: OpName) -> tuple[AtenSchema, ...]:
        if name.namespace == ATEN and (base := self._declared_base(name)) is not None:
            return self.functions.overloads(base)
        if registered := self._custom_schemas.get(name.qualified):
            return registered
        if stubs := self.stubs.of_user(name.base):
            return schemas_of_stubs(stubs, name.without_overload())
        if name.namespace == ATEN:
            return ()
        texts = self._library(name.namespace).get(name.qualified, ())
        return tuple(parse_schema(text, Location(str(self.install.root))) for text in texts)

    def _library(self, namespace: str) -> Mapping[str, tuple[str, ...]]:
        if namespace not in self._libraries:
            self._libraries[namespace] = load_library_schemas(self.install, namespace)
        return self._libraries[namespace]

    def _declared_base(self, name: OpName) -> str | None:
        """The base in native_functions.yaml that stands for a name: itself, or the one whose last `_` is stripped."""
        if name.namespace != ATEN:
            return None
        return next((base for base in (name.base, f"{name.base}_") if base in self.functions), None)

    def _reaches(self, base: str) -> bool:
        return any(schema.reaches_exporter for schema in self.functions.overloads(base))

    def _looked_up(self, base: str) -> str:
        return base.removesuffix("_")

    def _stubs_of(self, name: OpName) -> tuple[StubSignature, ...]:
        if name.namespace != ATEN:
            return self.stubs.of_user(name.base)
        base = self._declared_base(name) or name.base
        stubs = self.stubs.of_torch(base)
        for stub in stubs:
            for parameter in stub.parameters:
                if parameter.annotation:
                    parse_alternatives(parameter.annotation, stub.location)
        return stubs


def load_catalogue(extra_stubs: Iterable[str | Path] = (), *, extra_schemas: Iterable[AtenSchema] = ()) -> Catalogue:
    """Reads the installed torch and the user's stub files.

    Raises:
        SymgenError: where torch is absent or too old, or a file cannot be read; the message says which.
    """
    install = find_torch()
    functions = load_native_functions(install)
    return Catalogue(
        install=install,
        functions=functions,
        stubs=load_stubs(install, extra_stubs, functions),
        registered=load_registered(install),
        measured=load_measured(),
        extra_schemas=tuple(extra_schemas),
    )


def _arrival(catalogue: Catalogue, name: OpName) -> Arrival:
    op, reasons = name.without_overload(), []
    if op.namespace != ATEN:
        return Arrival(op)
    if op.base.endswith("_") and op.base in catalogue.functions:
        op = replace(op, base=op.base.removesuffix("_"))
        reasons.append("the exporter strips the trailing underscore before it looks a name up")
    measured = catalogue.measured.get(name.base) or catalogue.measured.get(op.base)
    if measured is None:
        return Arrival(op, "; ".join(reasons))
    parts = tuple(OpName(ATEN, part) for part in measured.traced)
    if len(parts) == 1:
        return Arrival(parts[0], "; ".join([*reasons, f"tracing records {op.qualified} as {parts[0].qualified}"]))
    listed = ", ".join(part.qualified for part in parts)
    return Arrival(op, "; ".join([*reasons, f"tracing takes it apart into {listed}"]), parts)
