"""Reads the knowledge: the entries and helpers of `match/decompositions`, and those of a user's own folder, as text.

Nothing of it is executed: decorators are read as literals, bodies stay text until `lower` rewrites them.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from symgen.errors import ParseError
from symgen.model.location import Location
from symgen.model.plan import PlanFunction, names_read

_FOLDER = Path(__file__).parent / "decompositions"
_NAME_IN_DECORATOR = re.compile(r"^@decomposition\((.*?)\)\n(?:@|def )", re.MULTILINE | re.DOTALL)
_OP_NAME = re.compile(r'"(\w+::\w+(?:\.\w+)?)"')


@dataclass(frozen=True)
class Entry:
    """One decomposition: the operators it translates, its function, and what its decorator says.

    The fields after `location` are the arguments of `symgen.match.language.decomposition`.
    """

    names: tuple[str, ...]
    function: PlanFunction
    family: str
    summary: str
    location: Location
    promote: tuple[str, ...] | None = None
    kind: str = ""
    widen: bool = True
    precise: bool = False
    as_float: tuple[str, ...] = ()
    unrounded: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    ignore: Mapping[str, str] = field(default_factory=dict)
    only: Mapping[str, object] = field(default_factory=dict)
    since: int = 9
    limits: tuple[str, ...] = ()
    returns_list: bool = False
    quantized: tuple[str, ...] = ()
    dynamo_only: str = ""
    torchscript_only: str = ""


@dataclass(frozen=True)
class Family:
    """One file of the knowledge."""

    name: str
    entries: tuple[Entry, ...]
    helpers: Mapping[str, PlanFunction]
    imports: Mapping[str, str]
    """Helpers imported from another file of the knowledge, with the stem of that file."""


class Knowledge:
    """All entries of some folders; files are read when an operator of theirs is asked for."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Finds the files. Folders named first win; within a folder the order is the files'."""
        self.paths = [path for folder in folders for path in sorted(folder.glob("*.py")) if path.stem != "__init__"]
        self._path_of: dict[str, Path] = {}
        self._of_stem: dict[str, list[Path]] = {}
        for path in self.paths:
            self._of_stem.setdefault(path.stem, []).append(path)
            for name in _names_declared(path.read_text(encoding="utf-8")):
                self._path_of.setdefault(name, path)

    def __contains__(self, name: str) -> bool:
        """Whether there is an entry for this name, `aten::max` or `aten::max.dim`."""
        return name in self._path_of

    def names(self) -> tuple[str, ...]:
        """Every operator with an entry, sorted."""
        return tuple(sorted(self._path_of))

    def families(self) -> tuple[str, ...]:
        """The names of the files that hold entries."""
        return tuple(sorted({path.stem for path in self._path_of.values()}))

    def family_of(self, name: str) -> str:
        """The name of the file in which the operator's entry stands."""
        return self._path_of[name].stem

    def entry(self, name: str) -> Entry | None:
        """The entry of an operator, None where there is none.

        Raises:
            ParseError: where the file is not in the plan language.
        """
        path = self._path_of.get(name)
        if path is None:
            return None
        return next(entry for entry in load_family(path).entries if name in entry.names)

    def helpers_of(self, function: PlanFunction, family: str) -> tuple[PlanFunction, ...]:
        """The helpers that a function calls, and those that they call, each after what it needs."""
        found: dict[str, PlanFunction] = {}

        def visit(current: PlanFunction, stem: str) -> None:
            for name in sorted(current.reads):
                located = self._locate(name, stem)
                if located is None or name in found:
                    continue
                helper, home = located
                visit(helper, home)
                found[name] = helper

        visit(function, family)
        return tuple(found.values())

    def helper(self, name: str, stem: str) -> PlanFunction:
        """The helper of that name in the file `stem`.

        Raises:
            KeyError: where there is none.
        """
        located = self._locate(name, stem)
        if located is None:
            raise KeyError(name)
        return located[0]

    def _locate(self, name: str, stem: str) -> tuple[PlanFunction, str] | None:
        for path in self._of_stem.get(stem, ()):
            family = load_family(path)
            if name in family.helpers:
                return family.helpers[name], stem
            if name in family.imports:
                return self._locate(name, family.imports[name])
        return None


@functools.lru_cache(maxsize=4)
def load_knowledge(own_folders: tuple[Path, ...] = ()) -> Knowledge:
    """The knowledge that comes with symgen, behind the user's own folders."""
    return Knowledge([*own_folders, _FOLDER])


@functools.lru_cache(maxsize=64)
def load_family(path: Path) -> Family:
    """One file of the knowledge, parsed."""
    return parse_family(path.read_text(encoding="utf-8"), path)


def parse_family(text: str, path: Path) -> Family:
    """Reads the entries and helpers of one file.

    Raises:
        ParseError: where it is not Python, or a decorator's arguments are not literals.
    """
    try:
        module = ast.parse(text)
    except SyntaxError as error:
        raise ParseError(error.msg, location=Location(str(path), error.lineno or 0)) from None
    constants = dict(_constants(module))
    entries, helpers, imports = [], {}, {}
    for statement in module.body:
        match statement:
            case ast.ImportFrom(module=str() as source, names=aliases):
                imports.update({alias.name: source.rpartition(".")[2] for alias in aliases})
            case ast.FunctionDef(decorator_list=[*_, ast.Name(id="helper")]):
                helpers[statement.name] = _plan_function(statement, text, constants)
            case ast.FunctionDef(decorator_list=[*_, ast.Call(func=ast.Name(id="decomposition")) as call]):
                entries.append(_entry(statement, call, text, constants, path))
            case _:
                pass
    return Family(path.stem, tuple(entries), helpers, imports)


def _entry(function: ast.FunctionDef, call: ast.Call, text: str, constants: Mapping[str, str], path: Path) -> Entry:
    location = Location(str(path), function.lineno)
    try:
        names = tuple(ast.literal_eval(argument) for argument in call.args)
        options = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg}
    except ValueError:
        raise ParseError(f"the decorator of {function.name} needs literals", location=location) from None
    options = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    try:
        return Entry(
            names=names,
            function=_plan_function(function, text, constants),
            family=path.stem,
            summary=ast.get_docstring(function) or "",
            location=location,
            **options,
        )
    except TypeError as error:
        raise ParseError(f"the decorator of {function.name}: {error}", location=location) from None


def _plan_function(function: ast.FunctionDef, text: str, constants: Mapping[str, str]) -> PlanFunction:
    lines = text.splitlines()[function.lineno - 1 : function.end_lineno]
    used = names_read(function)
    return PlanFunction(
        name=function.name,
        source="\n".join(lines) + "\n",
        constants=tuple((name, value) for name, value in constants.items() if name in used),
    )


def _constants(module: ast.Module) -> Iterator[tuple[str, str]]:
    for statement in module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, ast.unparse(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, ast.unparse(value)
            case _:
                pass


def _names_declared(text: str) -> Iterable[str]:
    for decorator in _NAME_IN_DECORATOR.finditer(text):
        arguments = re.split(r"\b\w+=", decorator[1], maxsplit=1)[0]
        yield from _OP_NAME.findall(arguments)
