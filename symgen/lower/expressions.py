"""Rewrites the expressions of a plan into those of a target's language."""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from symgen.lower import calls
from symgen.lower.emitter import GRAPH, Emitter, OperatorCall, attribute, torch_name
from symgen.lower.fold import negated
from symgen.lower.services import SERVICES
from symgen.lower.torchscript import TORCHSCRIPT
from symgen.lower.values import HelperResult, Kind, Scope, Value
from symgen.lower.versions import NotExpressibleError, Schemas, schema_in_force
from symgen.match.vocabulary import MODULES, PYTHON
from symgen.model.plan import PlanError, PlanFunction

_BINARY = {
    ast.Add: "Add",
    ast.Sub: "Sub",
    ast.Mult: "Mul",
    ast.Div: "Div",
    ast.MatMult: "MatMul",
    ast.BitAnd: "And",
    ast.BitOr: "Or",
}
_COMPARE = {ast.Gt: "Greater", ast.Lt: "Less", ast.GtE: "GreaterOrEqual", ast.LtE: "LessOrEqual", ast.Eq: "Equal"}
_UNARY = {ast.USub: "Neg", ast.Invert: "Not"}
_HELPERS_OF_EXPORTER = {
    "Unsqueeze": "_unsqueeze_helper",
    "Squeeze": "_squeeze_helper",
    "ReduceSum": "_reducesum_helper",
}


@dataclass(frozen=True)
class Context:
    """What a rewriting needs from outside: the schemas, the opset, and the functions that may be called."""

    op: str
    opset: int
    schemas: Schemas
    computed_in: frozenset[str]
    helpers: Mapping[str, PlanFunction]
    older_forms: Mapping[str, str]
    """Operators with the helper that says them below the opset at which ONNX can."""
    constants: Mapping[str, str]
    names: Mapping[str, str]
    """Parameters that the generated code names otherwise than the plan."""
    anchor: str = ""
    """The name of a graph value that an error can point to."""
    result_of: Callable[[str], HelperResult] = lambda name: HelperResult()
    """What is known of the dtype of a helper's result."""
    emitter: Emitter = TORCHSCRIPT
    trusted: frozenset[str] = frozenset()
    """Operators called in their older version whatever it takes: their older form chooses by dtype."""
    oldest: int | None = None
    """The lowest opset that the same code has to serve too; None where it serves its own alone."""


@dataclass
class Used:
    """What the rewritten code calls beside the exporter's own: helpers of the plan, runtime helpers, ONNX operators."""

    helpers: dict[str, None] = field(default_factory=dict)
    runtime: dict[str, None] = field(default_factory=dict)
    operators: dict[str, int] = field(default_factory=dict)


