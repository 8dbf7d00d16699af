"""Reads the `def`s of `.pyi` files that declare operators, as functions or as Tensor methods."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from symgen.errors import ParseError
from symgen.introspect.cache import Row
from symgen.introspect.torch_install import TorchInstall
from symgen.model.location import Location
from symgen.model.schema import StubParameter, StubSignature

TENSOR_CLASS = "TensorBase"
_TORCH_STUBS = (
    "_C/_VariableFunctions.pyi",
    "_C/_nn.pyi",
    "_C/_linalg.pyi",
    "_C/_special.pyi",
    "_C/_fft.pyi",
    "_C/_sparse.pyi",
    "_C/_nested.pyi",
    "nn/functional.pyi",
    "_C/__init__.pyi",
)
"""In the order in which a declaration wins; which of them exist depends on torch's version."""


@dataclass(frozen=True)
class StubEntry:
    """One `def` as text, parsed when it is asked for."""

    text: str
    path: str
    line: int
    container: str = ""

    @classmethod
    def from_row(cls, row: Row) -> StubEntry:
        """The entry from its row in a cache."""
        return cls(*row)

    def signature(self) -> StubSignature:
        """The parsed signature."""
        (node,) = ast.parse(self.text).body
        assert isinstance(node, ast.FunctionDef)
        return _signature(node, Location(self.path, self.line), self.container)


@dataclass(frozen=True)
class Stubs:
    """The declarations of operators by name: torch's own, and those of the user's files."""

    torch: Mapping[str, tuple[StubEntry, ...]]
    custom: Mapping[str, tuple[StubEntry, ...]]

    def of_torch(self, name: str) -> tuple[StubSignature, ...]:
        """The signatures under which torch's stubs declare `name`, functions before methods."""
        return tuple(entry.signature() for entry in self.torch.get(name, ()))

    def of_user(self, name: str) -> tuple[StubSignature, ...]:
        """The signatures under which the user's files declare `name`."""
        return tuple(entry.signature() for entry in self.custom.get(name, ()))


def torch_stub_files(install: TorchInstall) -> tuple[Path, ...]:
    """The `.pyi` files of this torch that declare operators, in the order in which they win."""
    return tuple(path for relative in _TORCH_STUBS if (path := install.root / relative).is_file())


def parse_stubs(text: str, path: str, operators: Container[str] | None = None) -> tuple[StubSignature, ...]:
    """Reads every `def` that declares an operator: at the top level, or as a method of Tensor.

    With `operators` (the names that exist), a `def` of any other name is passed over; without, each declares one.

    Raises:
        ParseError: where the text is not Python; the location says where.
    """
    return tuple(
        _signature(node, Location(path, node.lineno), container)
        for node, container in _declarations(_parse(text, path), operators)
    )


def load_stubs(
    install: TorchInstall, extra: Iterable[str | Path] = (), operators: Container[str] | None = None
) -> Stubs:
    """Reads torch's stub files and the user's (`extra`).

    Raises:
        ParseError: where a file cannot be read or is not Python.
    """
    return Stubs(torch=load_torch_stubs(install, operators), custom=load_user_stubs(extra))


def load_torch_stubs(
    install: TorchInstall, operators: Container[str] | None = None
) -> Mapping[str, tuple[StubEntry, ...]]:
    """Reads torch's own stub files; raises as `load_stubs` does."""
    return _by_name(entry for path in torch_stub_files(install) for entry in load_entries(path, operators))


def load_user_stubs(paths: Iterable[str | Path]) -> Mapping[str, tuple[StubEntry, ...]]:
    """Reads the user's stub files, in which every function declares an operator; raises as `load_stubs` does."""
    return _by_name(entry for path in paths for entry in load_entries(Path(path)))


def load_entries(path: Path, operators: Container[str] | None = None) -> Iterator[tuple[str, StubEntry]]:
    """Reads one file into entries, each with its name; raises as `load_stubs` does."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ParseError(f"cannot read the stub file: {error}", location=Location(str(path))) from error
    for node, container in _declarations(_parse(text, str(path)), operators):
        line = node.lineno
        node.body = [ast.Expr(ast.Constant(...))]
        yield node.name, StubEntry(ast.unparse(node), str(path), line, container)


def _by_name(entries: Iterable[tuple[str, StubEntry]]) -> Mapping[str, tuple[StubEntry, ...]]:
    found: dict[str, tuple[StubEntry, ...]] = {}
    for name, entry in entries:
        found[name] = (*found.get(name, ()), entry)
    return found


def _parse(text: str, path: str) -> ast.Module:
    try:
        return ast.parse(text, path)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", 0) or 0
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        raise ParseError(f"not a valid stub file: {message}", location=Location(path, line)) from error


def _declarations(module: ast.Module, operators: Container[str] | None) -> Iterator[tuple[ast.FunctionDef, str]]:
    """The functions of the module and the methods of its Tensor class, with the class's name."""
    for node in module.body:
        match node:
            case ast.ClassDef(name=container, body=members) if container == TENSOR_CLASS:
                pass
            case _:
                container, members = "", [node]
        for member in members:
            if isinstance(member, ast.FunctionDef) and (operators is None or member.name in operators):
                yield member, container


def _signature(node: ast.FunctionDef, location: Location, container: str) -> StubSignature:
    return StubSignature(
        name=node.name,
        parameters=tuple(_parameters(node.args)),
        returns=ast.unparse(node.returns) if node.returns else "",
        location=location,
        container=container,
        decorators=tuple(ast.unparse(decorator) for decorator in node.decorator_list),
    )


def _parameters(arguments: ast.arguments) -> Iterator[StubParameter]:
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    for index, (argument, default) in enumerate(zip(positional, [*defaults, *arguments.defaults], strict=True)):
        kind = "positional_only" if index < len(arguments.posonlyargs) else "positional_or_keyword"
        yield _parameter(argument, kind, default)
    if arguments.vararg:
        yield _parameter(arguments.vararg, "var_positional")
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(argument, "keyword_only", default)
    if arguments.kwarg:
        yield _parameter(arguments.kwarg, "var_keyword")


def _parameter(argument: ast.arg, kind: str, default: ast.expr | None = None) -> StubParameter:
    return StubParameter(
        name=argument.arg,
        annotation=ast.unparse(argument.annotation) if argument.annotation else "",
        default=ast.unparse(default) if default is not None else None,
        kind=kind,
    )
