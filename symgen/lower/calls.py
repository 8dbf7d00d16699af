"""Calls of ONNX operators: from the plan language's newest form to the one that an opset has."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symgen.lower.values import Kind, Value
from symgen.lower.versions import NotExpressibleError, Schemas, newest_schema, schema_in_force, takes
from symgen.model.onnx import OnnxFormal, OnnxSchema
from symgen.model.plan import PlanError

_SUFFIXES = {"FLOAT": "f", "FLOATS": "f", "INT": "i", "INTS": "i", "STRING": "s", "STRINGS": "s", "TENSOR": "t"}
ONNX_ELEMENT_OF = {
    "bool": "bool", "uint8": "uint8", "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64",
    "float16": "float16", "bfloat16": "bfloat16", "float32": "float", "float64": "double",
}  # fmt: skip
"""torch's dtypes with the ONNX element type of each, without `tensor(...)`."""
TORCH_DTYPE_OF = {onnx: torch for torch, onnx in ONNX_ELEMENT_OF.items()}


@dataclass(frozen=True)
class Call:
    """An operator's call as the plan has it; starred inputs are lists of graph values."""

    name: str
    inputs: tuple[Value, ...]
    keywords: Mapping[str, Value]
    starred: bool = False


@dataclass(frozen=True)
class BoundCall:
    """The call with each argument at its place in the newest schema."""

    call: Call
    newest: OnnxSchema
    inputs: Mapping[str, Value]
    attributes: Mapping[str, Value]


def bind_call(call: Call, schemas: Schemas) -> BoundCall:
    """Finds the place of every argument.

    Raises:
        PlanError: where the operator has no such input or attribute.
    """
    newest = newest_schema(schemas, call.name)
    inputs: dict[str, Value] = {}
    for position, value in enumerate(call.inputs):
        if position < len(newest.inputs):
            formal = newest.inputs[position]
        elif newest.inputs and newest.inputs[-1].option == "variadic":
            formal = newest.inputs[-1]
        else:
            raise PlanError(f"{call.name} takes {len(newest.inputs)} inputs, not {len(call.inputs)}")
        key = formal.name if formal.option != "variadic" else f"{formal.name}:{position}"
        inputs[key] = value
    attributes = {}
    names = {formal.name for formal in newest.inputs}
    for name, value in call.keywords.items():
        if name in names:
            inputs[name] = value
        elif newest.attribute(name):
            attributes[name] = value
        else:
            raise PlanError(f"{call.name} has no input or attribute {name!r} at opset {newest.since_version}")
    return BoundCall(call, newest, inputs, attributes)


def fits(bound: BoundCall, schema: OnnxSchema | None, computed_in: frozenset[str]) -> bool:
    """Whether an older version can say the call: it has the arguments, and takes the operands' types."""
    if schema is None:
        return False
    formals = {formal.name: formal for formal in schema.inputs}
    for key, value in bound.inputs.items():
        formal = formals.get(key.partition(":")[0])
        if formal is None:
            if schema.attribute(key) is None or value.kind is not Kind.STATIC:
                return False
        elif value.kind is not Kind.STATIC and not takes(schema, bound.newest, formal, value.element, computed_in):
            return False
    for name, value in bound.attributes.items():
        if schema.attribute(name) is None and not _is_default(bound.newest, name, value):
            return False
    return True


def _is_default(schema: OnnxSchema, name: str, value: Value) -> bool:
    attribute = schema.attribute(name)
    return attribute is not None and isinstance(value.node, ast.Constant) and value.node.value == attribute.default


def first_opset(bound: BoundCall, schemas: Schemas, computed_in: frozenset[str]) -> int:
    """The lowest opset from 9 on at which ONNX itself can say the call."""
    for opset in range(9, bound.newest.since_version + 1):
        if fits(bound, schema_in_force(schemas, bound.call.name, opset), computed_in):
            return opset
    return bound.newest.since_version


def not_expressible(bound: BoundCall, opset: int, since: int) -> NotExpressibleError:
    """The error for a call that an opset cannot say."""
    return NotExpressibleError(f"ONNX can say this {bound.call.name} from opset {since} on, not at {opset}", since)


def result_of(bound: BoundCall, node: ast.expr) -> Value:
    """The value of the call's first output, with what is known of its type."""
    output = bound.newest.outputs[0]
    if bound.call.name == "Cast":
        target = bound.attributes["to"].node
        element = ONNX_ELEMENT_OF.get(str(target.value), "") if isinstance(target, ast.Constant) else ""
        return Value(node, Kind.GRAPH, element)
    fixed = sorted(bound.newest.allowed_types(output))
    if len(fixed) == 1:
        return Value(node, Kind.GRAPH, fixed[0].removeprefix("tensor(").removesuffix(")"))
    twin = first_graph_operand(bound, output.type)
    return Value(node, Kind.GRAPH, twin.element, twin.like, twin.origin) if twin else Value(node, Kind.GRAPH)


def first_graph_operand(bound: BoundCall, type_variable: str) -> Value | None:
    """The first input that is a graph value of this type variable."""
    formals = {formal.name: formal for formal in bound.newest.inputs}
    for key, value in bound.inputs.items():
        if formals[key.partition(":")[0]].type == type_variable and value.kind is not Kind.STATIC:
            return value
    return None


def twin_of(bound: BoundCall, formal: OnnxFormal, allowed: frozenset[str]) -> Value | None:
    """The graph value whose dtype a Python number gets that stands for an input.

    An exponent of Pow may have a type of its own; it gets that of the base, lest 0.5 become a whole number.
    """
    twin = first_graph_operand(bound, formal.type)
    if twin is None and "tensor(float)" in allowed:
        return next((value for value in bound.inputs.values() if value.kind is not Kind.STATIC), None)
    return twin


def arrange(
    bound: BoundCall, schema: OnnxSchema
) -> tuple[list[tuple[OnnxFormal, Value]], dict[str, tuple[str, Value]]]:
    """The call's inputs in the order of a version, and its attributes with their suffixes."""
    inputs: list[tuple[OnnxFormal, Value]] = []
    attributes: dict[str, tuple[str, Value]] = {}
    formals = {formal.name: formal for formal in schema.inputs}
    for key, value in _in_order(bound.inputs, schema.inputs):
        name = key.partition(":")[0]
        if name in formals:
            inputs.append((formals[name], value))
        else:
            attributes[key] = (suffix(schema, key), value)
    for name, value in bound.attributes.items():
        if schema.attribute(name):
            attributes[name] = (suffix(schema, name), value)
    return inputs, attributes


def _in_order(inputs: Mapping[str, Value], formals: Sequence[OnnxFormal]) -> list[tuple[str, Value]]:
    order = {formal.name: position for position, formal in enumerate(formals)}
    return sorted(inputs.items(), key=lambda item: order.get(item[0].partition(":")[0], len(order)))


def suffix(schema: OnnxSchema, name: str) -> str:
    """The exporter's suffix for an attribute: `f`, `i`, `s` or `t`."""
    attribute = schema.attribute(name)
    if attribute is None or attribute.type not in _SUFFIXES:
        raise PlanError(f"{schema.name} has no attribute {name!r} that a plan can write")
    return _SUFFIXES[attribute.type]
