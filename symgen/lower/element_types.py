"""Which element types each tensor of a function may have: the type constraints of ONNX, intersected through its body.

The body is followed without being run. Of branches only what all of them ask for counts, and of loops nothing, as
their bodies may not run: what comes out may be too wide, and never too narrow.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from symgen.lower.calls import ONNX_ELEMENT_OF
from symgen.lower.lowering import LoweredFunction, LoweredPlan
from symgen.lower.values import Kind
from symgen.lower.versions import Schemas
from symgen.model.onnx import OnnxFormal, OnnxSchema

ALL = frozenset(ONNX_ELEMENT_OF.values())
"""The ONNX element types that torch has."""
Types = frozenset[str]
_LIKE = {"_cast_like": 1, "_scalar": 1}
"""Runtime helpers that give a tensor of the type of one of their arguments, and its place."""


@dataclass(frozen=True)
class Deduced:
    """What a function takes and gives; results with the parameter whose type they have, where there is one."""

    parameters: Mapping[str, Types]
    results: tuple[tuple[Types, str], ...]


@dataclass
class _Constraints:
    """Sets of values that have one type, and what each may be; values are numbers."""

    owner: dict[int, int] = field(default_factory=dict)
    allowed: dict[int, Types] = field(default_factory=dict)

    def copy(self) -> _Constraints:
        return _Constraints(dict(self.owner), dict(self.allowed))

    def find(self, value: int) -> int:
        while self.owner[value] != value:
            value = self.owner[value]
        return value

    def add(self, value: int, allowed: Types) -> None:
        self.owner[value], self.allowed[value] = value, allowed

    def restrict(self, value: int, allowed: Types) -> None:
        self.allowed[self.find(value)] &= allowed

    def unite(self, one: int, other: int) -> None:
        root, gone = self.find(one), self.find(other)
        self.allowed[root] &= self.allowed[gone]
        self.owner[gone] = root

    def of(self, value: int) -> Types:
        return self.allowed[self.find(value)]


def _either(one: _Constraints, other: _Constraints) -> _Constraints:
    """What holds whichever of two branches was taken."""
    joined, roots = _Constraints(), dict[tuple[int, int], int]()
    for value in sorted(one.owner.keys() | other.owner.keys()):
        places = [branch.find(value) if value in branch.owner else -value - 1 for branch in (one, other)]
        types = frozenset().union(*(branch.of(value) for branch in (one, other) if value in branch.owner))
        root = roots.setdefault((places[0], places[1]), value)
        joined.owner[value] = root
        joined.allowed[root] = types
    return joined


def deduce_types(lowered: LoweredPlan, schemas: Schemas) -> Deduced:
    """The types of the entry function's tensors, as its body has them after promotion."""
    helpers = {helper.name: helper for helper in lowered.helpers}
    return _Follower(helpers, schemas, lowered.first).deduce(lowered.function)


