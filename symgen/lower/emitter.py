"""What lowering asks of a target: how its code writes a node, a constant, a parameter, a failure.

Lowering decides what is said; an emitter decides how. There is one object for each exporter, and none has state.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from symgen.lower.arguments import ArgumentForm
from symgen.model.onnx import OnnxSchema
from symgen.model.plan import Disposition, Parameter, Plan

GRAPH = ast.Name("g", ast.Load())
"""Stands among the arguments of a runtime helper for the graph that is built; some targets need not pass it on."""


@dataclass(frozen=True)
class OperatorCall:
    """An ONNX operator with its inputs and attributes in the form of one opset."""

    schema: OnnxSchema
    inputs: tuple[ast.expr, ...]
    attributes: Mapping[str, tuple[str, ast.expr]]
    """Each with the letter that says its type: `f`, `i`, `s` or `t`."""
    outputs: int | ast.expr
    """How many results are wanted: a number, or an expression where only the export knows."""


class Emitter(Protocol):
    """How one target writes what lowering has decided."""

    @property
    def value_type(self) -> str:
        """The annotation of a graph value."""

    @property
    def types_numbers(self) -> bool:
        """Whether a number among the inputs of a node gets the dtype of its neighbours by itself."""

    @property
    def has_helpers(self) -> bool:
        """Whether the exporter has helpers that hide differences between opsets (`symbolic_helper`)."""

    @property
    def knows_outputs(self) -> bool:
        """Whether the exporter says how many results the caller unpacks."""

    @property
    def takes_complex(self) -> bool:
        """Whether a function may be given complex tensors, as real ones with a last axis of 2."""

    @property
    def is_captured(self) -> bool:
        """Whether torch.export has captured the model before, and has told the shapes of all results."""

    @property
    def builds_at(self) -> int | None:
        """The opset of which models are built, to be converted from; None where they are built as they are wanted."""

    @property
    def missing(self) -> Mapping[str, str]:
        """The services of the plan language that the target lacks, each with the reason."""

    def no_use_for(self, plan: Plan) -> str:
        """Why the exporter has no use for a function of the plan; empty where it has."""

    def operator(self, call: OperatorCall) -> ast.expr:
        """A node; where it has several results, a sequence of them."""

    def call(self, name: str, arguments: Sequence[ast.expr], keywords: Sequence[ast.keyword] = ()) -> ast.expr:
        """A call of a generated function that adds nodes."""

    def runtime(self, name: str, arguments: Sequence[ast.expr]) -> ast.expr:
        """A call of a runtime helper, with `GRAPH` among the arguments where it adds nodes."""

    def constant(self, value: ast.expr, dtype: ast.expr | None) -> ast.expr:
        """A constant of a dtype; without one of int64."""

    def absent(self) -> ast.expr:
        """An optional input that is left out."""

    def is_absent(self, value: ast.expr) -> ast.expr:
        """Whether an optional tensor is absent."""

    def items(self, values: ast.expr) -> ast.expr:
        """The tensors of a list."""

    def is_list(self, value: ast.expr) -> ast.expr:
        """Whether an argument is a list."""

    def inner_parameters(self, names: Sequence[str]) -> list[ast.arg]:
        """The parameters of a function inside a function, which takes graph values."""

    def failure(self, message: ast.expr, anchor: ast.expr) -> ast.stmt:
        """Raises what says that there is no translation; `anchor` is a graph value of the place."""

    def parameter_name(self, parameter: Parameter) -> str:
        """What generated code calls a parameter."""

    def is_complex(self, position: int, argument: ast.expr) -> tuple[ast.expr, ...]:
        """What `_is_complex` is asked of an argument of the operator."""

    def argument_form(
        self, parameter: Parameter, disposition: Disposition, *, is_graph: bool, op: str, anchor: str
    ) -> ArgumentForm:
        """How a parameter arrives; see `argument_form` in `arguments.py`."""


def int64_list(value: ast.expr) -> bool:
    """Whether torch makes int64 of the expression without being told."""
    if isinstance(value, ast.List | ast.Tuple):
        return bool(value.elts) and all(map(_is_integer, value.elts))
    return isinstance(value, ast.Constant)


def _is_integer(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=int()) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())):
            return True
        case _:
            return False


def torch_name(name: str) -> ast.expr:
    """The attribute `torch.name`."""
    return attribute("torch", name)


def attribute(value: str, name: str) -> ast.expr:
    """The attribute `value.name`."""
    return ast.Attribute(ast.Name(value, ast.Load()), name, ast.Load())


def parsed(text: str) -> ast.expr:
    """The expression that a text says."""
    return ast.parse(text, mode="eval").body
