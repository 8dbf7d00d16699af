"""Everything that torch declares, in one place: which operators exist, under which name each reaches the exporter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from symgen.errors import UnknownNameError
from symgen.introspect.annotations import parse_alternatives
from symgen.introspect.arrivals import Arrival, Measured, arrival, load_measured
from symgen.introspect.aten_schemas import parse_schema
from symgen.introspect.cache import LazyEntries, Rows, cached, to_rows
from symgen.introspect.custom_ops import schemas_of_stubs
from symgen.introspect.functional_names import calls_of
from symgen.introspect.library_schemas import library_file, load_library_schemas
from symgen.introspect.native_functions import FunctionEntry, GeneratedEntry, NativeFunctions, load_native_functions
from symgen.introspect.parameter_names import stub_names
from symgen.introspect.registered import Registered, RegisteredFunction, load_registered
from symgen.introspect.stubs import StubEntry, Stubs, load_torch_stubs, load_user_stubs, torch_stub_files
from symgen.introspect.torch_install import TorchInstall, find_torch
from symgen.model.location import Location
from symgen.model.names import OpName
from symgen.model.schema import AtenSchema, Operator, StubSignature

ATEN = "aten"


@dataclass(frozen=True)
class Catalogue:
    """The operators of one installed torch, and the custom ones of the user's stub files and loaded libraries."""

    install: TorchInstall
    functions: NativeFunctions
    stubs: Stubs
    registered: Registered
    measured: Mapping[str, Measured]
    loaded: tuple[AtenSchema, ...] = ()
    """The schemas that a library registered which the caller has loaded."""

    def __contains__(self, name: object) -> bool:
        """Whether something declares the operator, whatever its overload."""
        return isinstance(name, OpName) and bool(self._schemas(name))

    def __iter__(self) -> Iterator[OpName]:
        """The `aten` operators of native_functions.yaml that an export can meet, as it looks them up, sorted.

        Those that torchgen alone makes are not among them: nobody calls them, only torch.export makes them of others.
        """
        bases = {base.removesuffix("_") for base in self.functions if _reaching(self.functions.overloads(base))}
        return iter(sorted(OpName(ATEN, base) for base in bases))

    def operator(self, name: OpName) -> Operator:
        """All that is declared under a name; with an overload in the name, that one alone.

        Raises:
            UnknownNameError: where nothing declares it; with the nearest names.
            ParseError: where its declaration has an unknown type.
        """
        schemas = self._schemas(name)
        if not schemas:
            calls = calls_of(name.base) if name.namespace == ATEN else ""
            nearest = self.nearest(str(name))
            raise UnknownNameError(f"no operator {name.qualified} is declared", nearest=nearest, hint=calls)
        chosen = tuple(schema for schema in schemas if name.overload in {"", schema.name.overload})
        chosen = chosen or tuple(schema for schema in self._generated(name) if schema.name.overload == name.overload)
        if not chosen:
            overloads = [str(schema.name) for schema in _reaching(schemas)]
            raise UnknownNameError(f"{name.qualified} has no overload {name.overload!r}", nearest=overloads)
        return Operator(name, chosen, self._stubs(name))

    def arrives_as(self, name: OpName) -> Arrival:
        """Under which name the operator reaches the exporter, and why where it is another name.

        Raises:
            UnknownNameError: where nothing declares the operator.
        """
        declared = self.operator(name).overloads[0]
        return arrival(name, declared, self.measured) if name.namespace == ATEN else Arrival(name.without_overload())

    def overloads_reaching(self, name: OpName) -> tuple[AtenSchema, ...]:
        """The overloads that an export can meet: none with `out=`, none over named dimensions.

        An operator that exists only in place has its in-place overloads here.
        """
        return _reaching(self._schemas(name))

    def stub_names(self, schema: AtenSchema) -> tuple[str, ...]:
        """The names of a schema's arguments as the stub has them (`input` for `self`), position by position."""
        return stub_names(schema, self._stubs(schema.name))

    def nearest(self, text: str, limit: int = 3) -> tuple[str, ...]:
        """The declared names that come closest to what was typed, best first."""
        from rapidfuzz import fuzz, process

        namespace, _, base = text.rpartition("::")
        namespace = namespace or ATEN
        known = self._bases(namespace)
        matches = process.extract(base.partition(".")[0], known, scorer=fuzz.ratio, limit=limit, score_cutoff=60)
        return tuple(f"{namespace}::{name}" for name, _, _ in matches)

    def _schemas(self, name: OpName) -> tuple[AtenSchema, ...]:
        """Every overload, from where it is declared first: torch, a loaded library, the user's stubs, C++ alone."""
        if (base := self._native_base(name)) is not None:
            return self.functions.overloads(base)
        if self._is_functional(name):
            return self._generated(name)
        if loaded := tuple(schema for schema in self.loaded if schema.name.qualified == name.qualified):
            return loaded
        if stubs := self.stubs.of_user(name.base):
            return schemas_of_stubs(stubs, name.without_overload())
        texts = load_library_schemas(self.install, name.namespace).get(name.base, ())
        library = Location(str(library_file(self.install)))
        return tuple(parse_schema(text, library) for text in texts)

    def is_native(self, name: OpName) -> bool:
        """Whether native_functions.yaml declares the operator; some that scripts need are declared in C++ alone."""
        return self._native_base(name) is not None or self._is_functional(name)

    def _is_functional(self, name: OpName) -> bool:
        """Whether torchgen alone makes the operator, of one that writes into its arguments."""
        return name.namespace == ATEN and self.functions.is_functional(name.base)

    def _generated(self, name: OpName) -> tuple[AtenSchema, ...]:
        """What torchgen makes under a name: beside the overloads that are declared, or the whole operator."""
        return self.functions.generated_overloads(name.base) if name.namespace == ATEN else ()

    def _native_base(self, name: OpName) -> str | None:
        """The base in native_functions.yaml that a typed name means.

        It is the name itself; or with the underscore that the exporter strips (`__ixor_`, `fill_diagonal`); or without
        the `_out` under which the C++ functions of `out=` overloads go.
        """
        candidates = (name.base, f"{name.base}_", name.base.removesuffix("_out"))
        return next((base for base in candidates if name.namespace == ATEN and base in self.functions), None)

    def _stubs(self, name: OpName) -> tuple[StubSignature, ...]:
        """The stubs of an operator, their annotations checked against the types that exist."""
        base = self._native_base(name)
        stubs = self.stubs.of_torch(base) if base is not None else self.stubs.of_user(name.base)
        for stub in stubs:
            for parameter in stub.parameters:
                if parameter.annotation:
                    parse_alternatives(parameter.annotation, stub.location)
        return stubs

    def _bases(self, namespace: str) -> list[str]:
        """The base names that exist in a namespace."""
        if namespace == ATEN:
            return [*(name.base for name in self), *self.functions.functionals]
        loaded = {schema.name.base for schema in self.loaded if schema.name.namespace == namespace}
        return sorted({*loaded, *self.stubs.custom, *load_library_schemas(self.install, namespace)})


