"""From the schema of a custom operator to the one node that stands for it."""

from __future__ import annotations

from collections.abc import Sequence

from symgen.model.domain import Domain
from symgen.model.names import OpName
from symgen.model.node import (
    ExpectedNode,
    IgnoredArgument,
    InputKind,
    NodeAttribute,
    NodeInput,
    NodePart,
    NodeSpec,
    NoNode,
    without_trailing_absent,
)
from symgen.model.sample import DType, SampleSpec, TensorSpec, Value
from symgen.model.schema import Argument, AtenSchema
from symgen.model.types import BaseType, ListType, OptionalType, Type, is_tensor, is_tensor_list, strip_optional

_ATTRIBUTE_TYPES = {
    "int": "i",
    "SymInt": "i",
    "bool": "i",
    "SymBool": "i",
    "float": "f",
    "Scalar": "f",
    "number": "f",
    "str": "s",
    "ScalarType": "i",
}
_ONNX_DTYPES = {
    "float32": 1, "uint8": 2, "int8": 3, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11,
    "bfloat16": 16,
}  # fmt: skip
"""`onnx.TensorProto.DataType`."""
_STORAGE = frozenset({"Layout", "Device", "MemoryFormat"})
"""Types whose arguments have no influence on the values; ONNX says nothing of them."""


def node_of(schema: AtenSchema, domain: Domain) -> NodeSpec | NoNode:
    """The node of one overload, with the name of the operator and its overload in CamelCase."""
    reason = _refusal(schema)
    if reason:
        return NoNode(schema, reason)
    parts = tuple(_part(argument) for argument in schema.arguments)
    return NodeSpec(schema, domain, node_name(schema.name), parts)


def nodes_of(schemas: Sequence[AtenSchema], domain: Domain) -> tuple[NodeSpec | NoNode, ...]:
    """The nodes of all overloads; one whose calls can't be told from those of an earlier one has none."""
    found: list[NodeSpec | NoNode] = []
    for schema in schemas:
        alike = next((one.schema for one in found if _are_alike(one.schema, schema)), None)
        reason = f"the exporter can't tell its calls from those of {alike.name}" if alike else ""
        found.append(NoNode(schema, reason) if alike else node_of(schema, domain))
    return tuple(found)


def call_pattern(schema: AtenSchema) -> str:
    """The calls of an overload as a regular expression over one letter an argument.

    The letters are those of the runtime helper `_call_form`: the exporter turns numbers into constant tensors, so that
    neither types nor schemas are left to tell overloads apart by.
    """
    return "".join(_letters(argument) for argument in schema.arguments)


def _letters(argument: Argument) -> str:
    bare = strip_optional(argument.type)
    letters = "tcn" if is_tensor(bare) else "lc" if isinstance(bare, ListType) else "n"
    letters += "-" if isinstance(argument.type, OptionalType) else ""
    return f"[{letters}]" if len(letters) > 1 else letters


def _are_alike(one: AtenSchema, other: AtenSchema) -> bool:
    """Whether the patterns of two overloads say the same."""
    return call_pattern(one) == call_pattern(other)


def node_name(op: OpName) -> str:
    """`ShiftBlend` for `imgkit::shift_blend`, `MaxDim` for `ns::max.dim`."""
    words = [word for word in f"{op.base}_{op.overload}".split("_") if word]
    return "".join(word[0].upper() + word[1:] for word in words) or "Op"


def _refusal(schema: AtenSchema) -> str:
    """Why there can be no node, naming what is in the way; empty where nothing is."""
    for argument in schema.arguments:
        if reason := _refused_argument(argument):
            return reason
    lists = [argument.name for argument in schema.arguments if is_tensor_list(argument.type)]
    if len(lists) > 1:
        return f"{lists[0]} and {lists[1]} are lists of tensors, and a node can't tell where the first one ends"
    if lists:
        behind = schema.arguments[[a.name for a in schema.arguments].index(lists[0]) + 1 :]
        if absent := [a.name for a in behind if is_tensor(a.type) and isinstance(a.type, OptionalType)]:
            return f"{absent[0]} may be absent behind the list {lists[0]}, and a node can't tell where that ends"
    if not any(is_tensor(a.type) or is_tensor_list(a.type) for a in schema.arguments):
        return "it takes no tensor"
    if not schema.returns:
        return "it returns nothing, so that the exporter drops it"
    return _refused_results([result.type for result in schema.returns])


def _refused_argument(argument: Argument) -> str:
    if argument.is_written:
        return f"it writes into {argument.name}, and a node can't"
    if is_tensor(argument.type) or is_tensor_list(argument.type) or _attribute(argument) is not None:
        return ""
    bare = strip_optional(argument.type)
    if str(bare) in _STORAGE or (str(bare) == "Generator" and isinstance(argument.type, OptionalType)):
        return ""
    return f"{argument.name} is a {bare}, and no node can carry one"


def _refused_results(kinds: Sequence[Type]) -> str:
    for place, kind in enumerate(kinds):
        which = f"result {place}" if len(kinds) > 1 else "the result"
        if is_tensor_list(kind):
            return f"{which} is a list of tensors, and how many only the operator knows"
        if kind != BaseType("Tensor"):
            return f"{which} is a {kind}, and nodes give tensors"
    return ""


def _part(argument: Argument) -> NodePart:
    if is_tensor_list(argument.type):
        return NodeInput(argument.name, InputKind.LIST)
    if is_tensor(argument.type):
        is_optional = isinstance(argument.type, OptionalType)
        return NodeInput(argument.name, InputKind.OPTIONAL if is_optional else InputKind.SINGLE)
    return _attribute(argument) or IgnoredArgument(argument.name)


def _attribute(argument: Argument) -> NodeAttribute | None:
    """The attribute that carries an argument, None where none can."""
    bare = strip_optional(argument.type)
    is_list = isinstance(bare, ListType)
    element = bare.element if isinstance(bare, ListType) else bare
    kind = _ATTRIBUTE_TYPES.get(str(element))
    if kind is None:
        return None
    return NodeAttribute(argument.name, kind, is_list, is_dtype=str(element) == "ScalarType")


def expected_node(spec: NodeSpec, sample: SampleSpec) -> ExpectedNode:
    """What the node of a call has to be."""
    given = dict(sample.named(argument.name for argument in spec.schema.arguments))
    inputs: list[bool] = []
    attributes: dict[str, Value] = {}
    for argument, part in zip(spec.schema.arguments, spec.parts, strict=True):
        value = given.get(argument.name, argument.default_value)
        if isinstance(part, NodeInput):
            inputs += _presence(part, value)
        elif isinstance(part, NodeAttribute) and value is not None:
            attributes[part.name] = _attribute_value(argument, value)
    return ExpectedNode(spec.domain, spec.name, without_trailing_absent(inputs), attributes)


def _presence(part: NodeInput, value: Value) -> list[bool]:
    """Whether each of the inputs that stand for an argument is there."""
    items = value if isinstance(value, tuple) and part.kind is InputKind.LIST else (value,)
    return [isinstance(item, TensorSpec) for item in items]


def _attribute_value(argument: Argument, value: Value) -> Value:
    """The value as the attribute has it: dtypes as ONNX numbers them, one number for as many as the type says."""
    if isinstance(value, DType):
        return _ONNX_DTYPES[value.name]
    bare = strip_optional(argument.type)
    if isinstance(bare, ListType) and not isinstance(value, tuple):
        return (value,) * (bare.size or 1)
    return value
