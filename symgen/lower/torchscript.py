"""Writes code for the TorchScript exporter: symbolic functions, which build a graph through a context `g`."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from symgen.lower.arguments import ArgumentForm, argument_form
from symgen.lower.emitter import GRAPH, Emitter, OperatorCall, attribute, int64_list, parsed, torch_name
from symgen.model.plan import Disposition, Parameter, Plan, PlanError


class TorchScriptEmitter:
    """`g.op("Name", ...)`, with a suffix at each attribute; constants are nodes with tensors of torch's."""

    value_type = "_C.Value"
    types_numbers = False
    has_helpers = True
    knows_outputs = True
    takes_complex = True
    is_captured = False
    builds_at = None
    missing: Mapping[str, str] = {"was_cast": "the TorchScript exporter casts no arguments"}

    def no_use_for(self, plan: Plan) -> str:
        """Only the dynamo exporter may meet it."""
        return plan.dynamo_only

    def operator(self, call: OperatorCall) -> ast.expr:
        """A call of `g.op`."""
        keywords = [ast.keyword(f"{key}_{letter}", value) for key, (letter, value) in call.attributes.items()]
        outputs = call.outputs
        if isinstance(outputs, int):
            outputs = max(outputs, sum(1 for output in call.schema.outputs if output.option == "single"))
        if outputs != 1:
            keywords.append(ast.keyword("outputs", ast.Constant(outputs) if isinstance(outputs, int) else outputs))
        return ast.Call(attribute("g", "op"), [ast.Constant(call.schema.name), *call.inputs], keywords)

    def call(self, name: str, arguments: Sequence[ast.expr], keywords: Sequence[ast.keyword] = ()) -> ast.expr:
        """A call with the context as first argument."""
        return ast.Call(ast.Name(name, ast.Load()), [GRAPH, *arguments], list(keywords))

    def runtime(self, name: str, arguments: Sequence[ast.expr]) -> ast.expr:
        """A call with the context where it is given."""
        return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])

    def constant(self, value: ast.expr, dtype: ast.expr | None) -> ast.expr:
        """The call `g.op("Constant", value_t=torch.tensor(value, dtype=dtype))`."""
        if dtype is None and not int64_list(value):
            dtype = torch_name("int64")
        keywords = [ast.keyword("dtype", dtype)] if dtype else []
        tensor = ast.Call(torch_name("tensor"), [value], keywords)
        return ast.Call(attribute("g", "op"), [ast.Constant("Constant")], [ast.keyword("value_t", tensor)])

    def absent(self) -> ast.expr:
        """The exporter's placeholder."""
        return ast.Call(attribute("symbolic_helper", "_optional_input_placeholder_tensor"), [GRAPH], [])

    def is_absent(self, value: ast.expr) -> ast.expr:
        """Asks the exporter, which has several forms of nothing."""
        return ast.Call(attribute("symbolic_helper", "_is_none"), [value], [])

    def items(self, values: ast.expr) -> ast.expr:
        """Unpacks a node that packs a list."""
        return ast.Call(attribute("symbolic_helper", "_unpack_list"), [values], [])

    def is_list(self, value: ast.expr) -> ast.expr:
        """Whether a node packs it."""
        return ast.Call(attribute("symbolic_helper", "_is_packed_list"), [value], [])

    def inner_parameters(self, names: Sequence[str]) -> list[ast.arg]:
        """The context of the inner graph, and the values."""
        values = [ast.arg(name, parsed(self.value_type)) for name in names]
        return [ast.arg("g", parsed("jit_utils.GraphContext")), *values]

    def failure(self, message: ast.expr, anchor: ast.expr) -> ast.stmt:
        """Raises `SymbolicValueError`, which names the place in the model.

        Raises:
            PlanError: where no value of the graph tells the place.
        """
        if isinstance(anchor, ast.Name) and not anchor.id:
            raise PlanError(f"give op.fail({ast.unparse(message)}) a value of the graph")
        return ast.Raise(ast.Call(parsed("errors.SymbolicValueError"), [message, anchor], []))

    def parameter_name(self, parameter: Parameter) -> str:
        """The name in the `.pyi`, as the exporter's documentation wants it."""
        return parameter.stub_name

    def is_complex(self, position: int, argument: ast.expr) -> tuple[ast.expr, ...]:
        """The context and the position: the model's own node has a value of its type there."""
        return GRAPH, ast.Constant(position)

    def argument_form(
        self, parameter: Parameter, disposition: Disposition, *, is_graph: bool, op: str, anchor: str
    ) -> ArgumentForm:
        """The form with a descriptor of `parse_args`."""
        return argument_form(parameter, disposition, is_graph=is_graph, op=op, anchor=anchor)


TORCHSCRIPT: Emitter = TorchScriptEmitter()