def load_catalogue(extra_stubs: Iterable[str | Path] = (), *, loaded: Iterable[AtenSchema] = ()) -> Catalogue:
    """Reads what the installed torch declares, from the cache where it can, and the user's stub files.

    Raises:
        SymgenError: where torch is absent or too old, or a file cannot be read; the message says which.
    """
    install = find_torch()
    exporter = (install.symbolic_helper, *install.symbolic_files)
    sources = [install.native_functions, *exporter, *torch_stub_files(install)]
    rows = cached(f"torch-{install.version}", [install.version], sources, lambda: _read_torch(install))
    return Catalogue(
        install=install,
        functions=NativeFunctions(
            str(install.native_functions),
            LazyEntries(rows["functions"], FunctionEntry.from_row),
            LazyEntries(rows["generated"], GeneratedEntry.from_row),
        ),
        stubs=Stubs(LazyEntries(rows["stubs"], StubEntry.from_row), load_user_stubs(extra_stubs)),
        registered=Registered(LazyEntries(rows["registered"], RegisteredFunction.from_row)),
        measured=load_measured(),
        loaded=tuple(loaded),
    )


def _read_torch(install: TorchInstall) -> dict[str, Rows]:
    """All that torch's files declare, as rows for the cache."""
    functions = load_native_functions(install)
    return {
        "functions": to_rows(functions.entries),
        "generated": to_rows(functions.generated),
        "stubs": to_rows(load_torch_stubs(install, functions)),
        "registered": to_rows(load_registered(install).functions),
    }


def _reaching(schemas: Iterable[AtenSchema]) -> tuple[AtenSchema, ...]:
    return tuple(schema for schema in schemas if schema.reaches_exporter)
