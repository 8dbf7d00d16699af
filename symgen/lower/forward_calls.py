"""Rewrites the `forward` of an autograd.Function: torch calls become calls of the operators' symbolic functions.

What only a run of the model knows is a graph value; everything else stays the Python that it is. A line that can't be
said so is left out where only the context of the backward pass needs it, and is the reason for giving up elsewhere.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from symgen.errors import UsageError
from symgen.lower.binding import Expression, Kind, bind_call
from symgen.model.autograd import FunctionClass, ParameterKind
from symgen.model.names import OpName, parse_op_name
from symgen.model.schema import AtenSchema

CALL = "__call__"
"""Stands for the function that calls a symbolic function; rendering gives it a name that is free."""
_BINARY: Mapping[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
}
_UNARY: Mapping[type[ast.unaryop], str] = {ast.USub: "neg", ast.Invert: "bitwise_not"}
_COMPARE: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
_TRANSPARENT = frozenset({"no_grad", "enable_grad"})


@dataclass(frozen=True)
class ForwardBody:
    """The rewritten body, and the operators that it calls, sorted."""

    lines: tuple[str, ...]
    ops: tuple[OpName, ...]
    static: tuple[str, ...]
    """Parameters that have to be Python values at export, as an `if` looks at them."""
    names: tuple[str, ...] = ()
    """The names that the lines bind, and the parameters."""


@dataclass(frozen=True)
class Untranslatable:
    """Why there is no such body, with the line of `forward`."""

    reason: str


class _GaveUp(Exception):
    """A piece of Python that can't be said in calls of symbolic functions."""

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(f"`{ast.unparse(node)}` {reason}")


Found = tuple[OpName, tuple[AtenSchema, ...]]
"""The operator that arrives at the exporter, and its overloads."""
Find = Callable[[str], Found | None]
"""Finds an operator by a name as `erf` or `special_erfcx`."""


def rewrite_forward(owner: FunctionClass, find: Find) -> ForwardBody | Untranslatable:
    """The body of a `symbolic` that does what `forward` does."""
    tree = ast.parse(owner.forward)
    function = tree.body[0]
    if isinstance(function, ast.FunctionDef):
        arguments, body = function.args, function.body
    else:
        found = next((node for node in ast.walk(tree) if isinstance(node, ast.Lambda)), None)
        if found is None:
            return Untranslatable("its text is no function")
        arguments, body = found.args, [ast.Return(found.body)]
    taken = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    parameters = [parameter.name for parameter in owner.parameters]
    if any(parameter.is_variadic for parameter in owner.parameters):
        return Untranslatable("it takes any number of arguments")
    rewriter = _Rewriter(find, dict(owner.imports), taken[0] if taken != parameters else "")
    for parameter in owner.parameters:
        kind = {ParameterKind.TENSOR: Kind.VALUE, ParameterKind.OPTION: Kind.STATIC}.get(parameter.kind, Kind.EITHER)
        rewriter.kinds[parameter.name] = kind
    try:
        statements = rewriter.block(body)
    except _GaveUp as reason:
        return Untranslatable(str(reason))
    lines = [line for statement in statements for line in ast.unparse(ast.fix_missing_locations(statement)).split("\n")]
    static = tuple(sorted(rewriter.static & set(parameters)))
    return ForwardBody(tuple(lines), tuple(sorted(rewriter.ops)), static, tuple(sorted(rewriter.kinds)))


