"""Renders lowered plans as definitions of an `aten_<family>.py`: functions as torchlib has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from symgen.lower.arguments import ArgumentForm
from symgen.lower.element_types import Deduced
from symgen.lower.lowering import LoweredPlan
from symgen.lower.torchlib import TORCHLIB_OPSET
from symgen.lower.torchlib_arguments import TENSOR, torchlib_argument_form
from symgen.match.parameters import merge_parameters
from symgen.model.definition import Definition, Import, ModuleText
from symgen.model.names import OpName
from symgen.model.plan import Mapped, NoPlan, Plan
from symgen.model.schema import AtenSchema
from symgen.model.types import is_tensor_list
from symgen.render.environment import template_environment
from symgen.render.imports import TORCHLIB_IMPORTS, imports_for, names_in
from symgen.render.runtime import CARRYING_COMPLEX, OF_COMPLEX, TORCHLIB, called_helpers, runtime_helpers
from symgen.render.signatures import argument_text, promotion_text
from symgen.render.stub import NO_TRANSLATION
from symgen.render.text import docstring, path_steps, python_string
from symgen.render.torchlib_types import TypeNames, name_types

_FILE = "torchlib/file.py.jinja"
_FUNCTION = "torchlib/function.py.jinja"
_STUB = "torchlib/stub.py.jinja"
_INIT = "torchlib/package_init.py.jinja"
_TABLE = "torchlib/translation_table.py"
_TEST_FILE = "tests/torchlib_file.py.jinja"
_STUB_TEST = "tests/torchlib_stub.py.jinja"
_TRACED = "@_traced"
_NUMBER = re.compile(r"(Sequence\[)?(int|float|bool|str)\b")
"""The annotations of what has to be known at export, as the runtime helper `_traced` has them."""
STUBS = "aten_stubs"
"""The file of the operators without a translation."""


def render_torchlib_module(lowered: LoweredPlan, deduced: Deduced, own_templates: Path | None = None) -> ModuleText:
    """The module for one form of an operator: the head of a new file, its functions, and all that they call.

    Args:
        lowered: the form.
        deduced: what its tensors may be.
        own_templates: the user's folder of templates, which comes first.
    """
    head = render_torchlib_head(file_stem(lowered.plan), own_templates)
    return ModuleText(head, _definitions(lowered, deduced, own_templates))


def render_torchlib_head(stem: str, own_templates: Path | None = None) -> str:
    """What a new file starts with."""
    family = stem.removeprefix("aten_").replace("_", " ")
    return template_environment(own_templates).get_template(_FILE).render(family=family)


def file_stem(plan: Plan) -> str:
    """The name of the file of the operator's family; an operator that is one of ONNX's has none."""
    return f"aten_{plan.family or 'same_name'}"


def render_torchlib_init(own_templates: Path | None = None) -> ModuleText:
    """The package's `__init__.py`, with the function that gives the translation table."""
    environment = template_environment(own_templates)
    source = environment.get_template(_TABLE).render()
    imports = imports_for(source, TORCHLIB_IMPORTS)
    definition = Definition("translation_table", source, imports=imports, exported=False)
    return ModuleText(environment.get_template(_INIT).render(), (definition,))


def render_torchlib_stub(
    none: NoPlan, overloads: Sequence[AtenSchema], own_templates: Path | None = None
) -> ModuleText:
    """The module with the stub of an operator: one function that raises for all of its overloads."""
    schemas = "\n".join(map(str, overloads))
    source = (
        template_environment(own_templates)
        .get_template(_STUB)
        .render(
            decorator=registration(overloads, TORCHLIB_OPSET),
            name=function_name(none.op),
            docstring=docstring(f"{schemas}\n\nNo translation: {none.reason}."),
            message=python_string(f"{none.op.qualified} {NO_TRANSLATION}: {none.reason}"),
        )
    )
    definition = Definition(function_name(none.op), source, imports=imports_for(source, TORCHLIB_IMPORTS))
    return ModuleText(render_torchlib_head(STUBS, own_templates), (definition,))


