"""Walks the code of functions once: which ONNX calls and names are reached at which opsets."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from symgen.check.reading.opsets import (
    ALIVE,
    GRAPHS,
    START,
    Meaning,
    OpsetMask,
    is_opset,
    may_depend_on_opset,
    outcome_of,
)

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
NEVER_RETURN = frozenset({"_onnx_unsupported", "_onnx_opset_unsupported", "_onnx_opset_unsupported_detailed"})
"""Helpers of the exporter that always raise."""
_PARTS: Mapping[type[ast.AST], tuple[str, ...]] = {
    ast.BinOp: ("left", "right"),
    ast.Compare: ("left", "comparators"),
    ast.comprehension: ("target", "iter", "ifs"),
    ast.List: ("elts",),
    ast.Starred: ("value",),
    ast.Subscript: ("value", "slice"),
    ast.Tuple: ("elts",),
    ast.UnaryOp: ("operand",),
}
"""Where frequent expressions hold others; the rarer ones are asked for their fields."""
_INTROSPECTION = frozenset({"locals", "vars", "eval", "exec"})


class OpCall(NamedTuple):
    """A call `g.op("Name", ...)`, and the opsets at which its function's start leads to it."""

    node: ast.Call
    reached: OpsetMask


@dataclass(eq=False)
class Body:
    """What one function (or the module itself, or a class) does, without what nested functions do.

    Filled in by `read_bodies` and not changed after.
    """

    node: ast.AST
    around: weakref.ref[Body] | None = None
    """The scope around it: weak, so that a file's bodies are freed with it and not by the garbage collector."""
    bound: set[str] = field(default_factory=set)
    """The names that this scope binds: parameters and assignments."""
    nested: dict[str, list[Body]] = field(default_factory=dict)
    """The functions and classes defined in it, by name; lambdas under the empty name."""
    names: dict[str, OpsetMask] = field(default_factory=dict)
    """Each name that is read, with the opsets at which it is."""
    op_calls: list[OpCall] = field(default_factory=list)
    attributes: list[ast.Attribute] = field(default_factory=list)
    returns: list[ast.Return] = field(default_factory=list)
    deleted: set[str] = field(default_factory=set)

    @property
    def parent(self) -> Body | None:
        """The scope around this one; None for the module's."""
        return self.around() if self.around else None

    @cached_property
    def functions(self) -> Sequence[Body]:
        """Every function and class within this one, itself not among them, each before those in it."""
        inner = (body for bodies in self.nested.values() for body in bodies)
        return [found for body in inner for found in (body, *body.functions)]

    def reads(self, name: str) -> bool:
        """Whether a name of this scope is read here or in a nested function that does not hide it."""
        if name in self.names or not _INTROSPECTION.isdisjoint(self.names):
            return True
        inner = (body for bodies in self.nested.values() for body in bodies)
        return any(body.reads(name) for body in inner if name not in body.bound)

    def resolve(self, name: str) -> Sequence[Body]:
        """The functions that a name read in this scope means; none where it is, or may be, something else."""
        scope: Body | None = self
        while scope is not None:
            if name in scope.nested:
                return () if name in scope.bound else scope.nested[name]
            if name in scope.bound:
                return ()
            scope = scope.parent
        return ()


def read_bodies(tree: ast.Module) -> Body:
    """Walks a module; the result is the module's own body with all functions nested in it."""
    module = Body(tree)
    _Walker(module).block(tree.body, START)
    return module


