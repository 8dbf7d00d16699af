"""What the exporter calls: the parameters of a symbolic function as its decorators leave them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from symgen.check.reading.decorators import Applies, Binds, DecoratorReader, Describes, Effect, Keeps, only_returned
from symgen.check.reading.flow import Body, FunctionNode

OUTPUTS = "_outputs"
"""The keyword argument by which the exporter hands over how many results a node has."""


class Parameter(NamedTuple):
    """A parameter that the exporter passes by position."""

    name: str
    node: ast.arg
    default: ast.expr | None


class Descriptors(NamedTuple):
    """What `parse_args` says of the parameters."""

    call: ast.Call
    values: tuple[str, ...]


class SymbolicFunction(NamedTuple):
    """A function as the exporter calls it: after the graph, one argument for each argument of the operator."""

    body: Body
    name: str
    parameters: tuple[Parameter, ...]
    """Without the graph, and without `_outputs`, which comes by keyword."""
    takes_rest: bool
    """Whether `*args` takes any number of further ones."""
    descriptors: Descriptors | None = None

    @property
    def node(self) -> FunctionNode:
        """The definition."""
        assert isinstance(self.body.node, FunctionNode)
        return self.body.node

    @property
    def required(self) -> int:
        """How many arguments it needs at least."""
        return sum(parameter.default is None for parameter in self.parameters)

    def descriptor(self, index: int) -> str:
        """The descriptor of a parameter, empty where there is none."""
        known = self.descriptors.values if self.descriptors else ()
        return known[index] if index < len(known) else ""


def served_function(body: Body, effects: Sequence[Effect], reader: DecoratorReader) -> SymbolicFunction | None:
    """The function as its decorators leave it, the innermost first; None where that can't be told."""
    descriptors: Descriptors | None = None
    bound = 0
    for effect in effects:
        match effect:
            case Keeps():
                continue
            case Describes(call=call, values=values):
                descriptors = Descriptors(call, values)
            case Binds(number=number):
                bound += number
            case Applies() if descriptors is None and not bound:
                made = only_returned(body)
                if made is None or not isinstance(made.node, ast.FunctionDef):
                    return None
                inner = served_function(made, reader.effects(made.node.decorator_list, made.parent), reader)
                if inner is None:
                    return None
                body, descriptors = made, inner.descriptors
            case _:
                return None
    return _without_bound(body, bound, descriptors)


def _without_bound(body: Body, bound: int, descriptors: Descriptors | None) -> SymbolicFunction | None:
    node = body.node
    if not isinstance(node, FunctionNode):
        return None
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    takes_rest = arguments.vararg is not None
    if len(positional) <= bound and not takes_rest:
        return None
    without_default = len(positional) - len(arguments.defaults)
    parameters = []
    for index in range(bound + 1, len(positional)):
        argument = positional[index]
        if argument.arg != OUTPUTS:
            default = arguments.defaults[index - without_default] if index >= without_default else None
            parameters.append(Parameter(argument.arg, argument, default))
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    return SymbolicFunction(body, name, tuple(parameters), takes_rest, descriptors)