def render_torchlib_stub_test(
    none: NoPlan, overloads: Sequence[AtenSchema], own_templates: Path | None = None
) -> Definition:
    """The test of a stub: it raises, and names the operator."""
    op = none.op
    source = (
        template_environment(own_templates)
        .get_template(_STUB_TEST)
        .render(
            name=op.test_name,
            docstring=docstring(f"{op.qualified} has no translation, and an export says so."),
            match=python_string(f"{op.qualified} has no translation"),
            op=f"torch.ops.{op.namespace}.{op.base}.{overloads[0].name.overload or 'default'}",
        )
    )
    return Definition(op.test_name, source, imports=(Import("pytest"),), exported=False)


def render_torchlib_test_head(stem: str, package: str, package_parent: str, own_templates: Path | None = None) -> str:
    """What a new file of tests starts with."""
    template = template_environment(own_templates).get_template(_TEST_FILE)
    return template.render(stem=stem, package=package, path=path_steps(package_parent))


def registration(overloads: Sequence[AtenSchema], since: int) -> str:
    """The decorator that registers a function for overloads, from an opset on."""
    names = [f'"{schema.name}"' for schema in overloads]
    listed = names[0] if len(names) == 1 else f"({', '.join(names)})"
    return f"@torch_op({listed}, registry=REGISTRIES[{since}], trace_only=True)"


def function_name(name: OpName, since: int = TORCHLIB_OPSET) -> str:
    """What torchlib calls the function of an overload: `aten_max_dim`."""
    parts = [name.namespace, name.base]
    if name.overload and name.overload != "Tensor":
        parts.append(name.overload.lower())
    if since > TORCHLIB_OPSET:
        parts.append(f"opset{since}")
    return "_".join(parts)


def signature_groups(overloads: Sequence[AtenSchema]) -> tuple[tuple[AtenSchema, ...], ...]:
    """The overloads in groups with the same names of arguments and the same defaults: one function serves each."""
    groups: dict[tuple[tuple[str, str | None], ...], list[AtenSchema]] = {}
    for schema in overloads:
        groups.setdefault(tuple((a.name, a.default) for a in schema.arguments), []).append(schema)
    return tuple(map(tuple, groups.values()))


def _definitions(lowered: LoweredPlan, deduced: Deduced, own_templates: Path | None) -> tuple[Definition, ...]:
    """Helpers first, the functions of the overloads last."""
    types = name_types(lowered.plan, deduced)
    own = tuple(_Functions(lowered, types, own_templates).definitions())
    names = {name for definition in own for name in definition.requires} - {definition.name for definition in own}
    return (*runtime_helpers(names, own_templates, TORCHLIB), *own)