class _Walker:
    """Walks one body. Masks are relative to its start: what is reached if it is entered at every opset."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._aliases: dict[str, Meaning] = {}
        self._telling: set[str] = set()
        """The names that hold the opset or the outcome of a test of it."""
        self._opset_seen = False
        """Whether what was visited last may have to do with the opset: most conditions need no closer look."""

    def block(self, statements: Iterable[ast.stmt], mask: OpsetMask) -> OpsetMask:
        """Walks statements that are reached at `mask`, and returns where their end is reached."""
        for statement in statements:
            mask = _STATEMENTS.get(statement.__class__, _Walker._plain)(self, statement, mask)
        return mask

    def _plain(self, statement: ast.stmt, mask: OpsetMask) -> OpsetMask:
        self._children(statement, mask)
        return mask

    def _if(self, node: ast.If, mask: OpsetMask) -> OpsetMask:
        """Walks the arms one after the other: a chain of `elif` may be longer than Python lets functions nest."""
        ends: list[tuple[OpsetMask, OpsetMask, bool]] = []
        while True:
            true, false = self._arms(node.test, mask)
            # Where nothing is known of the arms but that both go on, what follows is reached as before.
            ends.append((mask, self.block(node.body, true), true == false == mask & ALIVE))
            mask = false
            if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
                break
            node = node.orelse[0]
        after = self.block(node.orelse, mask)
        for before, end, untold in reversed(ends):
            after = before if untold and end and after else end | after
        return after

    def _arms(self, test: ast.expr, mask: OpsetMask) -> tuple[OpsetMask, OpsetMask]:
        """Visits a condition, and tells where it is true and false; no opset is known where that can't be told."""
        self._opset_seen = False
        self._visit(test, mask)
        if not self._opset_seen and not isinstance(test, ast.Constant):
            return mask, mask
        outcome = outcome_of(test, self._aliases)
        if outcome is None:
            return mask & ALIVE, mask & ALIVE
        return mask & (outcome[0] | ALIVE), mask & (outcome[1] | ALIVE)

    def _loop(self, node: ast.For, mask: OpsetMask) -> OpsetMask:
        self._visit(node.iter, mask)
        self._visit(node.target, mask)
        self.block(node.body, mask)
        self.block(node.orelse, mask)
        return mask

    def _while(self, node: ast.While, mask: OpsetMask) -> OpsetMask:
        self._visit(node.test, mask)
        self.block(node.body, mask)
        self.block(node.orelse, mask)
        return mask

    def _with(self, node: ast.With, mask: OpsetMask) -> OpsetMask:
        for item in node.items:
            self._visit(item.context_expr, mask)
            if item.optional_vars:
                self._visit(item.optional_vars, mask)
        return self.block(node.body, mask)

    def _try(self, node: ast.Try, mask: OpsetMask) -> OpsetMask:
        after = self.block(node.orelse, self.block(node.body, mask))
        for handler in node.handlers:
            if handler.type:
                self._visit(handler.type, mask)
            if handler.name:
                self._body.bound.add(handler.name)
            after |= self.block(handler.body, mask)
        ended = self.block(node.finalbody, mask)
        return after & ended

    def _match(self, node: ast.Match, mask: OpsetMask) -> OpsetMask:
        self._visit(node.subject, mask)
        inner = mask & ALIVE if may_depend_on_opset(node.subject) else mask
        for case in node.cases:
            self._children(case.pattern, mask)
            if case.guard:
                self._visit(case.guard, mask)
            self.block(case.body, inner)
        return inner

    def _function(self, node: ast.FunctionDef, mask: OpsetMask) -> OpsetMask:
        for decorator in node.decorator_list:
            self._visit(decorator, mask)
        self._enter(node.name, node, mask)
        return mask

    def _class(self, node: ast.ClassDef, mask: OpsetMask) -> OpsetMask:
        for expression in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
            self._visit(expression, mask)
        inner = Body(node, weakref.ref(self._body))
        self._body.nested.setdefault(node.name, []).append(inner)
        _Walker(inner).block(node.body, START)
        return mask

    def _return(self, node: ast.Return, mask: OpsetMask) -> OpsetMask:
        self._body.returns.append(node)
        if node.value:
            self._visit(node.value, mask)
        return 0

    def _ending(self, node: ast.stmt, mask: OpsetMask) -> OpsetMask:
        self._children(node, mask)
        return 0

    def _expression(self, node: ast.Expr, mask: OpsetMask) -> OpsetMask:
        value = node.value
        self._visit(value, mask)
        if not isinstance(value, ast.Call):
            return mask
        # A call for its effect alone that is given the graph may refuse some opsets.
        return 0 if _last_name(value.func) in NEVER_RETURN else mask & ALIVE if may_depend_on_opset(value) else mask

    def _assign(self, node: ast.Assign, mask: OpsetMask) -> OpsetMask:
        self._opset_seen = False
        self._visit(node.value, mask)
        telling = self._opset_seen
        for target in node.targets:
            is_new = isinstance(target, ast.Name) and target.id not in self._body.bound
            self._visit(target, mask)
            if telling and (is_new or not isinstance(node.value, ast.Call)):
                # The several results of a call are values; a single one may be the answer of a predicate.
                self._tell(target, node.value if is_new else None)
        return mask

    def _tell(self, target: ast.expr, value: ast.expr | None) -> None:
        """Remembers `opset = g.opset` and `is_new = g.opset >= 13`; of a name with several values nothing is known."""
        meaning = Meaning(None)
        if value is not None:
            is_itself = is_opset(value, self._aliases)
            meaning = Meaning(is_opset=True) if is_itself else Meaning(outcome_of(value, self._aliases))
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                self._aliases[node.id] = meaning
                self._telling.add(node.id)

    def _augmented(self, node: ast.AugAssign, mask: OpsetMask) -> OpsetMask:
        self._visit(node.value, mask)
        self._visit(node.target, mask)
        if isinstance(node.target, ast.Name):
            self._read(node.target.id, mask)
        return mask

    def _assert(self, node: ast.Assert, mask: OpsetMask) -> OpsetMask:
        if node.msg:
            self._visit(node.msg, mask)
        return self._arms(node.test, mask)[0]

    def _delete(self, node: ast.Delete, mask: OpsetMask) -> OpsetMask:
        self._body.deleted.update(target.id for target in node.targets if isinstance(target, ast.Name))
        self._children(node, mask)
        return mask

    def _import(self, node: ast.Import | ast.ImportFrom, mask: OpsetMask) -> OpsetMask:
        names = (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        self._body.bound.update(name for name in names if name != "*")
        return mask

    def _enter(self, name: str, node: FunctionNode, mask: OpsetMask) -> None:
        """Walks a nested function as a body of its own."""
        arguments = node.args
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default:
                self._visit(default, mask)
        for argument in all_arguments(arguments):
            # Only a path into a package (`torch.onnx.SymbolicContext`) is of interest: it may have moved.
            if isinstance(argument.annotation, ast.Attribute) and isinstance(argument.annotation.value, ast.Attribute):
                self._visit(argument.annotation, mask)
        inner = Body(node, weakref.ref(self._body))
        inner.bound.update(argument.arg for argument in all_arguments(arguments))
        self._body.nested.setdefault(name, []).append(inner)
        walker = _Walker(inner)
        if isinstance(node, ast.Lambda):
            walker._visit(node.body, START)
        else:
            walker.block(node.body, START)

    def _read(self, name: str, mask: OpsetMask) -> None:
        names = self._body.names
        names[name] = names.get(name, 0) | mask

    def _children(self, node: ast.AST, mask: OpsetMask) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._visit(child, mask)

    def _visit(self, root: ast.expr, mask: OpsetMask) -> None:
        """Walks an expression. The classes are compared by identity, most frequent first: this is the hot loop."""
        body = self._body
        names, telling = body.names, self._telling
        stack: list[Any] = [root]
        pop, push = stack.pop, stack.append
        while stack:
            node = pop()
            kind = node.__class__
            if kind is ast.Name:
                name = node.id
                if node.ctx.__class__ is ast.Load:
                    known = names.get(name, 0)
                    if known is not mask:
                        names[name] = known | mask if known else mask
                    if name in telling or "opset" in name:
                        self._opset_seen = True
                else:
                    body.bound.add(name)
                    if name in telling:
                        self._aliases[name] = Meaning(None)
            elif kind is ast.Constant:
                continue
            elif kind is ast.Attribute:
                body.attributes.append(node)
                while node.__class__ is ast.Attribute:
                    if "opset" in node.attr:
                        self._opset_seen = True
                    node = node.value
                push(node)
            elif kind is ast.Call:
                function = node.func
                if function.__class__ is ast.Attribute and function.attr == "op":
                    body.op_calls.append(OpCall(node, mask))
                push(function)
                if node.args and node.args[0].__class__ is ast.Name and node.args[0].id in GRAPHS:
                    self._opset_seen = True
                stack += node.args
                stack += [keyword.value for keyword in node.keywords]
            elif kind in _PARTS:
                for part in _PARTS[kind]:
                    value = getattr(node, part)
                    if value.__class__ is list:
                        stack += value
                    else:
                        push(value)
            elif kind is ast.BoolOp:
                self._short_circuit(node, mask)
            elif kind is ast.IfExp:
                self._conditional(node, mask)
            elif kind is ast.Lambda:
                self._enter("", node, mask)
            else:
                stack += [c for c in ast.iter_child_nodes(node) if isinstance(c, (ast.expr, ast.comprehension))]

    def _short_circuit(self, node: ast.BoolOp, mask: OpsetMask) -> None:
        for value in node.values:
            seen = self._opset_seen
            true, false = self._arms(value, mask)
            self._opset_seen |= seen
            mask = true if isinstance(node.op, ast.And) else false

    def _conditional(self, node: ast.IfExp, mask: OpsetMask) -> None:
        seen = self._opset_seen
        true, false = self._arms(node.test, mask)
        self._opset_seen |= seen
        self._visit(node.body, true)
        self._visit(node.orelse, false)


_STATEMENTS: Mapping[type[ast.stmt], Callable[..., OpsetMask]] = {
    ast.If: _Walker._if,
    ast.For: _Walker._loop,
    ast.AsyncFor: _Walker._loop,
    ast.While: _Walker._while,
    ast.With: _Walker._with,
    ast.AsyncWith: _Walker._with,
    ast.Try: _Walker._try,
    ast.Match: _Walker._match,
    ast.FunctionDef: _Walker._function,
    ast.AsyncFunctionDef: _Walker._function,
    ast.ClassDef: _Walker._class,
    ast.Return: _Walker._return,
    ast.Raise: _Walker._ending,
    ast.Break: _Walker._ending,
    ast.Continue: _Walker._ending,
    ast.Expr: _Walker._expression,
    ast.Assign: _Walker._assign,
    ast.AugAssign: _Walker._augmented,
    ast.Assert: _Walker._assert,
    ast.Delete: _Walker._delete,
    ast.Import: _Walker._import,
    ast.ImportFrom: _Walker._import,
}


def all_arguments(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters of a function, `*args` and `**kwargs` among them."""
    stars = [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *stars]


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
