"""Finds an autograd.Function by `package.module:ClassName` and reads its methods; nothing of the user's is executed."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from symgen.errors import ParseError, SymgenError, UnknownNameError, UsageError
from symgen.introspect.forward import count_results, read_parameters
from symgen.introspect.modules import SourceModule, load_module
from symgen.model.autograd import LOCALS, FunctionClass
from symgen.model.ownership import parse_marker

CLASS_NAME = re.compile(
    r"(?P<module>[^\W\d]\w*(?:\.[^\W\d]\w*)*):(?P<qualname>[^\W\d]\w*(?:\.<locals>)?(?:\.[^\W\d]\w*(?:\.<locals>)?)*)"
)
_ROOT = re.compile(r"torch\.autograd(?:\.\w+)*\.(?:Function|InplaceFunction|NestedIOFunction)")
_TRANSPARENT = frozenset({"staticmethod", "custom_fwd", "disable", "no_grad"})
"""Wrappers around `forward` that take what it takes."""
_LONGEST_TRAIL = 20
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, eq=False)
class _Found:
    """A class statement, and the module in which it stands."""

    module: SourceModule
    node: ast.ClassDef
    qualname: str

    def member(self, name: str) -> ast.stmt | None:
        """The statement that gives the class its method or class of that name; the last one counts."""
        return next((statement for statement in reversed(self.node.body) if name in _bound(statement)), None)


@dataclass
class _Reader:
    """Follows names from module to module."""

    start: Path
    modules: dict[str, SourceModule] = field(default_factory=dict)

    def module(self, name: str) -> SourceModule:
        if name not in self.modules:
            self.modules[name] = load_module(name, self.start)
        return self.modules[name]

    def find(self, module: SourceModule, dotted: str, trail: int = 0) -> _Found | None:
        """The class of that name in a module, where it is imported from or another name for it too."""
        first, *rest = dotted.split(".")
        statement = next((s for s in _statements(module.tree.body) if first in _bound(s)), None)
        if trail > _LONGEST_TRAIL or statement is None:
            return None
        if isinstance(statement, ast.ClassDef):
            return _inner(_Found(module, statement, first), rest)
        if isinstance(statement, ast.FunctionDef):
            return _local(module, statement, first, rest)
        meaning = _meaning(module, statement, first)
        if meaning is None:
            return None
        return self.resolve(module, ".".join([meaning, *rest]), trail + 1)

    def resolve(self, module: SourceModule, dotted: str, trail: int = 0) -> _Found | None:
        """The class that a dotted name means: one of the module itself, or one of a module that is named in full."""
        if (found := self.find(module, dotted, trail)) is not None:
            return found
        parts = dotted.split(".")
        for cut in range(len(parts) - 1, 0, -1):
            try:
                other = self.module(".".join(parts[:cut]))
            except SymgenError:
                continue
            return self.find(other, ".".join(parts[cut:]), trail + 1)
        return None


@dataclass(frozen=True, eq=False)
class _Family:
    """A class with those that it inherits from, as far as their sources are found."""

    reader: _Reader
    found: _Found

    @cached_property
    def members(self) -> tuple[_Found, ...]:
        """The class and its bases, nearest first."""
        return tuple(self._walk(self.found, set()))

    @cached_property
    def is_function(self) -> bool:
        """Whether one of them inherits from torch's own class, or a base of somebody else's can't be read."""
        return any(
            _ROOT.fullmatch(base) or (not _is_torch(base) and self.reader.resolve(one.module, base) is None)
            for one in self.members
            for base in _base_names(one)
        )

    def member(self, name: str) -> tuple[_Found, ast.stmt] | None:
        """The method of that name, with the class that has it."""
        for one in self.members:
            if (statement := one.member(name)) is not None:
                return one, statement
        return None

    def _walk(self, found: _Found, seen: set[ast.ClassDef]) -> Iterator[_Found]:
        if found.node in seen:
            return
        seen.add(found.node)
        yield found
        for base in _base_names(found):
            inherited = None if _is_torch(base) else self.reader.resolve(found.module, base)
            if inherited is not None:
                yield from self._walk(inherited, seen)