class Expressions:
    """Rewrites expressions; `lower` is the entrance, every `_of_*` handles one construct."""

    def __init__(self, context: Context, scope: Scope, used: Used) -> None:
        self.context = context
        self.scope = scope
        self.used = used

    def lower(self, node: ast.expr) -> Value:
        """The expression as generated code, with what is known of its value."""
        handlers: dict[type[ast.expr], Callable[..., Value]] = {
            ast.Name: self._of_name,
            ast.Call: self._of_call,
            ast.BinOp: self._of_binary,
            ast.UnaryOp: self._of_unary,
            ast.Compare: self._of_compare,
            ast.IfExp: self._of_choice,
            ast.List: self._of_sequence,
            ast.Tuple: self._of_sequence,
            ast.ListComp: self._of_comprehension,
            ast.SetComp: self._of_comprehension,
            ast.GeneratorExp: self._of_comprehension,
            ast.DictComp: self._of_dictionary,
            ast.Subscript: self._of_subscript,
            ast.Starred: self._of_starred,
            ast.Attribute: self._of_attribute,
        }
        handler = handlers.get(type(node))
        return handler(node) if handler else self._of_static(node)

    def call(
        self,
        name: str,
        inputs: Sequence[Value],
        keywords: Mapping[str, Value] | None = None,
        outputs: int | ast.expr = 1,
    ) -> Value:
        """A call of an ONNX operator in the form that it has at the context's opset."""
        emitter = self.context.emitter
        call = calls.Call(name, tuple(inputs), keywords or {})
        bound = calls.bind_call(call, self.context.schemas)
        is_trusted = name in self.context.trusted
        in_force = self.context.schemas.at if is_trusted else functools.partial(schema_in_force, self.context.schemas)
        opset = self.context.opset
        earlier = (in_force(name, at) for at in range(emitter.builds_at or opset, opset))
        convertible = (one for one in earlier if one and calls.fits(bound, one, self.context.computed_in))
        schema = next(convertible, in_force(name, opset))
        oldest = in_force(name, self.context.oldest or self.context.opset)
        served = all(calls.fits(bound, version, self.context.computed_in) for version in (schema, oldest))
        if schema is None or not (is_trusted or served or self._slice_helper_serves(bound)):
            return self._older_form(bound)
        self.used.operators[name] = schema.since_version
        if emitter.has_helpers and (shortcut := self._exporter_helper(bound)):
            return calls.result_of(bound, shortcut)
        ordered, attributes = calls.arrange(bound, schema)
        arguments: list[ast.expr] = []
        expected = [formal.name for formal in schema.inputs]
        for formal, value in ordered:
            while formal.option != "variadic" and expected.index(formal.name) > len(arguments):
                arguments.append(emitter.absent())
            allowed = schema.allowed_types(formal)
            twin = calls.twin_of(bound, formal, allowed)
            if emitter.types_numbers and (twin is None or calls.first_graph_operand(bound, formal.type)):
                arguments.append(value.node)
            else:
                arguments.append(self.as_value(value, twin, allowed))
        written = {key: (letter, value.node) for key, (letter, value) in attributes.items()}
        return calls.result_of(bound, emitter.operator(OperatorCall(schema, tuple(arguments), written, outputs)))

    def as_value(self, value: Value, twin: Value | None, allowed: frozenset[str]) -> ast.expr:
        """A graph value; a Python value becomes a constant of the twin's dtype, or of the only type that fits."""
        emitter = self.context.emitter
        if value.kind is not Kind.STATIC:
            return value.node
        if isinstance(value.node, ast.Constant) and value.node.value is None:
            return emitter.absent()
        if twin is not None and twin.element:
            return self.constant(value.node, torch_name(calls.TORCH_DTYPE_OF[twin.element]))
        if twin is not None:
            if not twin.like:
                raise PlanError(f"{self.context.op}: give the operand of {ast.unparse(value.node)} a name of its own")
            return self.runtime("_scalar", GRAPH, value.node, ast.Name(twin.like, ast.Load())).node
        if "tensor(int64)" in allowed:
            return self.constant(value.node)
        if len(allowed) == 1:
            element = next(iter(allowed)).removeprefix("tensor(").removesuffix(")")
            return self.constant(value.node, torch_name(calls.TORCH_DTYPE_OF[element]))
        raise PlanError(f"{self.context.op}: nothing says which dtype {ast.unparse(value.node)} has")

    def constant(self, value: ast.expr, dtype: ast.expr | None = None) -> ast.expr:
        """A constant of Python numbers as a graph value, of int64 where nothing else is said."""
        return self.context.emitter.constant(value, dtype)

    def runtime(
        self, name: str, *arguments: ast.expr, kind: Kind = Kind.GRAPH, element: str = "", like: str = ""
    ) -> Value:
        """A call of a runtime helper."""
        self.used.runtime[name] = None
        return Value(self.context.emitter.runtime(name, arguments), kind, element, like)

    def graph(self, node: ast.expr) -> Value:
        """An expression that has to be a graph value.

        Raises:
            PlanError: where it is a Python value.
        """
        value = self.lower(node)
        if value.kind is Kind.STATIC:
            raise PlanError(f"{self.context.op}: {ast.unparse(node)} is no graph value")
        return value

    def _older_form(self, bound: calls.BoundCall) -> Value:
        name = bound.call.name
        if name not in self.context.older_forms:
            since = calls.first_opset(bound, self.context.schemas, self.context.computed_in)
            raise calls.not_expressible(bound, self.context.opset, since)
        helper = self.context.older_forms[name]
        twin = next((value for value in bound.inputs.values() if value.kind is not Kind.STATIC), None)
        arguments = [
            value.node if key == "axes" or twin is None else self.as_value(value, twin, frozenset())
            for key, value in bound.inputs.items()
        ]
        attributes = [ast.keyword(key, value.node) for key, value in bound.attributes.items()]
        self.used.helpers[helper] = None
        return calls.result_of(bound, self.context.emitter.call(f"_{helper}", arguments, attributes))

    def _slice_helper_serves(self, bound: calls.BoundCall) -> bool:
        """Whether the exporter's own `_slice_helper` can say a call at every opset."""
        bounds = [bound.inputs.get(key) for key in ("axes", "starts", "ends")]
        is_static = all(value is not None and value.kind is Kind.STATIC for value in bounds)
        return self.context.oldest is not None and bound.call.name == "Slice" and is_static and len(bound.inputs) == 4

    def _exporter_helper(self, bound: calls.BoundCall) -> ast.expr | None:
        """The exporter's own helper, where it hides a difference between opsets."""
        if self._slice_helper_serves(bound):
            arguments = [bound.inputs[key].node for key in ("data", "axes", "starts", "ends")]
            return ast.Call(attribute("symbolic_helper", "_slice_helper"), [GRAPH, *arguments], [])
        axes = bound.inputs.get("axes")
        name = bound.call.name
        if (
            name not in _HELPERS_OF_EXPORTER
            or (axes is not None and axes.kind is not Kind.STATIC)
            or "noop_with_empty_axes" in bound.attributes
        ):
            return None
        if axes is None and name == "Squeeze":
            return None
        data = next(value for key, value in bound.inputs.items() if key != "axes")
        arguments = [GRAPH, data.node]
        keywords = []
        if axes is not None:
            if name == "ReduceSum":
                keywords.append(ast.keyword("axes_i", axes.node))
            else:
                arguments.append(axes.node)
        if "keepdims" in bound.attributes:
            keywords.append(ast.keyword("keepdims_i", bound.attributes["keepdims"].node))
        return ast.Call(attribute("symbolic_helper", _HELPERS_OF_EXPORTER[name]), arguments, keywords)

    def _of_name(self, node: ast.Name) -> Value:
        known = self.scope.variables.get(node.id)
        if known is not None:
            return known
        if node.id in self.context.constants:
            return Value(ast.parse(self.context.constants[node.id], mode="eval").body)
        if node.id in {*PYTHON, *MODULES} or node.id in self.context.names.values():
            return Value(ast.Name(node.id, ast.Load()))
        raise PlanError(f"{self.context.op}: the plan language has no name {node.id!r}")

    def _of_call(self, node: ast.Call) -> Value:
        match node.func:
            case ast.Attribute(value=ast.Name(id="op"), attr=name) if name[0].isupper():
                return self._operator_call(name, node)
            case ast.Attribute(value=ast.Name(id="op"), attr=name):
                return self._service(name, node)
            case ast.Name(id=name) if name in self.context.helpers:
                return self._helper_call(name, node)
            case ast.Name(id=name) if name in self.scope.variables:
                return self._local_call(node)
            case _:
                return self._python_call(node)

    def _service(self, name: str, node: ast.Call) -> Value:
        if name not in SERVICES:
            raise PlanError(f"{self.context.op}: the builder has no service {name!r}")
        if name in self.context.emitter.missing:
            raise NotExpressibleError(f"{self.context.op}: {self.context.emitter.missing[name]}")
        return SERVICES[name](self, node)

    def _operator_call(self, name: str, node: ast.Call) -> Value:
        keywords = {k.arg: self.lower(k.value) for k in node.keywords if k.arg and k.arg != "outputs"}
        if name == "Cast":
            return self._cast(node)
        inputs = [self.lower(argument) for argument in node.args]
        match next((k.value for k in node.keywords if k.arg == "outputs"), ast.Constant(1)):
            case ast.Constant(value=int(outputs)):
                return self.call(name, inputs, keywords, outputs)
            case count:
                results = self.call(name, inputs, keywords, self.lower(count).node)
                return self.runtime("_listed", results.node, kind=Kind.LIST, element=results.element)

    def _cast(self, node: ast.Call) -> Value:
        to = next(k.value for k in node.keywords if k.arg == "to")
        call = ast.Call(attribute("op", "cast"), [node.args[0], to], [])
        return SERVICES["cast"](self, call)

    def _helper_call(self, name: str, node: ast.Call) -> Value:
        helper = self.context.helpers[name]
        self.used.helpers[name] = None
        arguments = self._arguments_for(helper, node)
        call = self.context.emitter.call(f"_{name}", [value.node for value in arguments])
        returns = helper.shared_tree.returns
        match returns:
            case ast.Name(id="Values"):
                return Value(call, Kind.LIST)
            case ast.expr():
                return Value(call, Kind.STATIC)
            case _:
                known = self.context.result_of(name)
        if known.argument is None:
            return Value(call, Kind.GRAPH, known.element)
        return replace(arguments[known.argument], node=call)

    def _arguments_for(self, helper: PlanFunction, node: ast.Call) -> list[Value]:
        """The arguments in the helper's order; a number for a graph parameter becomes a constant."""
        formal = helper.shared_tree.args.args[1:]
        defaults = copy.deepcopy(helper.shared_tree.args.defaults)
        by_name = {k.arg: self.lower(k.value) for k in node.keywords if k.arg}
        given = [self.lower(argument) for argument in node.args[1:]]
        values = []
        for position, argument in enumerate(formal):
            if position < len(given):
                value = given[position]
            elif argument.arg in by_name:
                value = by_name[argument.arg]
            else:
                missing = position - (len(formal) - len(defaults))
                if missing < 0:
                    raise PlanError(f"{self.context.op}: {helper.name} lacks the argument {argument.arg!r}")
                value = Value(defaults[missing])
            values.append(value)
        twin = next((value for value in values if value.kind is Kind.GRAPH), None)
        return [
            Value(self.as_value(value, twin, frozenset()), Kind.GRAPH)
            if value.kind is Kind.STATIC and argument.annotation is None and not _is_none(value.node)
            else value
            for argument, value in zip(formal, values, strict=True)
        ]

    def _local_call(self, node: ast.Call) -> Value:
        """A call of a function that the entry defines inside itself."""
        arguments = [self.lower(argument).node for argument in node.args[1:]]
        assert isinstance(node.func, ast.Name)
        return Value(self.context.emitter.call(node.func.id, arguments), Kind.GRAPH)

    def _python_call(self, node: ast.Call) -> Value:
        lowered = [self.lower(argument) for argument in node.args]
        keywords = [ast.keyword(k.arg, self.lower(k.value).node) for k in node.keywords]
        function = self.lower(node.func).node if not isinstance(node.func, ast.Attribute) else self._method(node.func)
        kind = Kind.STATIC
        if isinstance(node.func, ast.Name) and node.func.id in {"list", "tuple", "reversed", "sorted"} and lowered:
            kind = lowered[0].kind
        return Value(ast.Call(function, [value.node for value in lowered], keywords), kind)

    def _method(self, node: ast.Attribute) -> ast.expr:
        return ast.Attribute(self.lower(node.value).node, node.attr, ast.Load())

    def _of_binary(self, node: ast.BinOp) -> Value:
        left, right = self.lower(node.left), self.lower(node.right)
        if Kind.GRAPH not in (left.kind, right.kind):
            kind = Kind.LIST if Kind.LIST in (left.kind, right.kind) else Kind.STATIC
            return Value(ast.BinOp(left.node, node.op, right.node), kind)
        if type(node.op) not in _BINARY:
            raise PlanError(f"{self.context.op}: {ast.unparse(node)} is no operator between graph values")
        return self.call(_BINARY[type(node.op)], [left, right])

    def _of_unary(self, node: ast.UnaryOp) -> Value:
        operand = self.lower(node.operand)
        if operand.kind is Kind.STATIC or type(node.op) not in _UNARY:
            return Value(ast.UnaryOp(node.op, operand.node))
        return self.call(_UNARY[type(node.op)], [operand])

    def _of_compare(self, node: ast.Compare) -> Value:
        left = self.lower(node.left)
        if isinstance(node.ops[0], ast.Is | ast.IsNot) and left.kind is Kind.GRAPH:
            asked = self.context.emitter.is_absent(left.node)
            return Value(asked if isinstance(node.ops[0], ast.Is) else negated(asked))
        others = [self.lower(other) for other in node.comparators]
        if all(value.kind is not Kind.GRAPH for value in (left, *others)):
            return Value(ast.Compare(left.node, node.ops, [value.node for value in others]))
        if len(others) > 1:
            raise PlanError(f"{self.context.op}: {ast.unparse(node)} compares more than two graph values")
        if isinstance(node.ops[0], ast.NotEq):
            return self.call("Not", [self.call("Equal", [left, others[0]])])
        return self.call(_COMPARE[type(node.ops[0])], [left, others[0]])

    def _of_choice(self, node: ast.IfExp) -> Value:
        body, orelse = self.lower(node.body), self.lower(node.orelse)
        known = body if body.kind is not Kind.STATIC else orelse
        element = body.element if body.element == orelse.element else ""
        origin = body.origin if body.origin == orelse.origin else ""
        return Value(ast.IfExp(self.lower(node.test).node, body.node, orelse.node), known.kind, element, "", origin)

    def _of_sequence(self, node: ast.List | ast.Tuple) -> Value:
        values = [self.lower(element) for element in node.elts]
        graph = next((value for value in values if value.kind is not Kind.STATIC), None)
        made = type(node)([value.node for value in values], ast.Load())
        return Value(made, Kind.LIST, graph.element, graph.like) if graph else Value(made)

    def _of_starred(self, node: ast.Starred) -> Value:
        value = self.lower(node.value)
        return Value(ast.Starred(value.node, ast.Load()), value.kind, value.element, value.like)

    def _of_comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Value:
        inner, generators = self._inside(node.generators)
        element = inner.lower(node.elt)
        kind = Kind.STATIC if element.kind is Kind.STATIC else Kind.LIST
        return Value(type(node)(element.node, generators), kind, element.element)

    def _of_dictionary(self, node: ast.DictComp) -> Value:
        inner, generators = self._inside(node.generators)
        value = inner.lower(node.value)
        kind = Kind.STATIC if value.kind is Kind.STATIC else Kind.LIST
        return Value(ast.DictComp(inner.lower(node.key).node, value.node, generators), kind, value.element)

    def _inside(self, generators: Sequence[ast.comprehension]) -> tuple[Expressions, list[ast.comprehension]]:
        """What rewrites the element of a comprehension, and the comprehension's rewritten `for` clauses."""
        inner = Expressions(self.context, self.scope.copy(), self.used)
        rewritten = []
        for generator in generators:
            iterated = inner.lower(generator.iter)
            bind_target(inner, generator.target, generator.iter)
            tests = [inner.lower(test).node for test in generator.ifs]
            rewritten.append(ast.comprehension(generator.target, iterated.node, tests, 0))
        return inner, rewritten

    def _of_subscript(self, node: ast.Subscript) -> Value:
        value = self.lower(node.value)
        index = self.lower(node.slice)
        kind = value.kind
        if kind is Kind.LIST and not isinstance(node.slice, ast.Slice):
            kind = Kind.GRAPH
        return Value(ast.Subscript(value.node, index.node, ast.Load()), kind, value.element)

    def _of_attribute(self, node: ast.Attribute) -> Value:
        match node:
            case ast.Attribute(value=ast.Name(id="op"), attr="outputs"):
                return Value(ast.Name("_outputs", ast.Load()))
            case ast.Attribute(value=value, attr=attr):
                return Value(ast.Attribute(self.lower(value).node, attr, ast.Load()))

    def _of_static(self, node: ast.expr) -> Value:
        """Any other Python: its parts are rewritten, its form stays."""
        copy = type(node)(**{name: getattr(node, name) for name in node._fields})
        for name, part in ast.iter_fields(copy):
            if isinstance(part, ast.expr):
                setattr(copy, name, self.lower(part).node)
            elif isinstance(part, list):
                setattr(copy, name, [self.lower(p).node if isinstance(p, ast.expr) else p for p in part])
        return Value(copy)


def bind_target(expressions: Expressions, target: ast.expr, iterated: ast.expr) -> None:
    """Binds the variables of a loop or comprehension to what they run over."""
    for name, value in _elements(expressions, target, iterated):
        expressions.scope.bind(name, value)


def _elements(expressions: Expressions, target: ast.expr, iterated: ast.expr) -> list[tuple[str, Value]]:
    match target, iterated:
        case ast.Tuple(elts=[ast.Name(id=index), rest]), ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
            return [(index, Value(ast.Name(index))), *_elements(expressions, rest, inner)]
        case ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=parts):
            return [pair for t, part in zip(targets, parts, strict=True) for pair in _elements(expressions, t, part)]
        case ast.Tuple(elts=targets), _:
            return [(t.id, Value(t)) for t in targets if isinstance(t, ast.Name)]
        case ast.Name(id=name), _:
            value = expressions.lower(iterated)
            kind = Kind.GRAPH if value.kind is Kind.LIST else Kind.STATIC
            return [(name, Value(target, kind, value.element))]
        case _:
            raise PlanError(f"{expressions.context.op}: cannot bind {ast.unparse(target)}")


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
