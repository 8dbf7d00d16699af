"""Which form an ONNX operator has at an opset, as the schema history and the changes of meaning say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from symgen.errors import SymgenError
from symgen.model.onnx import OnnxFormal, OnnxSchema

NEWEST_OPSET = 20
"""The plan language writes every operator as it is at this opset, the newest that the TorchScript exporter writes."""

NEWEST_KNOWN_OPSET = 24
"""The newest opset with operators that a plan may call; those that came after `NEWEST_OPSET` serve other targets."""

CHANGED_MEANING: Mapping[str, int] = {
    # Below 13 these flatten their input to two dimensions at `axis` and normalise over all that follows.
    "Softmax": 13,
    "LogSoftmax": 13,
    "Hardmax": 13,
    # Below 11 the attributes cannot say how coordinates are transformed.
    "Resize": 11,
    # Below 11 always the largest values, in order.
    "TopK": 11,
    # Below 11 negative indices are not allowed, and depth may not be a tensor of every type.
    "OneHot": 11,
}
"""Operators whose older versions mean something else although their signature fits."""

RENAMED_INPUTS: Mapping[str, Mapping[str, str]] = {
    "BatchNormalization": {"mean": "input_mean", "var": "input_var"},
}
"""Inputs of older versions with the names that they have in the newest."""


class Schemas(Protocol):
    """What this stage asks of the ONNX schemas."""

    def at(self, name: str, opset: int, domain: str = "") -> OnnxSchema | None:
        """The version of an operator that is in force at an opset."""


class NotExpressibleError(SymgenError):
    """The plan cannot be said at this opset; `since` is the first opset at which the operator can."""

    def __init__(self, message: str, since: int = 0) -> None:
        super().__init__(message)
        self.since = since


def newest_schema(schemas: Schemas, name: str) -> OnnxSchema:
    """The operator as the plan language writes it.

    Raises:
        NotExpressibleError: where ONNX has no such operator.
    """
    schema = schemas.at(name, NEWEST_OPSET) or schemas.at(name, NEWEST_KNOWN_OPSET)
    if schema is None or schema.deprecated:
        raise NotExpressibleError(f"ONNX has no operator {name} up to opset {NEWEST_KNOWN_OPSET}")
    return schema


def schema_in_force(schemas: Schemas, name: str, opset: int) -> OnnxSchema | None:
    """The operator's version at an opset, None where it has none or one with another meaning."""
    if opset < CHANGED_MEANING.get(name, 0):
        return None
    schema = schemas.at(name, opset)
    renamed = RENAMED_INPUTS.get(name)
    if schema is None or renamed is None:
        return schema
    return replace(schema, inputs=tuple(replace(f, name=renamed.get(f.name, f.name)) for f in schema.inputs))


def takes(
    schema: OnnxSchema, newest: OnnxSchema, formal: OnnxFormal, element: str, computed_in: frozenset[str]
) -> bool:
    """Whether this version takes, for one input, every type in which the plan may be computed.

    Args:
        element: the operand's element type where it is known (`bool`, `int64`), else empty.
        computed_in: the element types in which the plan's body runs. Those that even the newest version refuses don't
            count: there the plan has to see to itself.
    """
    wanted = {f"tensor({element})"} if element else {f"tensor({name})" for name in computed_in}
    of_newest = next((f for f in newest.inputs if f.name == formal.name), None)
    possible = wanted & newest.allowed_types(of_newest) if of_newest else wanted
    return possible <= schema.allowed_types(formal)
