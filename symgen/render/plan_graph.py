"""A plan as a graph to draw: parameters at the top, operators in the order of the data, results at the bottom.

The body is read, not run. A branch is drawn as a choice between what its two sides give, a loop by its body, once.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from symgen.model.plan import Guarded, Ignored, Plan, PlanFunction

_SIGNS: Mapping[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "−", ast.Mult: "×", ast.Div: "÷", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",  # noqa: RUF001
    ast.MatMult: "MatMul", ast.BitAnd: "and", ast.BitOr: "or", ast.Gt: ">", ast.Lt: "<", ast.GtE: "≥", ast.LtE: "≤",
    ast.Eq: "=", ast.NotEq: "≠", ast.USub: "−", ast.Invert: "not", ast.Not: "not", ast.And: "and", ast.Or: "or",  # noqa: RUF001
}  # fmt: skip
_LONGEST = 38


class NodeKind(enum.StrEnum):
    """What a node stands for; the values are its classes in the drawing."""

    INPUT = "input"
    OPERATOR = "operator"
    SERVICE = "service"
    """What is done at export, as a cast."""
    HELPER = "helper"
    CHOICE = "choice"
    LOOP = "loop"
    RESULT = "result"


@dataclass(frozen=True)
class Node:
    """A box: its name, and below it what is constant there."""

    kind: NodeKind
    title: str
    detail: str = ""


@dataclass(frozen=True)
class Edge:
    """What flows from one node to another, by their places in the graph."""

    source: int
    target: int
    label: str = ""


@dataclass(frozen=True)
class Graph:
    """Nodes, each of which stands behind those that it takes something from."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def plan_graph(plan: Plan) -> Graph:
    """The graph of a plan's body; parameters that it doesn't use stand there with what becomes of them."""
    fates = {}
    for name, disposition in plan.dispositions.items():
        match disposition:
            case Guarded(allowed):
                fates[name] = f"only {allowed}"
            case Ignored():
                fates[name] = "no influence"
            case _:
                pass
    return function_graph(plan.body, [parameter.name for parameter in plan.parameters], fates)


def function_graph(function: PlanFunction, parameters: Sequence[str] = (), fates: Mapping[str, str] = {}) -> Graph:
    """The graph of a function in the plan language."""
    tree = function.shared_tree
    arguments = [a.arg for a in tree.args.args[1:]] + ([tree.args.vararg.arg] if tree.args.vararg else [])
    builder = _Builder(tree.args.args[0].arg if tree.args.args else "")
    variables = {
        name: builder.add(NodeKind.INPUT, name, fates.get(name, ""))
        for name in dict.fromkeys([*parameters, *arguments])
    }
    builder.block(tree.body, variables, "")
    return builder.graph()


