"""What ONNX declares of an operator: one version of its schema."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class OnnxFormal:
    """An input or output: its type is a constraint's name (`T`) or a type (`tensor(int64)`)."""

    name: str
    type: str
    option: str = "single"
    """`single`, `optional` or `variadic`."""
    homogeneous: bool = True


@dataclass(frozen=True)
class OnnxAttribute:
    """An attribute; its `type` is `FLOAT`, `INT`, `STRING`, `TENSOR`, `GRAPH`, `FLOATS`, `INTS` or `STRINGS`."""

    name: str
    type: str
    required: bool = False
    default: object = None


@dataclass(frozen=True)
class OnnxSchema:
    """One version of one operator."""

    name: str
    domain: str
    since_version: int
    inputs: tuple[OnnxFormal, ...]
    outputs: tuple[OnnxFormal, ...]
    attributes: tuple[OnnxAttribute, ...]
    constraints: tuple[tuple[str, frozenset[str]], ...]
    """Each type variable with the types it allows, as (`T`, {`tensor(float)`, …})."""
    has_function: bool = False
    deprecated: bool = False

    def allowed_types(self, formal: OnnxFormal) -> frozenset[str]:
        """The types that an input or output may have."""
        return dict(self.constraints).get(formal.type, frozenset({formal.type}))

    def attribute(self, name: str) -> OnnxAttribute | None:
        """The attribute of that name, None where this version has none."""
        return next((a for a in self.attributes if a.name == name), None)
