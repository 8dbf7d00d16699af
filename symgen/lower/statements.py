"""Rewrites the statements of a plan, and writes them out with the comments that stood above them."""

from __future__ import annotations

import ast
import functools
import io
import tokenize
from collections.abc import Iterator, Mapping, Sequence

from symgen.lower.emitter import parsed
from symgen.lower.expressions import Context, Expressions, Used, bind_target
from symgen.lower.values import Kind, Scope, Value
from symgen.model.plan import PlanError

_INDENT = "    "
_LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT}


class Statements:
    """Rewrites a function's body; one instance a function."""

    def __init__(self, context: Context, scope: Scope, used: Used) -> None:
        self._context = context
        self._scope = scope
        self._used = used
        self.returned: list[Value] = []
        """The single values that the function returns."""

    def lower_block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements as generated code, each at the line where it stood."""
        return [ast.copy_location(self._lower(statement), statement) for statement in statements]

    @property
    def _expressions(self) -> Expressions:
        return Expressions(self._context, self._scope, self._used)

    def _lower(self, statement: ast.stmt) -> ast.stmt:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                return self._assign(name, value)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                return self._unpack(targets, value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                return self._assign(name, value)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=sign, value=value):
                return self._assign(name, ast.BinOp(ast.Name(target.id, ast.Load()), sign, value))
            case ast.Return(value=ast.expr() as value):
                return ast.Return(self._result(value))
            case ast.If():
                return self._branch(statement)
            case ast.For():
                return self._iterate(statement)
            case ast.While(test=test, body=body):
                return ast.While(self._expressions.lower(test).node, self.lower_block(body), [])
            case ast.FunctionDef():
                return self._function(statement)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="op"), attr="fail")) as call):
                return self._fail(call)
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=arguments) as call
            ):
                return self._list_method(name, method, arguments, call)
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass() | ast.Break() | ast.Continue():
                return statement
            case _:
                raise PlanError(f"{self._context.op}: the plan language has no {ast.unparse(statement)!r}")

    def _assign(self, name: str, value: ast.expr) -> ast.stmt:
        lowered = self._expressions.lower(value)
        target = self._context.names.get(name, name)
        self._scope.bind(name, lowered)
        if target != name:
            self._scope.variables[name] = Value(ast.Name(target, ast.Load()), lowered.kind, lowered.element, target)
        return ast.Assign([ast.Name(target, ast.Store())], lowered.node, lineno=0)

    def _unpack(self, targets: Sequence[ast.expr], value: ast.expr) -> ast.stmt:
        names = [self._name_of(target) for target in targets]
        stored = ast.Tuple([ast.Name(self._context.names.get(name, name), ast.Store()) for name in names], ast.Store())
        if isinstance(value, ast.Tuple):
            parts = [self._expressions.lower(element) for element in value.elts]
            for name, part in zip(names, parts, strict=True):
                self._scope.bind(name, part)
            return ast.Assign([stored], ast.Tuple([part.node for part in parts], ast.Load()), lineno=0)
        lowered = self._results(value, len(names))
        elements = _output_elements(value, lowered, len(names))
        kind = Kind.STATIC if lowered.kind is Kind.STATIC else Kind.GRAPH
        for name, element in zip(names, elements, strict=True):
            self._scope.bind(name, Value(lowered.node, kind, element))
        return ast.Assign([stored], lowered.node, lineno=0)

    def _results(self, value: ast.expr, count: int) -> Value:
        match value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="op"), attr=name)) if name[0].isupper():
                if not any(keyword.arg == "outputs" for keyword in value.keywords):
                    value = ast.Call(
                        value.func, value.args, [*value.keywords, ast.keyword("outputs", ast.Constant(count))]
                    )
            case _:
                pass
        return self._expressions.lower(value)

    def _name_of(self, target: ast.expr) -> str:
        if not isinstance(target, ast.Name):
            raise PlanError(f"{self._context.op}: {ast.unparse(target)} cannot be assigned to")
        return target.id

    def _result(self, value: ast.expr) -> ast.expr:
        if isinstance(value, ast.Tuple):
            return ast.Tuple([self._expressions.lower(element).node for element in value.elts], ast.Load())
        result = self._expressions.lower(value)
        self.returned.append(result)
        return result.node

    def _branch(self, statement: ast.If) -> ast.stmt:
        test = self._expressions.lower(statement.test)
        if test.kind is not Kind.STATIC:
            raise PlanError(
                f"{self._context.op}: `if {ast.unparse(statement.test)}` asks a graph value; use Where or cond"
            )
        before = self._scope
        branches = []
        blocks = []
        for block in (statement.body, statement.orelse):
            self._scope = before.copy()
            blocks.append(self.lower_block(block))
            if not block or not isinstance(block[-1], ast.Return):
                branches.append(self._scope)
        self._scope = before
        before.join(*branches)
        return ast.If(test.node, blocks[0], blocks[1])

    def _iterate(self, statement: ast.For) -> ast.stmt:
        iterated = self._expressions.lower(statement.iter)
        bind_target(self._expressions, statement.target, statement.iter)
        return ast.For(statement.target, iterated.node, self.lower_block(statement.body), [], lineno=0)

    def _function(self, function: ast.FunctionDef) -> ast.stmt:
        """A function inside an entry, as loops and conditions take them: its arguments are graph values."""
        inner = Statements(self._context, self._scope.copy(), self._used)
        arguments = function.args.args[1:]
        for argument in arguments:
            inner._scope.bind(argument.arg, Value(ast.Name(argument.arg), Kind.GRAPH))
        self._scope.bind(function.name, Value(ast.Name(function.name)))
        emitter = self._context.emitter
        parameters = emitter.inner_parameters([argument.arg for argument in arguments])
        taken = ast.arguments([], parameters, None, [], [], None, [])
        value = emitter.value_type
        returns = parsed(f"tuple[{value}, ...]" if returns_tuple(function) else value)
        return ast.FunctionDef(function.name, taken, inner.lower_block(function.body), [], returns, lineno=0)

    def _fail(self, call: ast.Call) -> ast.stmt:
        message = self._expressions.lower(call.args[0]).node
        anchor = (
            self._expressions.graph(call.args[1]).node
            if len(call.args) > 1
            else ast.Name(self._context.anchor, ast.Load())
        )
        return self._context.emitter.failure(message, anchor)

    def _list_method(self, name: str, method: str, arguments: Sequence[ast.expr], call: ast.Call) -> ast.stmt:
        if method not in {"append", "extend", "insert", "reverse"}:
            raise PlanError(f"{self._context.op}: the plan language has no {ast.unparse(call)!r}")
        lowered = [self._expressions.lower(argument) for argument in arguments]
        if any(value.kind is not Kind.STATIC for value in lowered):
            known = self._scope.variables[name]
            self._scope.variables[name] = Value(known.node, Kind.LIST, lowered[-1].element, "")
        return ast.Expr(
            ast.Call(ast.Attribute(ast.Name(name, ast.Load()), method, ast.Load()), [v.node for v in lowered], [])
        )


def _output_elements(value: ast.expr, lowered: Value, count: int) -> list[str]:
    """Element types of several outputs, where the operator fixes them."""
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="op"), attr="TopK")):
            return [lowered.element, "int64"]
        case ast.Call(func=ast.Attribute(value=ast.Name(id="op"), attr="Unique")):
            return [lowered.element, *["int64"] * (count - 1)]
        case ast.Call(func=ast.Attribute(value=ast.Name(id="op"), attr="Split")):
            return [lowered.element] * count
        case _:
            return [""] * count


def returns_tuple(function: ast.FunctionDef) -> bool:
    """Whether a function gives several results."""
    return any(isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) for node in ast.walk(function))


@functools.cache
def comments_above(source: str) -> Mapping[int, Sequence[str]]:
    """The comments that stand alone on their lines, by the line of the code below them."""
    comments: dict[int, list[str]] = {}
    pending: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip():
            pending.append(token.string)
        elif pending and token.type not in _LAYOUT:
            comments[token.start[0]] = pending
            pending = []
    return comments


def write_block(statements: Sequence[ast.stmt], comments: Mapping[int, Sequence[str]], depth: int = 1) -> Iterator[str]:
    """The statements as lines of source, each under its comments."""
    indent = _INDENT * depth
    for statement in statements:
        yield from (indent + comment for comment in comments.get(statement.lineno, ()))
        yield from _write(statement, comments, depth)


def _write(statement: ast.stmt, comments: Mapping[int, Sequence[str]], depth: int) -> Iterator[str]:
    indent = _INDENT * depth
    match statement:
        case ast.If(test=test, body=body, orelse=orelse):
            yield f"{indent}if {ast.unparse(test)}:"
            yield from write_block(body, comments, depth + 1)
            while len(orelse) == 1 and isinstance(orelse[0], ast.If) and orelse[0].lineno not in comments:
                yield f"{indent}elif {ast.unparse(orelse[0].test)}:"
                yield from write_block(orelse[0].body, comments, depth + 1)
                orelse = orelse[0].orelse
            if orelse:
                yield f"{indent}else:"
                yield from write_block(orelse, comments, depth + 1)
        case ast.For() | ast.While() | ast.FunctionDef():
            header = ast.unparse(ast.fix_missing_locations(_with_empty_body(statement))).splitlines()[0]
            yield indent + header
            yield from write_block(statement.body, comments, depth + 1)
        case ast.Assign(targets=[ast.Tuple() as targets], value=ast.Tuple() as values):
            yield f"{indent}{_without_parentheses(targets)} = {_without_parentheses(values)}"
        case _:
            yield from (indent + line for line in ast.unparse(ast.fix_missing_locations(statement)).splitlines())


def _without_parentheses(node: ast.Tuple) -> str:
    return ", ".join(ast.unparse(element) for element in node.elts)


def _with_empty_body(statement: ast.For | ast.While | ast.FunctionDef) -> ast.stmt:
    fields = {name: getattr(statement, name, None) for name in statement._fields}
    return type(statement)(**{**fields, "body": [ast.Pass()]})  # type: ignore[arg-type]