class _Functions:
    """The functions of one operator in one form."""

    def __init__(self, lowered: LoweredPlan, types: TypeNames, own_templates: Path | None) -> None:
        self._plan, self._function, self._helpers = lowered.plan, lowered.function, lowered.helpers
        self._since = lowered.first
        self._types = types
        self._own_templates = own_templates
        self._shared = f"_{function_name(self._plan.op, self._since)}"
        self._callable = {self._shared, *(helper.name for helper in self._helpers)}

    def definitions(self) -> Iterator[Definition]:
        """The helpers; then one function, or one for each signature and what these share."""
        for helper in self._helpers:
            arguments = [argument_text(form) for form in helper.arguments]
            yield self._definition(
                helper.name, [], arguments, helper.returns, helper.docstring, helper.body, exported=False
            )
        groups = signature_groups(self._plan.overloads)
        if len(groups) == 1 and not self._function.var_positional:
            name = function_name(_plainest(groups[0]), self._since)
            decorators = [*self._registered(groups[0]), self._promoted or _TRACED]
            arguments = [self._argument(form) for form in self._function.arguments]
            returns = self._returns(groups[0])
            yield self._definition(name, decorators, arguments, returns, self._function.docstring, self._body)
            return
        yield self._shared_definition()
        yield from map(self._wrapper, groups)

    def _shared_definition(self) -> Definition:
        arguments = [self._argument(form) for form in self._function.arguments]
        if self._function.var_positional:
            arguments.append(f"*{self._function.var_positional}: Any")
        summary = self._plan.summary or f"What all overloads of {self._plan.op} share."
        # What calls it is traced; the promotion is its own, since its parameters have the names that are promoted.
        decorators = [self._promoted] if self._promoted else []
        return self._definition(self._shared, decorators, arguments, "Any", summary, self._body, exported=False)

    def _wrapper(self, group: Sequence[AtenSchema]) -> Definition:
        """The function of one overload, which calls the one that all share."""
        parameters = merge_parameters(group[:1]) or ()
        forms = [
            torchlib_argument_form(p, Mapped(), is_graph=p.name in self._plan.graph_values, op=str(self._plan.op))
            for p in parameters
        ]
        # A promoted function is traced already, and leaves to be seen which numbers only the model knows.
        is_traced = self._promoted and not any(_NUMBER.match(form.annotation) for form in forms)
        return self._definition(
            function_name(_plainest(group), self._since),
            [*self._registered(group), *([] if is_traced else [_TRACED])],
            [self._argument(form) for form in forms],
            self._returns(group),
            "\n".join(map(str, group)),
            [f"    return {self._shared}({', '.join(form.name for form in forms)})"],
        )

    def _argument(self, form: ArgumentForm) -> str:
        """A parameter as it stands in the signature, a tensor with the name of what it may be."""
        known = self._types.parameters.get(form.name, TENSOR)
        return argument_text(replace(form, annotation=form.annotation.replace(TENSOR, known)))

    def _returns(self, overloads: Sequence[AtenSchema]) -> str:
        results = overloads[0].returns
        known = self._types.results if len(self._types.results) == len(results) else (TENSOR,) * len(results)
        shown = [
            f"Sequence[{TENSOR}]" if is_tensor_list(result.type) else name
            for result, name in zip(results, known, strict=True)
        ]
        return shown[0] if len(shown) == 1 else f"tuple[{', '.join(shown)}]"

    def _registered(self, overloads: Sequence[AtenSchema]) -> list[str]:
        """The decorators of a function that the exporter asks."""
        is_of_complex = bool(OF_COMPLEX & set(self._function.runtime))
        return [registration(overloads, self._since), *([f"@{CARRYING_COMPLEX}"] if is_of_complex else [])]

    @property
    def _promoted(self) -> str:
        """The decorator that promotes, which traces as well; empty where nothing is promoted."""
        promotion = promotion_text(self._plan.promotion, {})
        return f"@_promoted({promotion})" if promotion else ""

    @property
    def _body(self) -> tuple[str, ...]:
        preparation = [line for form in self._function.arguments for line in form.preparation]
        return (*(f"    {line}" for line in preparation), *self._function.body)

    def _definition(
        self,
        name: str,
        decorators: Sequence[str],
        arguments: Sequence[str],
        returns: str,
        text: str,
        body: Sequence[str],
        *,
        exported: bool = True,
    ) -> Definition:
        template = template_environment(self._own_templates).get_template(_FUNCTION)
        source = template.render(
            name=name, decorators=decorators, arguments=arguments, returns=returns, docstring=docstring(text), body=body
        )
        called = {*called_helpers(source, name, TORCHLIB), *(self._callable & names_in(source))} - {name}
        imports = imports_for(source, TORCHLIB_IMPORTS)
        return Definition(name, source, requires=tuple(sorted(called)), imports=imports, exported=exported)


def _plainest(overloads: Sequence[AtenSchema]) -> OpName:
    """The overload that gives its name to the function of several: the one that takes tensors, if there is one."""
    names = [schema.name for schema in overloads]
    return next((name for name in names if name.overload in ("", "Tensor")), names[0])