def _is_torch(dotted: str) -> bool:
    """Whether a name is one of torch's own."""
    return dotted.startswith("torch.")


def load_function_class(asked: str, start: Path) -> FunctionClass:
    """Reads the class that `package.module:ClassName` (or `package.module:Outer.Inner`) names.

    A class that a function makes is `package.module:function.ClassName`, or `...:function.<locals>.ClassName`.

    Args:
        asked: what was typed.
        start: the folder that comes first on the module path.

    Raises:
        UsageError: where the text is no such name, or the class is no autograd.Function with a `forward`.
        UnknownNameError: where there is no such module or class.
        ParseError: where a file is not Python, or `forward` is made in a way that can't be read.
    """
    match = CLASS_NAME.fullmatch(asked)
    if match is None:
        raise UsageError(f"{asked!r} is not the name of a class", hint="write it as package.module:ClassName")
    reader = _Reader(start)
    module = reader.module(match["module"])
    found = reader.find(module, match["qualname"].replace(f".{LOCALS}", ""))
    if found is None:
        names = [f"{module.name}:{s.name}" for s in _statements(module.tree.body) if isinstance(s, ast.ClassDef)]
        raise UnknownNameError(f"{module.name} has no class {match['qualname']}", nearest=_nearest(asked, names))
    family = _Family(reader, found)
    if not family.is_function:
        raise UsageError(
            f"{found.qualname} is no torch.autograd.Function", location=found.module.location(found.node),
            hint="only those have a symbolic method",
        )  # fmt: skip
    return _read(family)


def _read(family: _Family) -> FunctionClass:
    found = family.found
    module, forward = _forward(family)
    has_context = family.member("setup_context") is None
    symbolic = family.member("symbolic")
    is_written = symbolic is not None and symbolic[0] is found and _is_generated(*symbolic)
    if is_written:
        symbolic = None
    return FunctionClass(
        module=found.module.name,
        qualname=found.qualname,
        location=found.module.location(found.node),
        parameters=read_parameters(forward, module.text, has_context=has_context),
        outputs=count_results(forward),
        forward=textwrap.dedent(" " * forward.col_offset + (ast.get_source_segment(module.text, forward) or "")),
        imports=tuple(_imports_of(module)),
        imports_torch=_imported(found.module, "torch") == "torch",
        is_script=any(isinstance(s, ast.If) and "__name__" in ast.unparse(s.test) for s in found.module.tree.body),
        symbolic=symbolic[0].module.location(symbolic[1]) if symbolic else None,
        is_written=is_written,
        symbolic_owner=symbolic[0].qualname if symbolic else "",
    )


def _is_generated(found: _Found, statement: ast.stmt) -> bool:
    """Whether symgen's line stands above a statement."""
    first = min([statement.lineno, *(node.lineno for node in getattr(statement, "decorator_list", []))])
    lines = _LINE_END.split(found.module.text)
    return first > 1 and parse_marker(lines[first - 2]) is not None


def _forward(family: _Family) -> tuple[SourceModule, ast.FunctionDef | ast.Lambda]:
    """The function behind `forward`, and the module that it stands in."""
    member = family.member("forward")
    if member is None:
        found = family.found
        raise UsageError(f"{found.qualname} has no forward", location=found.module.location(found.node))
    owner, statement = member
    if isinstance(statement, ast.FunctionDef):
        return owner.module, statement
    value = _unwrapped(statement.value) if isinstance(statement, ast.Assign) else None
    if isinstance(value, ast.Lambda):
        return owner.module, value
    if isinstance(value, ast.Name):
        for other in _statements(owner.module.tree.body):
            if isinstance(other, ast.FunctionDef) and other.name == value.id:
                return owner.module, other
    raise ParseError("this forward cannot be read", location=owner.module.location(statement), hint="write it as a def")


