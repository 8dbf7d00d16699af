"""How each parameter of a torchlib function arrives: its annotation, and the lines that prepare it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from symgen.lower.arguments import ArgumentForm, default_text
from symgen.lower.values import Kind
from symgen.match.parameters import is_optional
from symgen.model.plan import Disposition, Guarded, Ignored, Parameter
from symgen.model.types import BaseType, ListType, Type, is_tensor, is_tensor_list, strip_optional

TENSOR = "TTensor"
"""The annotation of a tensor of which nothing more is known."""
_PLAIN = {
    "int": "int", "SymInt": "int", "bool": "bool", "SymBool": "bool", "float": "float", "Scalar": "float", "str": "str",
}  # fmt: skip

_WHOLE = frozenset({"int", "SymInt"})


def torchlib_argument_form(parameter: Parameter, disposition: Disposition, *, is_graph: bool, op: str) -> ArgumentForm:
    """The form of a parameter.

    Args:
        is_graph: whether the plan wants a graph value although the type is a number.
        op: the operator's name, for messages.
    """
    form = _form(parameter, is_graph=is_graph)
    match disposition:
        case Ignored():
            # As torchlib has it: what is no number (a device, a layout, a memory format, a generator) is text there.
            # Sizes may be known to the model alone, where nothing asks for them too.
            shown = _form(parameter, is_graph=_is_of_sizes(parameter)).annotation
            return ArgumentForm(form.name, "", shown, form.default, Kind.STATIC)
        case Guarded(allowed=allowed):
            sign = "is not" if allowed in {"None", "True", "False"} else "!="
            message = f"{op}: {form.name} other than {allowed} has no translation"
            lines = (f"if {form.name} {sign} {allowed}:", f'    raise NotImplementedError("{message}")')
            return ArgumentForm(form.name, "", form.annotation, form.default, form.kind, (*form.preparation, *lines))
    return form


def _form(parameter: Parameter, *, is_graph: bool) -> ArgumentForm:
    name = parameter.name
    types = {strip_optional(kind) for kind in parameter.types}

    def form(annotation: str, kind: Kind, *preparation: str) -> ArgumentForm:
        default = default_text(parameter)
        shown = f"{annotation} | None" if is_optional(parameter) or default == "None" else annotation
        return ArgumentForm(name, "", shown, default, kind, preparation)

    if any(map(is_tensor_list, types)):
        return form(f"Sequence[{TENSOR}]", Kind.LIST)
    if any(map(is_tensor, types)):
        return form(TENSOR, Kind.GRAPH)
    if is_graph:
        return form(_of_numbers(types), Kind.GRAPH)
    if BaseType("ScalarType") in types:
        return form("int", Kind.STATIC, f"{name} = _dtype_argument({name})")
    scalars = {_PLAIN[str(kind)] for kind in types if str(kind) in _PLAIN}
    elements = {annotation for kind in types if (annotation := _element(kind))}
    if elements:
        preparation = [f"{name} = _int_list({name})"] if scalars else []
        shown = form(f"Sequence[{min(elements)}]", Kind.STATIC, *preparation)
        return replace(shown, default=_of_each(shown.default, parameter))
    return form(min(scalars, default="str"), Kind.STATIC)


def _of_numbers(types: Collection[Type]) -> str:
    """The annotation of numbers that are graph values: one, a list, or either."""
    lists = {kind for kind in types if isinstance(kind, ListType)}
    singles = set(types) - lists
    one = "INT64" if all(str(kind) in _WHOLE for kind in singles) else TENSOR
    return " | ".join([one] * bool(singles) + ["Sequence[INT64]"] * bool(lists))


def _of_each(default: str | None, parameter: Parameter) -> str | None:
    """The default of a list as a list, where the schema has one number that stands for all."""
    size = max(
        (kind.size or 0 for kind in map(strip_optional, parameter.types) if isinstance(kind, ListType)), default=0
    )
    is_number = default is not None and default.lstrip("-").replace(".", "").isdigit()
    return f"({', '.join([default or ''] * size)}{',' * (size == 1)})" if is_number and size else default


def _is_of_sizes(parameter: Parameter) -> bool:
    """Whether a parameter takes a number, or numbers, of which torch.export may know no more than a name."""
    return all("SymInt" in str(strip_optional(kind)) for kind in parameter.types)


def _element(kind: Type) -> str:
    """The annotation of the elements of a list of numbers; empty for any other type."""
    return _PLAIN.get(str(kind.element), "") if isinstance(kind, ListType) else ""
