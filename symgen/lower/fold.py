"""Decides the branches of a plan that ask for the opset, or for what a target never has or says."""

from __future__ import annotations

import ast
import copy
import operator
from typing import cast

from symgen.model.plan import PlanFunction

_COMPARISONS = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}

_COUNTS = ("op.outputs", "op.unpacked_count(")
"""What asks the exporter how many results the caller unpacks."""


def tree_at(
    function: PlanFunction,
    opset: int,
    *,
    takes_complex: bool = True,
    knows_outputs: bool = True,
    is_captured: bool = False,
) -> ast.FunctionDef:
    """A function's tree without `op.opset`: comparisons with it are decided; what is not reached, or read, is gone.

    So is what is for complex arguments, where there are none, and for a number of results that the exporter never says;
    and `op.is_captured` is decided.
    """
    asked = ["op.opset", "op.is_captured"]
    asked += [*([] if takes_complex else ["op.is_complex("]), *([] if knows_outputs else _COUNTS)]
    if not any(one in function.source for one in asked):
        return function.tree()
    fold = _Fold(function.tree(), opset, takes_complex, knows_outputs, is_captured)
    folded = cast(ast.FunctionDef, fold.visit(function.tree()))
    while unread := _assigned(folded) - _read(folded):
        folded = _Without(unread).visit(folded)
    return ast.fix_missing_locations(folded)


def _assigned(function: ast.FunctionDef) -> set[str]:
    """The names that a statement assigns to which assigns to nothing else."""
    return {name for node in ast.walk(function) if (name := _only_target(node))}


def _read(function: ast.FunctionDef) -> set[str]:
    return {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _only_target(node: ast.AST) -> str:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case _:
            return ""


def negated(test: ast.expr) -> ast.expr:
    """The opposite of a test: `x is not None` rather than `not x is None`."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.Compare(left=left, ops=[ast.Is()], comparators=others):
            return ast.Compare(left, [ast.IsNot()], others)
    return ast.UnaryOp(ast.Not(), test)


class _Without(ast.NodeTransformer):
    """Takes assignments to some names out."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | None:
        return None if _only_target(node) in self._names else node

    def visit_If(self, node: ast.If) -> ast.stmt | None:
        self.generic_visit(node)
        if not node.body:
            node.test, node.body, node.orelse = negated(node.test), node.orelse, []
        return node if node.body else None

    def visit_For(self, node: ast.For) -> ast.stmt | None:
        self.generic_visit(node)
        return node if node.body else None


class _Fold(ast.NodeTransformer):
    def __init__(
        self, tree: ast.FunctionDef, opset: int, takes_complex: bool, knows_outputs: bool, is_captured: bool
    ) -> None:
        self._opset = opset
        self._takes_complex = takes_complex
        self._knows_outputs = knows_outputs
        self._is_captured = is_captured
        bound = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        self._single = {name for name in bound if bound.count(name) == 1}
        self._same: dict[str, ast.expr] = {}
        """The names that turned out to stand for None, or for what another name stands for."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        same = self._same.get(node.id) if isinstance(node.ctx, ast.Load) else None
        return node if same is None else ast.copy_location(copy.copy(same), node)

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        asks = any(map(self._is_count, ast.walk(node.value)))
        node.value = self.visit(node.value)
        name = _only_target(node)
        if asks and name in self._single and self._is_plain(node.value):
            self._same[name] = node.value
        return node

    def _is_count(self, node: ast.AST) -> bool:
        """Whether it asks how many results the caller unpacks, of an exporter that never says."""
        match node:
            case ast.Attribute(value=ast.Name(id="op"), attr="outputs" | "unpacked_count"):
                return not self._knows_outputs
            case _:
                return False

    def _is_plain(self, node: ast.expr) -> bool:
        """Whether it is None, or a name that never stands for anything else."""
        return _is_none(node) or (isinstance(node, ast.Name) and node.id in self._single)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node:
            case ast.Call(func=function) if self._is_count(function):
                return ast.copy_location(ast.Constant(None), node)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="op"), attr="is_complex")) if not self._takes_complex:
                return ast.copy_location(ast.Constant(False), node)
            case _:
                return cast(ast.expr, self.generic_visit(node))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        node = cast(ast.UnaryOp, self.generic_visit(node))
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=ast.Constant(value=bool(value))):
                return ast.copy_location(ast.Constant(not value), node)
            case _:
                return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        match node:
            case ast.Attribute(value=ast.Name(id="op"), attr="opset"):
                return ast.copy_location(ast.Constant(self._opset), node)
            case ast.Attribute(value=ast.Name(id="op"), attr="is_captured"):
                return ast.copy_location(ast.Constant(self._is_captured), node)
            case _ if self._is_count(node):
                return ast.copy_location(ast.Constant(None), node)
            case _:
                return cast(ast.expr, self.generic_visit(node))

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        node = cast(ast.Compare, self.generic_visit(node))
        match node:
            case ast.Compare(
                left=ast.Constant(value=int(left)), ops=[sign], comparators=[ast.Constant(value=int(right))]
            ):
                if type(sign) in _COMPARISONS:
                    return ast.copy_location(ast.Constant(_COMPARISONS[type(sign)](left, right)), node)
            case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as sign], comparators=[right]):
                if _is_none(left) and _is_none(right):
                    return ast.copy_location(ast.Constant(isinstance(sign, ast.Is)), node)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        node = cast(ast.BoolOp, self.generic_visit(node))
        decisive = isinstance(node.op, ast.Or)
        rest = []
        for value in node.values:
            if isinstance(value, ast.Constant) and isinstance(value.value, bool):
                if value.value is decisive:
                    return value
            else:
                rest.append(value)
        if not rest:
            return ast.copy_location(ast.Constant(not decisive), node)
        if len(rest) == 1:
            return rest[0]
        node.values = rest
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        node = cast(ast.IfExp, self.generic_visit(node))
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        match node:
            case ast.IfExp(test=ast.Compare(left=asked, ops=[ast.Is()], comparators=[none])) if _is_none(none):
                # `None if x is None else x`
                if _is_none(node.body) and ast.dump(asked) == ast.dump(node.orelse):
                    return node.orelse
        return node

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        node.test = self.visit(node.test)
        if isinstance(node.test, ast.Constant):
            return self._block(node.body if node.test.value else node.orelse)
        node.body = self._block(node.body)
        node.orelse = self._block(node.orelse)
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        node.iter = self.visit(node.iter)
        node.body = self._block(node.body)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.body = self._block(node.body)
        return node

    def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The statements, folded; what stands behind a `return` or a failure is never reached."""
        kept: list[ast.stmt] = []
        for statement in statements:
            folded = self.visit(statement)
            kept.extend(folded if isinstance(folded, list) else [folded])
            if kept and _ends_block(kept[-1]):
                break
        return kept


def _ends_block(statement: ast.stmt) -> bool:
    match statement:
        case ast.Return() | ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="op"), attr="fail"))):
            return True
        case _:
            return False


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
