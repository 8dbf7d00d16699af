"""Breaks a generated function on purpose, one small change at a time."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import onnx

OTHER_OPERATOR = {
    "Add": "Sub", "Sub": "Add", "Mul": "Div", "Div": "Mul", "Pow": "Mul", "Max": "Min", "Min": "Max", "And": "Or",
    "Or": "And", "Xor": "Or", "Greater": "Less", "Less": "Greater", "GreaterOrEqual": "Greater", "Equal": "Less",
    "LessOrEqual": "Less", "Exp": "Abs", "Log": "Abs", "Sqrt": "Abs", "Sin": "Cos", "Cos": "Sin", "Sinh": "Cosh",
    "Cosh": "Sinh", "Tan": "Sin", "Tanh": "Atan", "Asinh": "Sinh", "Acosh": "Cosh", "Atanh": "Tanh", "Abs": "Neg",
    "Neg": "Abs", "Floor": "Ceil", "Ceil": "Floor", "Round": "Floor", "Sign": "Identity", "Erf": "Tanh",
    "Not": "Identity", "IsNaN": "IsInf", "IsInf": "IsNaN", "Reciprocal": "Identity", "Relu": "Identity",
    "ReduceSum": "ReduceMean", "ReduceMean": "ReduceSum", "ReduceMax": "ReduceMin", "ReduceMin": "ReduceMax",
    "ReduceProd": "ReduceSum", "ArgMax": "ArgMin", "ArgMin": "ArgMax", "BitwiseXor": "BitwiseOr",
    "BitwiseAnd": "BitwiseOr", "BitwiseOr": "BitwiseAnd", "Elu": "Relu", "Softplus": "Relu", "Identity": "Neg",
}  # fmt: skip
ORDERED = {"Sub", "Div", "Pow", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "MatMul", "Mod", "PRelu"}

SWITCHES = {
    f"{name}_i": name
    for name in ("keepdims", "allowzero", "largest", "sorted", "exclusive", "reverse", "fmod", "upper", "antialias")
}
"""Attributes of type int that are a yes or a no."""


@dataclass(frozen=True)
class Mutant:
    """A broken module: what was changed, in which line, and its text."""

    change: str
    line: int
    code: str
    """The line as it was."""
    source: str


def mutants_of(source: str, function: str) -> Iterator[Mutant]:
    """Every mutant of one function of a module."""
    lines = source.splitlines()
    whole = next(n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name == function)
    before = lines[: min(node.lineno for node in (whole, *whole.decorator_list)) - 1]
    left_alone = set(map(id, (*_never_read(whole), *_switches(whole))))
    for number, node in enumerate(ast.walk(whole)):
        for change, mutate in _mutations(node) if id(node) not in left_alone else ():
            broken = copy.deepcopy(whole)
            mutate(list(ast.walk(broken))[number])
            text = ast.unparse(ast.fix_missing_locations(broken))
            line = getattr(node, "lineno", 1)
            yield Mutant(
                change, line, lines[line - 1].strip(), "\n".join([*before, text, *lines[whole.end_lineno :], ""])
            )


def _never_read(function: ast.stmt) -> Iterator[ast.AST]:
    """What a change of would change nothing: the exporter passes every argument, so that defaults are never used."""
    assert isinstance(function, ast.FunctionDef)
    for default in (*function.args.defaults, *function.args.kw_defaults):
        yield from ast.walk(default) if default is not None else ()


def _switches(function: ast.stmt) -> Iterator[ast.AST]:
    """The numbers that are a yes or a no, so that one more means the same."""
    for node in ast.walk(function):
        if isinstance(node, ast.keyword) and node.arg in SWITCHES:
            yield node.value


Mutation = tuple[str, Callable[[ast.AST], None]]


def _mutations(node: ast.AST) -> Iterator[Mutation]:
    if isinstance(node, ast.FunctionDef):
        yield from _of_function(node)
    elif isinstance(node, ast.Call) and _op_name(node):
        yield from _of_op(node)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.startswith("_cast"):
        yield "no cast", _becomes_argument(1)
    elif isinstance(node, ast.Constant):
        yield from _of_constant(node)
    elif isinstance(node, ast.If | ast.IfExp):
        yield "condition inverted", _negated
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) > 1:
        yield "outputs swapped", _reversed_tuple


def _of_function(node: ast.FunctionDef) -> Iterator[Mutation]:
    for place, decorator in enumerate(node.decorator_list):
        if "_promoted" in ast.unparse(decorator):
            yield "no promotion", _without_decorator(place)
    arguments = node.args.args
    defaults = node.args.defaults
    for argument, default in zip(arguments[len(arguments) - len(defaults) :], defaults, strict=True):
        yield f"{argument.arg} ignored", _with_first(f"{argument.arg} = {ast.unparse(default)}")


def _of_op(node: ast.Call) -> Iterator[Mutation]:
    name = _op_name(node)
    if name in OTHER_OPERATOR:
        yield f"{name} -> {OTHER_OPERATOR[name]}", _renamed(OTHER_OPERATOR[name])
    if name in ORDERED and len(node.args) == 3:
        yield f"operands of {name} swapped", _swapped(1, 2)
    if name == "Where" and len(node.args) == 4:
        yield "branches of Where swapped", _swapped(2, 3)
    if name in ("Cast", "CastLike"):
        yield "no cast", _becomes_argument(1)
    for place, keyword in enumerate(node.keywords):
        if keyword.arg not in ("to_i", "value_t", "outputs", None) and not _is_default(name, keyword):
            yield f"attribute {keyword.arg} dropped", _without_keyword(place)
        if keyword.arg in SWITCHES:
            yield f"{SWITCHES[keyword.arg]} inverted", _inverted_keyword(place)


def _is_default(name: str, keyword: ast.keyword) -> bool:
    """Whether an attribute says what holds without it."""
    attribute = onnx.defs.get_schema(name).attributes.get(str(keyword.arg).rpartition("_")[0])
    if attribute is None or not attribute.default_value.name or not isinstance(keyword.value, ast.Constant):
        return False
    return bool(onnx.helper.get_attribute_value(attribute.default_value) == keyword.value.value)


def _of_constant(node: ast.Constant) -> Iterator[Mutation]:
    value = node.value
    if isinstance(value, bool):
        yield f"{value} -> {not value}", _valued(not value)
    elif isinstance(value, int):
        yield f"{value} -> {value + 1}", _valued(value + 1)
    elif isinstance(value, float) and abs(value) < 1e300:
        yield f"{value} -> a little more", _valued(value * 1.001 if value else 1e-3)


def _op_name(node: ast.Call) -> str:
    """The ONNX operator of a call `g.op("Add", …)`, else nothing."""
    is_op = isinstance(node.func, ast.Attribute) and node.func.attr == "op" and node.args
    first = node.args[0] if is_op else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def _renamed(name: str) -> Callable[[ast.AST], None]:
    def mutate(node: ast.AST) -> None:
        assert isinstance(node, ast.Call)
        node.args[0] = ast.Constant(name)

    return mutate


def _swapped(one: int, other: int) -> Callable[[ast.AST], None]:
    def mutate(node: ast.AST) -> None:
        assert isinstance(node, ast.Call)
        node.args[one], node.args[other] = node.args[other], node.args[one]

    return mutate


def _becomes_argument(place: int) -> Callable[[ast.AST], None]:
    """The call becomes `(argument)`: written as a call of `_first`-like slicing of a one-element tuple."""

    def mutate(node: ast.AST) -> None:
        assert isinstance(node, ast.Call)
        kept = node.args[place]
        node.func = ast.Lambda(
            ast.arguments(posonlyargs=[], args=[ast.arg("kept")], kwonlyargs=[], kw_defaults=[], defaults=[]),
            ast.Name("kept", ast.Load()),
        )
        node.args, node.keywords = [kept], []

    return mutate


def _without_keyword(place: int) -> Callable[[ast.AST], None]:
    def mutate(node: ast.AST) -> None:
        assert isinstance(node, ast.Call)
        del node.keywords[place]

    return mutate


def _inverted_keyword(place: int) -> Callable[[ast.AST], None]:
    def mutate(node: ast.AST) -> None:
        assert isinstance(node, ast.Call)
        node.keywords[place].value = ast.IfExp(node.keywords[place].value, ast.Constant(0), ast.Constant(1))

    return mutate


def _without_decorator(place: int) -> Callable[[ast.AST], None]:
    def mutate(node: ast.AST) -> None:
        assert isinstance(node, ast.FunctionDef)
        del node.decorator_list[place]

    return mutate


def _with_first(statement: str) -> Callable[[ast.AST], None]:
    def mutate(node: ast.AST) -> None:
        assert isinstance(node, ast.FunctionDef)
        start = 1 if ast.get_docstring(node) is not None else 0
        node.body[start:start] = ast.parse(statement).body

    return mutate


def _valued(value: float) -> Callable[[ast.AST], None]:
    def mutate(node: ast.AST) -> None:
        assert isinstance(node, ast.Constant)
        node.value = value

    return mutate


def _negated(node: ast.AST) -> None:
    assert isinstance(node, ast.If | ast.IfExp)
    node.test = ast.UnaryOp(ast.Not(), node.test)


def _reversed_tuple(node: ast.AST) -> None:
    assert isinstance(node, ast.Return)
    assert isinstance(node.value, ast.Tuple)
    node.value.elts.reverse()
