"""How each parameter of a symbolic function arrives: descriptor, annotation, and the lines that prepare it."""

from __future__ import annotations

from dataclasses import dataclass

from symgen.lower.values import Kind
from symgen.match.parameters import is_optional
from symgen.model.plan import Disposition, Guarded, Ignored, Parameter
from symgen.model.types import BaseType, ListType, is_tensor, is_tensor_list, strip_optional

_BY_BASE_TYPE = {
    "int": ("i", "int"),
    "SymInt": ("i", "int"),
    "bool": ("b", "bool"),
    "SymBool": ("b", "bool"),
    "float": ("f", "float"),
    "Scalar": ("f", "float"),
    "str": ("s", "str"),
    "ScalarType": ("i", "int"),
}
_LIST_DESCRIPTORS = {"i": "is", "b": "is", "f": "fs"}


@dataclass(frozen=True)
class ArgumentForm:
    """One parameter in the generated signature.

    `preparation` is source of the lines that turn what the exporter passes into what the body works on; `uses` are the
    runtime helpers that they call.
    """

    name: str
    descriptor: str
    annotation: str
    default: str | None
    kind: Kind
    preparation: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()


def argument_form(
    parameter: Parameter, disposition: Disposition, *, is_graph: bool, op: str, anchor: str
) -> ArgumentForm:
    """The form of a parameter.

    Args:
        is_graph: whether the plan wants a graph value although the type is a number.
        op: the operator's name, for messages.
        anchor: the name of a graph value that an error can point to.
    """
    form = _form(parameter, is_graph=is_graph)
    if isinstance(disposition, Ignored):
        return ArgumentForm(form.name, "none", "_C.Value | None", form.default, Kind.STATIC)
    if isinstance(disposition, Guarded):
        return _guarded(form, disposition, op, anchor)
    return form


def _form(parameter: Parameter, *, is_graph: bool) -> ArgumentForm:
    name = parameter.stub_name
    types = {strip_optional(kind) for kind in parameter.types}
    optional = is_optional(parameter)
    default = default_text(parameter)

    def form(
        descriptor: str, annotation: str, kind: Kind, *preparation: str, uses: tuple[str, ...] = ()
    ) -> ArgumentForm:
        shown = f"{annotation} | None" if optional else annotation
        return ArgumentForm(name, descriptor, shown, default, kind, preparation, uses)

    if any(is_tensor_list(kind) for kind in types):
        # A promoted list has been unpacked where its tensors were cast.
        unpacking = () if is_graph else (f"{name} = symbolic_helper._unpack_list({name})",)
        return form("v", "Sequence[_C.Value]" if is_graph else "_C.Value", Kind.LIST, *unpacking)
    if is_graph or any(is_tensor(kind) for kind in types):
        return form("v", "_C.Value", Kind.GRAPH)
    if BaseType("ScalarType") in types:
        prepare = f"{name} = _dtype_argument({name})"
        return form("i", "int", Kind.STATIC, prepare, uses=("_dtype_argument",))
    scalars = {_BY_BASE_TYPE[str(kind)] for kind in types if str(kind) in _BY_BASE_TYPE}
    elements = {
        _BY_BASE_TYPE[str(kind.element)]
        for kind in types
        if isinstance(kind, ListType) and str(kind.element) in _BY_BASE_TYPE
    }
    if scalars and elements:
        prepare = f"{name} = _int_list({name})"
        return form("v", "_C.Value", Kind.STATIC, prepare, uses=("_int_list",))
    if elements:
        descriptor, annotation = min(elements)
        return form(_LIST_DESCRIPTORS[descriptor], f"Sequence[{annotation}]", Kind.STATIC)
    if scalars:
        descriptor, annotation = min(scalars)
        return form(descriptor, annotation, Kind.STATIC)
    return form("none", "_C.Value", Kind.STATIC)


def default_text(parameter: Parameter) -> str | None:
    """The default in the generated signature, as source text; None where the parameter is required."""
    default = parameter.default
    if default is None:
        return None
    if default == "Mean":
        return "1"
    if default.startswith("["):
        return default.replace("[", "(").replace("]", ",)" if default.count(",") == 0 and default != "[]" else ")")
    if default in {"True", "False", "None"} or default[0] in "'\"-.0123456789":
        is_float = any(str(strip_optional(kind)) == "float" for kind in parameter.types)
        return f"{default}.0" if is_float and default.lstrip("-").isdigit() else default
    return "None"


def _guarded(form: ArgumentForm, guard: Guarded, op: str, anchor: str) -> ArgumentForm:
    sign = "is not" if guard.allowed in {"None", "True", "False"} else "!="
    if guard.allowed == "None":
        test = f"not symbolic_helper._is_none({form.name})"
    elif guard.allowed in {"True", "False"}:
        test = f"not {form.name}" if guard.allowed == "True" else form.name
    else:
        test = f"{form.name} {sign} {guard.allowed}"
    message = f"{op}: {form.name} other than {guard.allowed} has no translation"
    lines = (f"if {test}:", f'    raise errors.SymbolicValueError("{message}", {anchor})')
    return ArgumentForm(
        form.name, form.descriptor, form.annotation, form.default, form.kind, (*form.preparation, *lines), form.uses
    )