class _Follower:
    """Follows one function, and those that it calls."""

    def __init__(self, helpers: Mapping[str, LoweredFunction], schemas: Schemas, opset: int) -> None:
        self._helpers, self._schemas, self._opset = helpers, schemas, opset
        self._numbers = itertools.count(1)
        self._state = _Constraints()
        self._variables: dict[str, object] = {}
        self._returned: list[object] = []
        self._depth = 0

    def deduce(self, function: LoweredFunction) -> Deduced:
        """What is known of the function's tensors once its body has been followed."""
        parameters = {form.name: self._new() for form in function.arguments if form.kind is Kind.GRAPH}
        results = self._follow(function, parameters)
        flat = results if isinstance(results, list) else [results]
        return Deduced(
            {name: self._state.of(value) for name, value in parameters.items()},
            tuple(self._described(one, parameters) for one in flat),
        )

    def _described(self, value: object, parameters: Mapping[str, int]) -> tuple[Types, str]:
        if not isinstance(value, int):
            return ALL, ""
        root = self._state.find(value)
        twin = next((name for name, own in parameters.items() if self._state.find(own) == root), "")
        return self._state.of(value), twin

    def _new(self, allowed: Types = ALL) -> int:
        value = next(self._numbers)
        self._state.add(value, allowed)
        return value

    def _follow(self, function: LoweredFunction, arguments: Mapping[str, object]) -> object:
        """The results of a call: a value, a list of them, or nothing that is known."""
        outer = self._variables, self._returned
        self._variables, self._returned = dict(arguments), []
        self._depth += 1
        self._block(ast.parse("\n".join(["def f():", *function.body])).body[0].body)  # type: ignore[attr-defined]
        self._depth -= 1
        returned = self._returned
        self._variables, self._returned = outer
        return self._merged(returned)

    def _merged(self, values: Sequence[object]) -> object:
        """One value for several of which one is given."""
        if not values:
            return None
        if any(isinstance(value, list) for value in values):
            lists = [value for value in values if isinstance(value, list)]
            return [self._merged(column) for column in zip(*lists, strict=False)]
        known = [value for value in values if isinstance(value, int)]
        if len(known) < len(values) or not known:
            return self._new() if known else None
        if len({self._state.find(value) for value in known}) == 1:
            return known[0]
        return self._new(frozenset().union(*map(self._state.of, known)))

    def _block(self, statements: Sequence[ast.stmt]) -> None:
        for place, statement in enumerate(statements):
            match statement:
                case ast.Assign(targets=[target], value=value):
                    self._bind(target, self._value(value))
                case ast.Return(value=ast.expr() as value):
                    self._returned.append(self._value(value))
                case ast.If(body=body, orelse=orelse) if _ends(body) or _ends(orelse):
                    rest = list(statements[place + 1 :])
                    self._branches([block if _ends(block) else [*block, *rest] for block in (body, orelse)])
                    return
                case ast.If(body=body, orelse=orelse):
                    self._branches([body, orelse])
                case ast.For(body=body) | ast.While(body=body):
                    self._branches([body, []])
                case _:
                    pass

    def _branches(self, blocks: Sequence[Sequence[ast.stmt]]) -> None:
        before, variables = self._state, self._variables
        ends = []
        for block in blocks:
            self._state, self._variables = before.copy(), dict(variables)
            self._block(block)
            if not (block and isinstance(block[-1], ast.Raise)):
                ends.append((self._state, self._variables))
        if not ends:
            self._state, self._variables = before, variables
            return
        self._state, self._variables = ends[0]
        for state, other in ends[1:]:
            self._state = _either(self._state, state)
            names = self._variables.keys() | other.keys()
            self._variables = {
                name: self._merged([own[name] for own in (self._variables, other) if name in own]) for name in names
            }

    def _bind(self, target: ast.expr, value: object) -> None:
        match target:
            case ast.Name(id=name):
                self._variables[name] = value
            case ast.Tuple(elts=targets):
                parts = value if isinstance(value, list) else [None] * len(targets)
                for part, one in itertools.zip_longest(targets, parts[: len(targets)]):
                    self._bind(part, one)

    def _value(self, node: ast.expr) -> object:
        match node:
            case ast.Name(id=name):
                return self._variables.get(name)
            case ast.Tuple(elts=elements):
                return [self._value(element) for element in elements]
            case ast.IfExp(body=body, orelse=orelse):
                before, ends, values = self._state, [], []
                for branch in (body, orelse):
                    self._state = before.copy()
                    values.append(self._value(branch))
                    ends.append(self._state)
                self._state = _either(*ends)
                return self._merged(values)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=opset), attr=name)) if opset.startswith("op"):
                return self._operator(name, node)
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self._call(name, arguments)
            case ast.Subscript(value=value, slice=ast.Constant(value=int(place))):
                found = self._value(value)
                return found[place] if isinstance(found, list) and place < len(found) else None
        return None

    def _call(self, name: str, arguments: Sequence[ast.expr]) -> object:
        values = [self._value(argument) for argument in arguments]
        helper = self._helpers.get(name)
        if helper is not None and self._depth < 8:
            bound = {form.name: value for form, value in zip(helper.arguments, values, strict=False)}
            return self._follow(helper, bound)
        if name == "_listed":
            return values[0] if isinstance(values[0], list) else values
        if name in _LIKE and len(values) > 1:
            return values[_LIKE[name]]
        if name in ("_cast", "_constant") and len(arguments) > 1:
            match arguments[1]:
                case ast.Attribute(value=ast.Name(id="torch"), attr=dtype) if dtype in ONNX_ELEMENT_OF:
                    return self._new(frozenset({ONNX_ELEMENT_OF[dtype]}))
        return self._new()

    def _operator(self, name: str, node: ast.Call) -> object:
        """A call of an ONNX operator: values of one type variable have one type."""
        schema = self._schemas.at(name, self._opset)
        if schema is None:
            return None
        variables: dict[str, int] = {}
        for place, argument in enumerate(node.args):
            value = self._value(argument)
            formal = schema.inputs[min(place, len(schema.inputs) - 1)]
            if not isinstance(value, int):
                continue
            self._state.restrict(value, _elements(schema, formal))
            if not formal.homogeneous:
                continue
            if formal.type in variables:
                self._state.unite(variables[formal.type], value)
            else:
                variables[formal.type] = value
        outputs = [variables.get(one.type) or self._new(_elements(schema, one)) for one in schema.outputs]
        return outputs[0] if len(outputs) == 1 else outputs


def _elements(schema: OnnxSchema, formal: OnnxFormal) -> Types:
    """The element types that an input or output may have."""
    allowed = schema.allowed_types(formal)
    return (
        frozenset(one.removeprefix("tensor(").removesuffix(")") for one in allowed if one.startswith("tensor(")) & ALL
    )


def _ends(block: Sequence[ast.stmt]) -> bool:
    return bool(block) and isinstance(block[-1], ast.Return | ast.Raise)