def _unwrapped(value: ast.expr) -> ast.expr:
    """What stands inside `staticmethod(...)` and `custom_fwd(...)(...)`."""
    while isinstance(value, ast.Call) and value.args:
        maker = value.func.func if isinstance(value.func, ast.Call) else value.func
        name = maker.attr if isinstance(maker, ast.Attribute) else getattr(maker, "id", "")
        if name not in _TRANSPARENT:
            break
        value = value.args[0]
    return value


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module that run on import, those in branches too."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try | ast.With):
            for name in ("body", "orelse", "handlers", "finalbody"):
                for child in getattr(statement, name, ()):
                    yield from _statements(child.body if isinstance(child, ast.ExceptHandler) else [child])


def _bound(statement: ast.stmt) -> tuple[str, ...]:
    """The names that a statement binds, those in branches inside it left out."""
    match statement:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return (name,)
        case ast.Import(names=aliases):
            return tuple(alias.asname or alias.name.partition(".")[0] for alias in aliases)
        case ast.ImportFrom(names=aliases):
            return tuple(alias.asname or alias.name for alias in aliases)
        case ast.Assign(targets=targets):
            return tuple(target.id for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            return (name,)
    return ()


def _meaning(module: SourceModule, statement: ast.stmt, name: str) -> str | None:
    """What a name stands for, as a dotted name; None where that can't be told."""
    match statement:
        case ast.ImportFrom(names=aliases, level=level, module=source):
            alias = next(alias for alias in aliases if name == (alias.asname or alias.name))
            return f"{module.absolute(level, source or '')}.{alias.name}"
        case ast.Import(names=aliases):
            renamed = next((alias.name for alias in aliases if alias.asname == name), None)
            return renamed
        case ast.Assign(value=ast.Name() | ast.Attribute() as value):
            return ast.unparse(value)
    return None


def _base_names(found: _Found) -> Iterator[str]:
    """The bases of a class as dotted names, their first parts as the imports of the module have them."""
    for base in found.node.bases:
        dotted = ast.unparse(base.value if isinstance(base, ast.Subscript) else base)
        first, _, rest = dotted.partition(".")
        yield ".".join(filter(None, [_imported(found.module, first) or first, rest]))


def _imported(module: SourceModule, name: str) -> str | None:
    """What the module imports under a name, None where it imports nothing under it."""
    for statement in _statements(module.tree.body):
        if isinstance(statement, ast.Import | ast.ImportFrom) and name in _bound(statement):
            return _meaning(module, statement, name) or name
    return None


def _imports_of(module: SourceModule) -> Iterator[tuple[str, str]]:
    for statement in _statements(module.tree.body):
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield from ((name, _meaning(module, statement, name) or name) for name in _bound(statement))


def _inner(found: _Found, names: Sequence[str]) -> _Found | None:
    for place, name in enumerate(names, 1):
        member = found.member(name)
        if isinstance(member, ast.FunctionDef):
            return _local(found.module, member, f"{found.qualname}.{name}", names[place:])
        if not isinstance(member, ast.ClassDef):
            return None
        found = _Found(found.module, member, f"{found.qualname}.{name}")
    return found


def _local(module: SourceModule, function: ast.FunctionDef, qualname: str, names: Sequence[str]) -> _Found | None:
    """The class of that name which a function makes when it runs."""
    if not names:
        return None
    first, *rest = names
    statement = next((one for one in _statements(function.body) if first in _bound(one)), None)
    qualname = f"{qualname}.{LOCALS}.{first}"
    if isinstance(statement, ast.ClassDef):
        return _inner(_Found(module, statement, qualname), rest)
    return _local(module, statement, qualname, rest) if isinstance(statement, ast.FunctionDef) else None


def _nearest(asked: str, names: Sequence[str]) -> tuple[str, ...]:
    from rapidfuzz import fuzz, process

    return tuple(name for name, _, _ in process.extract(asked, names, scorer=fuzz.ratio, limit=3, score_cutoff=60))
