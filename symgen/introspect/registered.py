"""What torch's exporter registers already, read from the source of its `symbolic_opset*.py` without importing them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from symgen.errors import ParseError
from symgen.introspect.cache import Row
from symgen.introspect.refusals import Refusal, SymbolicSources, read_refusals
from symgen.introspect.torch_install import TorchInstall
from symgen.model.location import Location

_REGISTER = "_onnx_symbolic"
_BLOCK_LIST = "_block_list_in_opset"


@dataclass(frozen=True)
class RegisteredFunction:
    """A symbolic function of torch's own: `op` is served by `function` from `opset` on."""

    op: str
    opset: int
    function: str
    location: Location
    refusals: tuple[Refusal, ...] = ()
    """What this function says that it does not take, as far as its source shows."""

    @classmethod
    def from_row(cls, row: Row) -> RegisteredFunction:
        """The function from its row in a cache."""
        op, opset, function, location, refusals = row
        return cls(op, opset, function, Location(*location), tuple(Refusal(*refusal) for refusal in refusals))


@dataclass(frozen=True)
class Registered:
    """All of torch's own symbolic functions by qualified name, each by rising opset."""

    functions: Mapping[str, tuple[RegisteredFunction, ...]]

    def serving(self, op: str, opset: int) -> RegisteredFunction | None:
        """The function that an export at `opset` calls for `op`; None where torch has none at or below it."""
        usable = [function for function in self.functions.get(op, ()) if function.opset <= opset]
        return usable[-1] if usable else None

    def opsets(self, op: str) -> tuple[int, ...]:
        """The opsets at which torch registers a function for `op`, rising."""
        return tuple(function.opset for function in self.functions.get(op, ()))

    def refusals(self, op: str, opset: int) -> tuple[Refusal, ...]:
        """What the function serving `op` at `opset` refuses; empty where there is none, or nothing is refused."""
        function = self.serving(op, opset)
        return function.refusals if function else ()


def load_registered(install: TorchInstall) -> Registered:
    """Reads the installed exporter's files.

    Raises:
        ParseError: where they are absent, unreadable, or register in a way that cannot be read statically.
    """
    files = install.symbolic_files
    if not files:
        raise ParseError("torch's symbolic_opset*.py are absent", location=Location(str(install.root)))
    texts = {path: _read(path) for path in (*files, install.symbolic_helper)}
    return parse_registered(texts)


def parse_registered(texts: Mapping[Path, str]) -> Registered:
    """Reads the text of the exporter's files; those named `symbolic_opset<N>.py` register, others hold helpers.

    Raises:
        ParseError: where a text is not Python, or a name or opset in a registration is not a constant.
    """
    modules = {path: _parse(text, path) for path, text in texts.items()}
    sources = SymbolicSources({path.stem: module for path, module in modules.items()})
    found: dict[str, dict[int, RegisteredFunction]] = {}
    for path, module in modules.items():
        if path.stem.startswith("symbolic_opset"):
            for registration in _registrations(module, path):
                refusals = read_refusals(sources, path.stem, registration.function, registration.arguments)
                function = RegisteredFunction(
                    registration.op, registration.opset, registration.function, registration.location, refusals
                )
                found.setdefault(function.op, {})[function.opset] = function
    return Registered({op: tuple(by[n] for n in sorted(by)) for op, by in sorted(found.items())})


@dataclass(frozen=True)
class _Registration:
    op: str
    opset: int
    function: str
    location: Location
    arguments: tuple[ast.expr, ...] = ()
    """What `_apply_params` hands to a function that makes symbolic functions."""


@dataclass
class _Scope:
    """The names of a module whose values are constants."""

    path: Path
    opset: int
    names: dict[str, ast.expr] = field(default_factory=dict)

    def bound(self, name: str, value: ast.expr) -> _Scope:
        """The same scope with one more name in it."""
        return _Scope(self.path, self.opset, {**self.names, name: value})

    def location(self, node: ast.expr | ast.stmt) -> Location:
        """Where a node stands."""
        return Location(str(self.path), node.lineno)

    def string(self, node: ast.expr) -> str:
        """The value of a string expression: a constant, a name for one, or an f-string of such."""
        match node:
            case ast.Constant(value=str(value)):
                return value
            case ast.Name(id=name) if name in self.names:
                return self.string(self.names[name])
            case ast.JoinedStr(values=values):
                return "".join(self.string(value) for value in values)
            case ast.FormattedValue(value=value):
                return self.string(value)
        raise ParseError(f"{ast.unparse(node)} is not a constant string", location=self.location(node))

    def opsets(self, call: ast.Call) -> tuple[int, ...]:
        """The opsets of one registering call: its own `opset=`, else the module's."""
        given = next((keyword.value for keyword in call.keywords if keyword.arg == "opset"), None)
        if given is None:
            return (self.opset,)
        try:
            value = ast.literal_eval(given)
        except ValueError as error:
            raise ParseError(f"{ast.unparse(given)} is not a constant opset", location=self.location(given)) from error
        return tuple(value) if isinstance(value, (list, tuple)) else (value,)


def _registrations(module: ast.Module, path: Path) -> Iterator[_Registration]:
    scope = _Scope(path, int(path.stem.removeprefix("symbolic_opset")))
    for statement in module.body:
        yield from _of_statement(statement, scope)
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                scope.names[name] = value


def _of_statement(statement: ast.stmt, scope: _Scope) -> Iterator[_Registration]:
    match statement:
        case ast.FunctionDef(name=name, decorator_list=decorators):
            for decorator in decorators:
                if isinstance(decorator, ast.Call) and _is_register(decorator.func):
                    yield from _of_call(decorator, name, scope)
        case ast.For(target=ast.Name(id=name), iter=iterable, body=body):
            for item in _elements(iterable, scope):
                for inner in body:
                    yield from _of_statement(inner, scope.bound(name, item))
        case ast.Assign(value=ast.Call(func=ast.Call() as register)) if _is_register(register.func):
            target = statement.targets[0]
            yield from _of_call(register, ast.unparse(target), scope)
        case ast.Expr(value=ast.Call(func=ast.Call() as register, args=[ast.Call(func=made)])) if _is_register(
            register.func
        ):
            yield from _of_call(register, ast.unparse(made).rpartition(".")[2], scope)


def _of_call(call: ast.Call, function: str, scope: _Scope) -> Iterator[_Registration]:
    op = scope.string(call.args[0])
    for opset in scope.opsets(call):
        yield _Registration(op, opset, function, scope.location(call), _applied(call))


def _applied(call: ast.Call) -> tuple[ast.expr, ...]:
    """The positional arguments of `_apply_params(...)` inside `decorate=[...]`."""
    for keyword in call.keywords:
        if keyword.arg == "decorate" and isinstance(keyword.value, ast.List):
            for item in keyword.value.elts:
                if isinstance(item, ast.Call) and ast.unparse(item.func).endswith("_apply_params"):
                    return tuple(item.args)
    return ()


def _elements(iterable: ast.expr, scope: _Scope) -> list[ast.expr]:
    """The items of a literal list or tuple, or of a name for one; none where it is anything else."""
    if isinstance(iterable, ast.Name):
        iterable = scope.names.get(iterable.id, iterable)
    return iterable.elts if isinstance(iterable, (ast.List, ast.Tuple)) else []


def _is_register(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == _REGISTER


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ParseError(f"cannot read torch's exporter: {error}", location=Location(str(path))) from error


def _parse(text: str, path: Path) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise ParseError(f"not valid Python: {error.msg}", location=Location(str(path), error.lineno or 0)) from error
