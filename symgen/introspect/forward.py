"""Reads the `forward` of an autograd.Function: its parameters, what kind each is, and how many results it returns."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from symgen.model.autograd import ForwardParameter, ParameterKind

Function = ast.FunctionDef | ast.Lambda

_ATTRIBUTE_OF = {"int": "i", "SymInt": "i", "bool": "i", "float": "f", "SymFloat": "f", "str": "s"}
_LISTS = frozenset({"list", "List", "tuple", "Tuple", "Sequence", "Iterable", "Size"})
_OBJECTS = frozenset(
    {"Callable", "Module", "ModuleList", "Generator", "dict", "Dict", "Mapping", "set", "Set", "FunctionType", "type"}
)
_METHODS_OF_STRINGS = frozenset(
    name for name in dir(str) if not name.startswith("_") and name not in ("split", "index", "expandtabs")
)


_UNKNOWN = ParameterKind.UNKNOWN
_NOTHING = ForwardParameter("")


def read_parameters(forward: Function, text: str, *, has_context: bool) -> tuple[ForwardParameter, ...]:
    """The parameters that `apply` fills by position, with defaults as they stand in `text`."""
    arguments = forward.args
    names = [*arguments.posonlyargs, *arguments.args]
    required = len(names) - len(arguments.defaults)
    defaults = [*([None] * required), *arguments.defaults]
    pairs = list(zip(names, defaults, strict=True))[1 if has_context else 0 :]
    evidence = dict(_evidence(forward))
    found = [_parameter(argument, default, text, evidence) for argument, default in pairs]
    if arguments.vararg:
        found.append(_variadic(arguments.vararg, evidence))
    return tuple(found)


def count_results(forward: Function) -> int | None:
    """How many results it returns, where every return statement says the same."""
    if isinstance(forward, ast.Lambda):
        return _count(forward.body)
    counts = {_count(node.value) for node in own_nodes(forward) if isinstance(node, ast.Return)}
    return counts.pop() if len(counts) == 1 else None


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function's body, those of functions inside it left out."""
    pending: list[ast.AST] = list(function.body) if isinstance(function, ast.FunctionDef) else [function.body]
    while pending:
        node = pending.pop(0)
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            pending[:0] = ast.iter_child_nodes(node)


def _count(value: ast.expr | None) -> int | None:
    match value:
        case ast.Tuple(elts=elements) if not any(isinstance(element, ast.Starred) for element in elements):
            return len(elements)
        case ast.BinOp() | ast.UnaryOp() | ast.Compare():
            return 1
    return None


def _parameter(
    argument: ast.arg, default: ast.expr | None, text: str, evidence: Mapping[str, ForwardParameter]
) -> ForwardParameter:
    declared, of_default = _of_annotation(argument.annotation), _of_default(default)
    used = evidence.get(argument.arg, _NOTHING)
    shown = next((one for one in (declared, used, of_default) if one.refusal or one.kind is not _UNKNOWN), _NOTHING)
    return replace(
        shown,
        name=argument.arg,
        attribute=shown.attribute or of_default.attribute,
        default=None if default is None else ast.get_source_segment(text, default),
        is_declared=declared.kind is not _UNKNOWN,
        is_optional=declared.is_optional or used.is_optional or of_default.is_optional,
        refusal=declared.refusal or used.refusal,
    )


def _variadic(argument: ast.arg, evidence: Mapping[str, ForwardParameter]) -> ForwardParameter:
    refusal = _of_annotation(argument.annotation).refusal or evidence.get(argument.arg, _NOTHING).refusal
    return ForwardParameter(argument.arg, ParameterKind.TENSOR, is_variadic=True, refusal=refusal)


def _of_annotation(annotation: ast.expr | None) -> ForwardParameter:
    """What an annotation says."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return _NOTHING
    if annotation is None:
        return _NOTHING
    names = [getattr(node, "attr", getattr(node, "id", "None")) for node in _leaves(annotation)]
    listed, plain = set(names) & _LISTS, [name for name in names if name not in _LISTS]
    is_optional = "None" in plain or "Optional" in plain
    if objects := sorted(set(plain) & _OBJECTS):
        return ForwardParameter("", refusal=f"is a {objects[0]}, which no node can carry")
    if "Tensor" in plain and listed:
        refusal = "is a list of tensors, of which the exporter sees none; pass them as arguments of their own"
        return ForwardParameter("", refusal=refusal)
    if "Tensor" in plain:
        return ForwardParameter("", ParameterKind.TENSOR, is_optional=is_optional)
    attribute = _common_attribute(_ATTRIBUTE_OF[name] for name in plain if name in _ATTRIBUTE_OF)
    if attribute is None:
        return ForwardParameter("", is_optional=is_optional)
    return ForwardParameter("", ParameterKind.OPTION, attribute, is_optional=is_optional)


def _common_attribute(attributes: Iterable[str]) -> str | None:
    """The type of attribute that all of several can be written as, empty where there is none; None for no types."""
    found = set(attributes)
    if not found:
        return None
    return "f" if found == {"i", "f"} else found.pop() if len(found) == 1 else ""


def _leaves(annotation: ast.expr) -> Iterator[ast.expr]:
    """The names in an annotation (`torch.Tensor` as one), and None."""
    if isinstance(annotation, ast.Attribute | ast.Name | ast.Constant):
        yield annotation
    elif isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value).endswith("Callable"):
        yield annotation.value
    else:
        for child in ast.iter_child_nodes(annotation):
            if isinstance(child, ast.expr):
                yield from _leaves(child)


def _of_default(default: ast.expr | None) -> ForwardParameter:
    """What a constant says of the values that come in its place."""
    try:
        value = ast.literal_eval(default) if default is not None else ...
    except ValueError:
        return _NOTHING
    if value is None:
        return ForwardParameter("", is_optional=True)
    items = value if isinstance(value, list | tuple) else (value,)
    attribute = _common_attribute(_ATTRIBUTE_OF.get(type(item).__name__, "") for item in items)
    if not attribute:
        return _NOTHING
    # A whole number as default doesn't say that no fraction may come.
    return ForwardParameter("", ParameterKind.OPTION, attribute if attribute != "i" else "")


def _evidence(forward: Function) -> Iterator[tuple[str, ForwardParameter]]:
    """What the body shows of names, the weightier last."""
    nodes = list(own_nodes(forward))
    tested = {name for node in nodes for name in _tested_for_none(node)}
    for name in tested:
        yield name, ForwardParameter("", is_optional=True)
    for node in nodes:
        for name in _used_as_tensor(node):
            yield name, ForwardParameter("", ParameterKind.TENSOR, is_optional=name in tested)
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id=name)):
                refusal = f"is called in line {node.lineno}, and no node can carry a callable"
                yield name, ForwardParameter("", refusal=refusal)


def _tested_for_none(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            yield name


def _used_as_tensor(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=attribute) if attribute not in _METHODS_OF_STRINGS:
            yield name
        case ast.Call(func=ast.Attribute(attr="save_for_backward"), args=arguments):
            yield from (argument.id for argument in arguments if isinstance(argument, ast.Name))
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch" | "F")), args=[ast.Name(id=name), *_]):
            yield name
