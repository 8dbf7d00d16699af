"""Writes code for the dynamo exporter: functions as torchlib has them, which call operators of onnxscript's `op`.

The exporter calls such a function and records what it does. Numbers, lists and flags arrive as Python values, and the
node that is being built stands nowhere: whatever adds nodes finds it by itself.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from symgen.lower.arguments import ArgumentForm
from symgen.lower.emitter import GRAPH, Emitter, OperatorCall, attribute, parsed, torch_name
from symgen.lower.torchlib_arguments import torchlib_argument_form
from symgen.model.plan import Disposition, Parameter, Plan
from symgen.model.types import is_tensor_list

TORCHLIB_OPSET = 18
"""The opset whose operators the exporter builds models of; it converts them to the one that was asked for."""
_QUANTIZED = "the dynamo exporter has no quantised tensors"


class TorchlibEmitter:
    """`op.Name(...)`; a Python number among the inputs gets its dtype from the others."""

    value_type = "ir.Value"
    types_numbers = True
    has_helpers = False
    knows_outputs = False
    takes_complex = True
    is_captured = True
    builds_at = TORCHLIB_OPSET
    missing: Mapping[str, str] = {
        "was_contiguous": "the dynamo exporter does not tell how a tensor lies in memory",
        **dict.fromkeys(("dequantized", "quantized", "requantized", "scale_of", "zero_point_of"), _QUANTIZED),
    }

    def no_use_for(self, plan: Plan) -> str:
        """It may be right only as long as it is taken apart; and a list is taken for the only result."""
        results = [schema.returns for schema in plan.overloads]
        if any(len(several) > 1 and any(is_tensor_list(one.type) for one in several) for several in results):
            return "the dynamo exporter takes no list of tensors among several results"
        return plan.torchscript_only

    def operator(self, call: OperatorCall) -> ast.expr:
        """A call of the operator by its name, of a newer opset than the usual one where that one lacks it."""
        schema = call.schema
        keywords = [
            ast.keyword(key, ast.Call(attribute("ir", "tensor"), [value], []) if letter == "t" else value)
            for key, (letter, value) in call.attributes.items()
        ]
        if schema.name == "Split":
            count = ast.Constant(call.outputs) if isinstance(call.outputs, int) else call.outputs
            return ast.Call(
                ast.Name("_split", ast.Load()), list(call.inputs), [*keywords, ast.keyword("outputs", count)]
            )
        opset = "op" if schema.since_version <= TORCHLIB_OPSET else f"opset{schema.since_version}"
        node = ast.Call(attribute(opset, schema.name), list(call.inputs), keywords)
        required = sum(1 for output in schema.outputs if output.option == "single")
        wanted = max(call.outputs, required) if isinstance(call.outputs, int) else len(schema.outputs)
        if wanted == len(schema.outputs):
            return node
        part = ast.Constant(0) if wanted == 1 else ast.Slice(None, ast.Constant(wanted))
        return ast.Subscript(self.call("_listed", [node]), part, ast.Load())

    def call(self, name: str, arguments: Sequence[ast.expr], keywords: Sequence[ast.keyword] = ()) -> ast.expr:
        """A call without more ado."""
        return ast.Call(ast.Name(name, ast.Load()), list(arguments), list(keywords))

    def runtime(self, name: str, arguments: Sequence[ast.expr]) -> ast.expr:
        """A call without the graph, which the helper finds by itself."""
        return self.call(name, [argument for argument in arguments if argument is not GRAPH])

    def constant(self, value: ast.expr, dtype: ast.expr | None) -> ast.expr:
        """A call of `_constant`."""
        return self.call("_constant", [value, dtype or torch_name("int64")])

    def absent(self) -> ast.expr:
        """None."""
        return ast.Constant(None)

    def is_absent(self, value: ast.expr) -> ast.expr:
        """Whether it is None."""
        return ast.Compare(value, [ast.Is()], [ast.Constant(None)])

    def items(self, values: ast.expr) -> ast.expr:
        """A list is one already."""
        return self.call("list", [values])

    def is_list(self, value: ast.expr) -> ast.expr:
        """A list is one already."""
        return self.call("isinstance", [value, parsed("(list, tuple)")])

    def inner_parameters(self, names: Sequence[str]) -> list[ast.arg]:
        """The values alone."""
        return [ast.arg(name, parsed(self.value_type)) for name in names]

    def failure(self, message: ast.expr, anchor: ast.expr) -> ast.stmt:
        """Raises `NotImplementedError`; the exporter adds the place in the model."""
        return ast.Raise(self.call("NotImplementedError", [message]))

    def parameter_name(self, parameter: Parameter) -> str:
        """The name in the schema, by which the exporter passes keyword arguments."""
        return parameter.name

    def is_complex(self, position: int, argument: ast.expr) -> tuple[ast.expr, ...]:
        """The value, which tells of what node of the model it is."""
        return (argument,)

    def argument_form(
        self, parameter: Parameter, disposition: Disposition, *, is_graph: bool, op: str, anchor: str
    ) -> ArgumentForm:
        """The form with a plain annotation."""
        return torchlib_argument_form(parameter, disposition, is_graph=is_graph, op=op)


class RealTorchlibEmitter(TorchlibEmitter):
    """The same for functions that are given real tensors only."""

    takes_complex = False
    missing: Mapping[str, str] = {
        **TorchlibEmitter.missing,
        "carried": "torchlib has functions of their own for complex tensors",
    }


TORCHLIB: Emitter = TorchlibEmitter()
REAL_TORCHLIB: Emitter = RealTorchlibEmitter()
"""As torchlib's own files have functions, of which others serve complex tensors."""
