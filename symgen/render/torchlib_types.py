"""The type variables of torchlib functions: the names that torchlib has for what a tensor may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symgen.lower.element_types import ALL, Deduced, Types
from symgen.lower.torchlib_arguments import TENSOR
from symgen.model.plan import Plan, Promotion, PromotionKind

_FLOATS = frozenset({"float16", "bfloat16", "float", "double"})
_SMALL = frozenset({"bool", "uint8", "int8", "int16"})
_NAMES: Mapping[str, Types] = {
    **{name.upper(): frozenset({name}) for name in sorted(ALL)},
    "TInt": frozenset({"int8", "int16", "int32", "int64"}),
    "TFloat": _FLOATS,
    "TReal": ALL - {"bool", "uint8"},
    "TRealOrUInt8": ALL - {"bool"},
    TENSOR: ALL,
}
"""The names, from the narrowest on."""


@dataclass(frozen=True)
class TypeNames:
    """The annotations of a function's tensors."""

    parameters: Mapping[str, str]
    results: tuple[str, ...]


def name_types(plan: Plan, deduced: Deduced) -> TypeNames:
    """What a function's tensors are called: the narrowest names that hold all that they may be."""
    promotion = plan.promotion
    promoted = promotion.parameters if promotion else ()
    parameters = {
        name: type_name(_before(types, promotion) if promotion and name in promoted else types)
        for name, types in deduced.parameters.items()
    }
    results = [_result(types, twin, parameters, promotion) for types, twin in deduced.results]
    return TypeNames(parameters, tuple(results))


def type_name(types: Types) -> str:
    """The narrowest name that holds all of these element types."""
    return min((name for name, held in _NAMES.items() if types <= held), key=lambda name: len(_NAMES[name]))


def _before(types: Types, promotion: Promotion) -> Types:
    """What a promoted argument may be, so that it is one of these types when it is computed with."""
    return frozenset(own for own in ALL if _computed(own, promotion) in types)


def _computed(own: str, promotion: Promotion) -> str:
    """The type in which an argument of a type is computed with; see the runtime helper `_result_dtypes`."""
    if promotion.kind is PromotionKind.DOUBLE:
        return "double"
    if promotion.kind is PromotionKind.COMMON:
        return own
    if own not in _FLOATS and promotion.kind is PromotionKind.INT_TO_FLOAT:
        return "double" if promotion.precise else "float"
    if own == "bool" and promotion.kind is PromotionKind.BOOL_TO_LONG:
        return "int64"
    if promotion.precise and own in _FLOATS:
        return "double"
    if own == "bfloat16" or (own == "float16" and promotion.widen):
        return "float"
    return "int32" if own in _SMALL else own


def _result(types: Types, twin: str, parameters: Mapping[str, str], promotion: Promotion | None) -> str:
    if len(types) == 1 and types <= {"bool", "int64"}:
        return type_name(types)
    if promotion is None:
        return parameters[twin] if twin else type_name(types)
    if not types & _FLOATS and promotion.kind is PromotionKind.INT_TO_FLOAT:
        return type_name(types)  # what is no float is none of what was computed with
    match promotion.kind:
        case PromotionKind.ALWAYS_BOOL:
            return "BOOL"
        case PromotionKind.DOUBLE:
            return "DOUBLE"
        case PromotionKind.INT_TO_FLOAT:
            return "TFloat"
    return parameters.get(promotion.parameters[0], TENSOR)
