"""Strategy 1: the ONNX operator of the same name, its parameters paired from the two schemas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.introspect.onnx_schemas import HIGHEST_OPSET, OnnxSchemas
from symgen.match.parameters import is_optional
from symgen.match.planner import WITHOUT_INFLUENCE
from symgen.match.promotion import promotion_rule
from symgen.model.names import OpName
from symgen.model.onnx import OnnxAttribute, OnnxFormal, OnnxSchema
from symgen.model.plan import (
    Disposition,
    Guarded,
    Ignored,
    Mapped,
    Parameter,
    Plan,
    PlanFunction,
    Promotion,
    PromotionKind,
)
from symgen.model.result import Strategy
from symgen.model.schema import AtenSchema
from symgen.model.types import is_tensor, is_tensor_list, strip_optional

_TYPES_OF_ATTRIBUTE = {
    "FLOAT": {"float", "Scalar"},
    "INT": {"int", "SymInt", "bool"},
    "STRING": {"str"},
    "INTS": {"int[]", "SymInt[]", "bool[]"},
    "FLOATS": {"float[]"},
}


@dataclass(frozen=True)
class Pairing:
    """How the parameters of two schemas go together, or why they don't."""

    inputs: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    dispositions: tuple[tuple[str, Disposition], ...] = ()
    refusal: str = ""


def normalized(name: str) -> str:
    """A name without case and underscores: `bitwise_xor` and `BitwiseXor` are one."""
    return name.replace("_", "").lower()


def operator_of_same_name(op: OpName, schemas: OnnxSchemas, opset: int = HIGHEST_OPSET) -> OnnxSchema | None:
    """The ONNX operator whose normalised name is the ATen operator's, as an opset has it."""
    wanted = normalized(op.base.removeprefix("special_").removeprefix("linalg_"))
    name = next((name for name in schemas.names(opset) if normalized(name) == wanted), None)
    return schemas.at(name, opset) if name else None


def pair_parameters(parameters: Sequence[Parameter], onnx: OnnxSchema) -> Pairing:
    """Pairs by kind and position for inputs, by name and type for attributes.

    A parameter without a partner is guarded at its default where it has one; without a default the pairing is refused.
    An ONNX attribute without a partner has to have a default of its own.
    """
    tensors = [p for p in parameters if any(is_tensor(k) for k in p.types)]
    if any(is_tensor_list(kind) for parameter in parameters for kind in parameter.types):
        return Pairing(refusal="it takes a list of tensors")
    required = [formal for formal in onnx.inputs if formal.option == "single"]
    if not len(required) <= len(tensors) <= len(onnx.inputs):
        return Pairing(refusal=f"{onnx.name} takes {len(required)} inputs, the operator has {len(tensors)} tensors")
    dispositions: dict[str, Disposition] = {p.name: Mapped() for p in tensors}
    attributes = []
    for parameter in parameters:
        if parameter in tensors:
            continue
        attribute = _attribute_for(parameter, onnx)
        if attribute is not None:
            attributes.append((attribute.name, parameter.name))
            dispositions[parameter.name] = Mapped()
        elif parameter.name in WITHOUT_INFLUENCE:
            dispositions[parameter.name] = Ignored(WITHOUT_INFLUENCE[parameter.name])
        elif parameter.default is not None:
            dispositions[parameter.name] = Guarded(parameter.default)
        else:
            return Pairing(refusal=f"{onnx.name} has nothing for the parameter {parameter.name}")
    missing = [a.name for a in onnx.attributes if a.required and a.name not in dict(attributes)]
    if missing:
        return Pairing(refusal=f"{onnx.name} needs the attribute {missing[0]}")
    return Pairing(tuple(p.name for p in tensors), tuple(attributes), tuple(dispositions.items()))


def _attribute_for(parameter: Parameter, onnx: OnnxSchema) -> OnnxAttribute | None:
    types = {str(strip_optional(kind)) for kind in parameter.types}
    for attribute in onnx.attributes:
        fits = bool(types & _TYPES_OF_ATTRIBUTE.get(attribute.type, set()))
        if fits and normalized(attribute.name) in {normalized(parameter.name), normalized(parameter.stub_name)}:
            return attribute
    return None


def plan_same_name(
    op: OpName,
    overloads: Sequence[AtenSchema],
    parameters: Sequence[Parameter],
    onnx: OnnxSchema,
    strategy: Strategy = Strategy.SAME_NAME,
) -> Plan | str:
    """The plan with the one operator, or a sentence why there is none."""
    pairing = pair_parameters(parameters, onnx)
    if pairing.refusal:
        return pairing.refusal
    if len(overloads[0].returns) != len([o for o in onnx.outputs if o.option == "single"]):
        return f"{onnx.name} has another number of results"
    optional = [p.name for p in parameters if p.name in pairing.inputs and is_optional(p)]
    if optional:
        return f"the optional tensor {optional[0]} needs a decision that no schema makes"
    body = _body(op, parameters, onnx, pairing)
    promotion = promotion_rule(op.base, parameters, widen=False) or _promotion_by_types(pairing, onnx)
    return Plan(
        op=op,
        overloads=tuple(overloads),
        parameters=tuple(parameters),
        dispositions=dict(pairing.dispositions),
        body=body,
        strategy=strategy,
        why=f"ONNX has {onnx.name} since opset {_first_version(onnx)}",
        promotion=promotion,
    )


def _body(op: OpName, parameters: Sequence[Parameter], onnx: OnnxSchema, pairing: Pairing) -> PlanFunction:
    names = ", ".join(p.name for p in parameters)
    attributes = [f"{attribute}={parameter}" for attribute, parameter in pairing.attributes]
    arguments = ", ".join([*pairing.inputs, *attributes])
    source = f"def {op.identifier}(op, {names}):\n    return op.{onnx.name}({arguments})\n"
    return PlanFunction(op.identifier, source)


def _promotion_by_types(pairing: Pairing, onnx: OnnxSchema) -> Promotion:
    """Without a rule of torch's: what the operator's own type constraint asks for."""
    first: OnnxFormal = onnx.inputs[0]
    kind = PromotionKind.DEFAULT if "tensor(int64)" in onnx.allowed_types(first) else PromotionKind.INT_TO_FLOAT
    if onnx.allowed_types(onnx.outputs[0]) == {"tensor(bool)"}:
        kind = PromotionKind.ALWAYS_BOOL
    return Promotion(kind, pairing.inputs, widen=False)


def _first_version(onnx: OnnxSchema) -> int:
    return onnx.since_version