@dataclass
class _Rewriter:
    """One body; `kinds` has the names that are bound so far."""

    find: Find
    imports: Mapping[str, str]
    context: str
    kinds: dict[str, Kind] = field(default_factory=dict)
    lost: dict[str, _GaveUp] = field(default_factory=dict)
    """Names whose values can't be said, with the reason; they may be used for the backward pass only."""
    ops: set[OpName] = field(default_factory=set)
    static: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    """Names of values that the body itself has made, into which it may write."""

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements, rewritten."""
        return [made for statement in body for made in self._statement(statement)]

    def _statement(self, node: ast.stmt) -> Iterator[ast.stmt]:
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Assert():
                return
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))) if name == self.context:
                return
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name))]) if name == self.context:
                return
            case ast.Return(value=ast.expr() as value):
                yield ast.Return(self._result(value))
            case ast.Assign(targets=[target], value=value):
                yield from self._assign(node, target, value)
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                yield from self._assign(node, target, value)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=operator, value=value):
                if self.kinds.get(name) is not Kind.STATIC and name not in self.bound:
                    raise _GaveUp(node, "writes into an argument")
                yield from self._assign(node, target, ast.BinOp(ast.Name(name, ast.Load()), operator, value))
            case ast.If(test=test, body=body, orelse=orelse):
                yield self._branch(test, body, orelse)
            case ast.With(items=[ast.withitem(context_expr=ast.Call(func=ast.Attribute(attr=name)))], body=body) if (
                name in _TRANSPARENT
            ):
                yield from self.block(body)
            case _:
                raise _GaveUp(node, "has no counterpart")

    def _assign(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> Iterator[ast.stmt]:
        names = [one.id for one in _targets(target)]
        try:
            made, kind = self._expression(value)
        except _GaveUp as reason:
            self.lost |= dict.fromkeys(names, reason)
            for name in names:
                self.kinds.pop(name, None)
            return
        for name in names:
            self.kinds[name] = kind
            self.lost.pop(name, None)
        if not isinstance(value, ast.Name):
            self.bound.update(names)
        yield ast.Assign([target], made)

    def _branch(self, test: ast.expr, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> ast.stmt:
        made = self._test(test)
        before = dict(self.kinds)
        then = self.block(body) or [ast.Pass()]
        after, self.kinds = self.kinds, dict(before)
        otherwise = self.block(orelse)
        for name, kind in after.items():
            other = self.kinds.setdefault(name, kind)
            self.kinds[name] = kind if kind is other else Kind.EITHER
        return ast.If(made, then, otherwise)

    def _test(self, node: ast.expr) -> ast.expr:
        """A condition that is decided at export."""
        match node:
            case ast.Compare(left=ast.Name(), ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
                return node
            case ast.BoolOp(op=operator, values=values):
                return ast.BoolOp(operator, [self._test(value) for value in values])
            case ast.UnaryOp(op=ast.Not() as operator, operand=operand):
                return ast.UnaryOp(operator, self._test(operand))
        self.static |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and self._is_either(one.id)}
        made, kind = self._expression(node, is_test=True)
        if kind is Kind.VALUE:
            raise _GaveUp(node, "depends on the values of tensors")
        return made

    def _is_either(self, name: str) -> bool:
        return self.kinds.get(name) is Kind.EITHER

    def _result(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Tuple):
            return ast.Tuple([self._result(element) for element in node.elts], ast.Load())
        made, kind = self._expression(node)
        if kind is Kind.STATIC:
            raise _GaveUp(node, "is no tensor")
        return made

    def _expression(self, node: ast.expr, *, is_test: bool = False) -> Expression:
        match node:
            case ast.Constant():
                return node, Kind.STATIC
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                parts = [self._expression(element) for element in elements]
                kind = Kind.STATIC if all(k is Kind.STATIC for _, k in parts) else Kind.VALUE
                return ast.List([part for part, _ in parts], ast.Load()), kind
            case ast.BinOp(left=left, op=operator, right=right):
                return self._operation(node, _BINARY.get(type(operator)), [left, right])
            case ast.UnaryOp(op=unary, operand=operand):
                return self._operation(node, _UNARY.get(type(unary)), [operand])
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                compared = None if is_test and self._all_plain([left, right]) else _COMPARE.get(type(operator))
                return self._operation(node, compared, [left, right])
            case ast.IfExp(test=test, body=body, orelse=orelse):
                (then, first), (other, second) = self._expression(body), self._expression(orelse)
                return ast.IfExp(self._test(test), then, other), first if first is second else Kind.EITHER
            case ast.Call():
                return self._call(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=int())):
                made, _ = self._expression(call)
                return ast.Subscript(made, node.slice, ast.Load()), Kind.VALUE
        raise _GaveUp(node, "has no counterpart")

    def _all_plain(self, nodes: Sequence[ast.expr]) -> bool:
        return all(self._expression(node)[1] is not Kind.VALUE for node in nodes)

    def _name(self, node: ast.expr, name: str) -> Expression:
        if name in self.lost:
            raise self.lost[name]
        if name == self.context or name not in self.kinds:
            raise _GaveUp(node, "is not known here")
        return node, self.kinds[name]

    def _operation(self, node: ast.expr, name: str | None, operands: list[ast.expr]) -> Expression:
        """An operator of Python: on Python values what it is, on tensors a call."""
        made = [self._expression(operand) for operand in operands]
        if all(kind is Kind.STATIC for _, kind in made) or name is None:
            if any(kind is Kind.VALUE for _, kind in made):
                raise _GaveUp(node, "has no counterpart")
            return node, Kind.STATIC
        return self._call_of(node, name, made, {})

    def _attribute(self, node: ast.Attribute) -> Expression:
        dotted = self._dotted(node)
        if dotted is not None and dotted.partition(".")[0] in ("torch", "math"):
            return node, Kind.STATIC
        if isinstance(node.value, ast.Call):
            op = self._op_of(node.value)
            made, kind = self._expression(node.value)
            results = [result.name for schema in (op[1] if op else ()) for result in schema.returns]
            if kind is Kind.VALUE and node.attr in results:
                return ast.Subscript(made, ast.Constant(results.index(node.attr)), ast.Load()), Kind.VALUE
        raise _GaveUp(node, "is known only when the model runs")

    def _call(self, node: ast.Call) -> Expression:
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            raise _GaveUp(node, "passes arguments by stars")
        arguments = [self._expression(argument) for argument in node.args]
        keywords = {str(keyword.arg): self._expression(keyword.value) for keyword in node.keywords}
        dotted = self._dotted(node.func)
        if dotted is not None and dotted.startswith("math."):
            return node, Kind.STATIC
        if isinstance(node.func, ast.Attribute) and dotted is None:
            receiver, kind = self._expression(node.func.value)
            if kind is Kind.STATIC:
                raise _GaveUp(node, "has no counterpart")
            return self._call_of(node, node.func.attr, [(receiver, Kind.VALUE), *arguments], keywords)
        name = "abs" if dotted is None and getattr(node.func, "id", "") == "abs" else _op_name(dotted or "")
        if not name:
            raise _GaveUp(node, "is no call of torch")
        return self._call_of(node, name, arguments, keywords)

    def _op_of(self, node: ast.Call) -> Found | None:
        dotted = self._dotted(node.func)
        name = node.func.attr if dotted is None and isinstance(node.func, ast.Attribute) else _op_name(dotted or "")
        return self.find(name) if name else None

    def _call_of(
        self,
        node: ast.expr,
        name: str,
        arguments: Sequence[Expression],
        keywords: Mapping[str, Expression],
    ) -> Expression:
        found = self.find(name)
        if found is None:
            raise _GaveUp(node, f"is no operator {name} that arrives at the exporter")
        op, overloads = found
        bound = bind_call(overloads, arguments, keywords)
        if bound is None:
            raise _GaveUp(node, f"fits no overload of {op.qualified}")
        self.ops.add(op)
        return ast.Call(ast.Name(CALL, ast.Load()), [ast.Constant(op.qualified), *bound], []), Kind.VALUE

    def _dotted(self, node: ast.expr) -> str | None:
        """`torch.special.erfcx` for `special.erfcx`, as the imports have it; None for anything but a module's name."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id in self.kinds or node.id not in self.imports:
            return None
        return ".".join([self.imports[node.id], *reversed(parts)])


def _targets(target: ast.expr) -> list[ast.Name]:
    """The names that an assignment binds."""
    elements = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    names = [element for element in elements if isinstance(element, ast.Name)]
    if len(names) != len(elements):
        raise _GaveUp(target, "is no name")
    return names


def _op_name(dotted: str) -> str:
    """`special_erfcx` for `torch.special.erfcx`; empty for what is no function of torch."""
    if not dotted.startswith("torch."):
        return ""
    try:
        return parse_op_name(dotted).base
    except UsageError:
        return ""