class _Builder:
    """Collects nodes while it walks over statements; `variables` maps each name to the node that gave it."""

    def __init__(self, op: str) -> None:
        self._op = op
        self._nodes: list[Node] = []
        self._edges: dict[Edge, None] = {}

    def graph(self) -> Graph:
        return Graph(tuple(self._nodes), tuple(self._edges))

    def add(self, kind: NodeKind, title: str, detail: str = "", sources: Iterable[tuple[int | None, str]] = ()) -> int:
        self._nodes.append(Node(kind, _short(title), _short(detail)))
        number = len(self._nodes) - 1
        for source, label in sources:
            if source is not None:
                self._edges[Edge(source, number, _short(label))] = None
        return number

    def block(self, statements: Sequence[ast.stmt], variables: dict[str, int], under: str) -> bool:
        """Walks over statements; says whether they all end in a return or a raise."""
        for statement in statements:
            match statement:
                case ast.Assign(targets=targets, value=value):
                    self._assign(targets, self._value(value, variables), variables)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self._assign([target], self._value(value, variables), variables)
                case ast.AugAssign(target=ast.Name(id=name) as target, op=operator, value=value):
                    whole = ast.BinOp(ast.Name(name, ast.Load()), operator, value)
                    self._assign([target], self._value(whole, variables), variables)
                case ast.If():
                    if self._branch(statement, variables, under):
                        return True
                    if _ends(statement.body):
                        under = "otherwise"
                case ast.For(target=target, iter=iterated, body=body):
                    self._for(target, iterated, body, variables, under)
                case ast.While(body=body):
                    self.block(body, variables, under)
                case ast.FunctionDef(name=name):
                    self._inner(statement, name, variables)
                case ast.Return(value=value):
                    found = self._value(value, variables) if value else None
                    self.add(NodeKind.RESULT, "result", under, [(found, "")])
                    return True
                case ast.Raise():
                    return True
                case _:
                    pass
        return False

    def _branch(self, statement: ast.If, variables: dict[str, int], under: str) -> bool:
        test = ast.unparse(statement.test)
        yes, no = dict(variables), dict(variables)
        yes_ends = self.block(statement.body, yes, _both(under, test))
        no_ends = self.block(statement.orelse, no, _both(under, f"not ({test})")) if statement.orelse else False
        if yes_ends or no_ends:
            variables.update(no if yes_ends else yes)
            return yes_ends and no_ends
        for name in dict.fromkeys([*yes, *no]):
            if yes.get(name) != no.get(name):
                sources = [(yes.get(name), "yes"), (no.get(name), "no")]
                variables[name] = self.add(NodeKind.CHOICE, f"{name} by", test, sources)
        return False

    def _for(
        self, target: ast.expr, iterated: ast.expr, body: Sequence[ast.stmt], variables: dict[str, int], under: str
    ) -> None:
        source = self._value(iterated, variables)
        title = f"for {ast.unparse(target)}"
        self._assign([target], self.add(NodeKind.LOOP, title, ast.unparse(iterated), [(source, "")]), variables)
        self.block(body, variables, under)

    def _inner(self, function: ast.FunctionDef, name: str, variables: dict[str, int]) -> None:
        """The body of a loop of the model's: a node that takes what it uses from outside."""
        read = (node.id for node in ast.walk(function) if isinstance(node, ast.Name))
        own = {argument.arg for argument in function.args.args}
        closed = [(variables[one], "") for one in dict.fromkeys(read) if one in variables and one not in own]
        signature = ", ".join(argument.arg for argument in function.args.args[1:])
        variables[name] = self.add(NodeKind.LOOP, f"{name}({signature})", "", closed)

    def _assign(self, targets: Sequence[ast.expr], found: int | None, variables: dict[str, int]) -> None:
        for target in targets:
            for node in ast.walk(target):
                if isinstance(node, ast.Name):
                    if found is None:
                        variables.pop(node.id, None)
                    else:
                        variables[node.id] = found

    def _value(self, node: ast.expr, variables: Mapping[str, int]) -> int | None:
        """The node that gives an expression; None for a constant."""
        match node:
            case ast.Name(id=name):
                return variables.get(name)
            case ast.Call():
                return self._call(node, variables)
            case ast.BinOp(left=left, op=operator, right=right):
                return self._signed(operator, [left, right], variables)
            case ast.UnaryOp(op=operator, operand=operand):
                return self._signed(operator, [operand], variables)
            case ast.BoolOp(op=operator, values=values):
                return self._signed(operator, values, variables)
            case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in _SIGNS:
                return self._signed(operator, [left, right], variables)
            case ast.IfExp(test=test, body=body, orelse=other):
                sources = [(self._value(body, variables), "yes"), (self._value(other, variables), "no")]
                if all(source is None for source, _ in sources):
                    return None
                return self.add(NodeKind.CHOICE, "by", ast.unparse(test), sources)
            case ast.Subscript(value=value) | ast.Attribute(value=value) | ast.Starred(value=value):
                return self._value(value, variables)
            case _:
                return self._gathered(node, variables)

    def _signed(self, operator: ast.AST, operands: Sequence[ast.expr], variables: Mapping[str, int]) -> int | None:
        found = [self._value(operand, variables) for operand in operands]
        if all(one is None for one in found):
            return None
        texts = [ast.unparse(operand) if one is None else "·" for operand, one in zip(operands, found, strict=True)]
        sign = _SIGNS.get(type(operator), "?")
        detail = f" {sign} ".join(texts) if None in found else ""
        return self.add(NodeKind.OPERATOR, sign, detail, [(one, "") for one in found])

    def _call(self, node: ast.Call, variables: Mapping[str, int]) -> int | None:
        match node.func:
            case ast.Attribute(value=ast.Name(id=self._op), attr=name):
                kind = NodeKind.OPERATOR if name[:1].isupper() else NodeKind.SERVICE
                kind = NodeKind.LOOP if name == "loop" else kind
                arguments = node.args
            case ast.Name(id=name) if node.args and ast.unparse(node.args[0]) == self._op:
                kind, arguments = NodeKind.HELPER, node.args[1:]
            case _:
                return self._gathered(node, variables)
        sources: list[tuple[int | None, str]] = []
        constants = []
        for label, argument in [("", a) for a in arguments] + [(k.arg or "", k.value) for k in node.keywords]:
            found = self._value(argument, variables)
            sources.append((found, label))
            if found is None:
                constants.append(f"{label}={ast.unparse(argument)}" if label else ast.unparse(argument))
        return self.add(kind, name, ", ".join(constants), sources)

    def _gathered(self, node: ast.expr, variables: Mapping[str, int]) -> int | None:
        """What some other expression is made of: nothing for a constant, one node as it is, several put together."""
        parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        parts += [c.iter for c in ast.iter_child_nodes(node) if isinstance(c, ast.comprehension)]
        found = [one for part in parts if (one := self._value(part, variables)) is not None]
        if len(set(found)) < 2:
            return found[0] if found else None
        return self.add(NodeKind.SERVICE, "with", ast.unparse(node), [(one, "") for one in found])


def _ends(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise)


def _both(first: str, second: str) -> str:
    return f"{first} and {second}" if first else f"if {second}"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
