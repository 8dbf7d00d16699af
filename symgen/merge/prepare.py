"""Definitions made ready for one file: its names for what they import and call, its decorators, its layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from symgen.merge.layout import format_method, format_sources
from symgen.merge.locate import Ground
from symgen.merge.names import BUILTINS, free_names, rename_free
from symgen.merge.outcome import MergeOptions
from symgen.merge.place import closing_index
from symgen.merge.registrars import Registrar, choose_registrar, decorator, find_registrars
from symgen.merge.source import Kind
from symgen.merge.style import FileStyle
from symgen.model.definition import Definition, Import


@dataclass(frozen=True)
class Prepared:
    """One definition as this file is to hold it."""

    definition: Definition
    name: str
    """What it is called here: a helper gives way where the file has something else of its name."""
    text: str
    """The decorators and the `def`, with `\\n` line ends."""
    imports: frozenset[Import]
    """Those that the file lacks."""
    after: int
    """The last statement that has to stand above it; -1 where none has to."""


@dataclass(frozen=True)
class _Written:
    """A definition before it is laid out."""

    name: str
    source: str
    imports: frozenset[Import] = frozenset()
    after: int = -1


def prepare_definitions(
    ground: Ground, definitions: Sequence[Definition], options: MergeOptions, style: FileStyle
) -> list[Prepared]:
    """Writes each definition as the file can use it, in one run of the formatter."""
    preparation = _Preparation(ground, definitions, options)
    written = [preparation.write(definition) for definition in definitions]
    functions = [one.source for one, definition in zip(written, definitions, strict=True) if not definition.container]
    texts = iter(format_sources(functions, style))
    result = []
    for one, definition in zip(written, definitions, strict=True):
        text = one.source if definition.container else next(texts)
        prepared = Prepared(definition, one.name, ground.source.encodable(text), one.imports, one.after)
        result.append(prepared)
    return result


def lay_out_method(prepared: Prepared, outer: str, style: FileStyle) -> Prepared:
    """The same method laid out for its class."""
    return replace(prepared, text=format_method(prepared.text, outer, style))


class _Preparation:
    """What all definitions of one merge share: the names that they may use."""

    def __init__(self, ground: Ground, definitions: Sequence[Definition], options: MergeOptions) -> None:
        self._ground = ground
        self._options = options
        self._closing = closing_index(ground.source.statements)
        self._registrars = self._usable_registrars()
        self._helper_names = {one.name: self._helper_name(one) for one in definitions if one.is_helper}
        self._added = {one.name for one in definitions}
        self._resolved: dict[Import, tuple[str, int, Import | None]] = {}

    def write(self, definition: Definition) -> _Written:
        """The definition with its registering decorators and the names of this file."""
        names: dict[str, str] = {}
        wanted = set[Import]()
        used = [self._resolve(one) for one in definition.imports]
        for one, (name, _, missing) in zip(definition.imports, used, strict=True):
            names[one.bound] = name
            wanted |= {missing} if missing else set()
        after = max((index for _, index, _ in used), default=-1)
        names |= {name: self._helper_names.get(name, name) for name in (*definition.requires, definition.name)}
        for hidden in self._hidden_builtins(definition):
            module, index, missing = self._resolve(Import("builtins"))
            names[hidden] = f"{module}.{hidden}"
            wanted |= {missing} if missing else set()
            after = max(after, index)
        source = rename_free(definition.source, {old: new for old, new in names.items() if old != new})
        decorators, decorated = self._decorators(definition)
        name = self._helper_names.get(definition.name, definition.name)
        after = max(after, decorated.after, self._last_needed(source))
        return _Written(name, "".join(decorators) + source, frozenset(wanted) | decorated.imports, after)

    def _last_needed(self, source: str) -> int:
        """The last function of the file's own that is called when the `def` runs, as a decorator is."""
        needed = free_names(source).at_definition
        standing = enumerate(self._ground.source.statements)
        return max((index for index, one in standing if one.kind is Kind.FUNCTION and one.name in needed), default=-1)

    def _decorators(self, definition: Definition) -> tuple[list[str], _Written]:
        lines, imports, after = list[str](), set[Import](), -1
        for registration in definition.registrations:
            registrar, module = choose_registrar(self._registrars, registration, self._options), ""
            if registrar:
                after = max(after, registrar.index)
            else:
                module, index, missing = self._resolve(self._options.registration)
                imports |= {missing} if missing else set()
                after = max(after, index)
            lines.append(decorator(registration, registrar, module, self._options))
        return lines, _Written("", "", frozenset(imports), after)

    def _resolve(self, wanted: Import) -> tuple[str, int, Import | None]:
        """The name of an imported object in this file, the statement that binds it, and the import if it is missing."""
        if wanted not in self._resolved:
            self._resolved[wanted] = self._resolve_anew(wanted)
        return self._resolved[wanted]

    def _resolve_anew(self, wanted: Import) -> tuple[str, int, Import | None]:
        bindings = self._ground.bindings
        found = bindings.find(wanted, before=self._closing)
        if found:
            return found.name, found.index, None
        top = Import(wanted.module.partition(".")[0]) if wanted == Import(wanted.module) else wanted
        others = bindings.by_name.get(wanted.bound, ())
        if all(one.fallback or one.gives(wanted) or one.gives(top) for one in others):
            return wanted.bound, -1, wanted
        alias = bindings.free_name(f"_{wanted.bound}")
        return alias, -1, replace(top, alias=alias)

    def _hidden_builtins(self, definition: Definition) -> frozenset[str]:
        """The builtins that it uses and that a function or variable of the file hides."""
        hidden = ((self._ground.bindings.by_name.keys() | self._added) & BUILTINS) - set(definition.calls)
        return frozenset(hidden & free_names(definition.source).all) if hidden else frozenset()

    def _helper_name(self, helper: Definition) -> str:
        statement = self._ground.statement(helper.key)
        if statement is not None:
            return statement.name or helper.name
        if helper.shared or not self._options.markers or self._ground.claim_on_name(helper.name) is None:
            return helper.name
        return self._ground.bindings.free_name(f"_symgen_{helper.name.lstrip('_')}")

    def _usable_registrars(self) -> tuple[Registrar, ...]:
        registrars = find_registrars(self._ground)
        end = self._closing
        return tuple(one for one in registrars if one.index < end and (one.deleted is None or one.deleted >= end))
