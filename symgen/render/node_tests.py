"""Renders the test of a custom operator: each call becomes one node, with these inputs and attributes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from symgen.lower.custom_nodes import expected_node
from symgen.model.definition import ModuleText
from symgen.model.names import OpName
from symgen.model.node import NodeSpec
from symgen.model.sample import SampleSpec
from symgen.render.environment import template_environment
from symgen.render.samples import is_renderable, main_dtype, render_sample
from symgen.render.test_helpers import render_test, with_helpers
from symgen.render.text import docstring, python_string

_FILE = "tests/custom_file.py.jinja"
_FUNCTION = "tests/custom_function.py.jinja"


@dataclass(frozen=True)
class NodeTest:
    """What the test of one operator is made of."""

    op: OpName
    specs: tuple[NodeSpec, ...]
    samples: tuple[SampleSpec, ...]
    opsets: tuple[int, ...]
    imports: tuple[str, ...] = ()
    """The user's modules that register the operator; where there are none, a stand-in is defined."""
    library: str = ""
    """The path of a library with the kernels, absolute or from the test's folder."""
    has_function: bool = False
    """Whether one of the modules registers an onnxscript function for the node, so that models can be run."""


def render_node_test(test: NodeTest, package: str, path: str, own_templates: Path | None = None) -> ModuleText:
    """The file of a namespace with the test of one operator.

    Args:
        test: the operator and its calls.
        package: the name by which the package of the symbolic functions is imported.
        path: the way from the test's folder to that of the package, as code.
        own_templates: the user's folder of templates, which comes first.
    """
    environment = template_environment(own_templates)
    modules = sorted({*test.imports, package})
    head = environment.get_template(_FILE).render(namespace=test.op.namespace, path=path, modules=modules)
    name = test.op.test_name
    source = (
        environment.overlay(trim_blocks=True)
        .get_template(_FUNCTION)
        .render(
            name=name,
            namespace=test.op.namespace,
            base=test.op.base,
            opsets=list(test.opsets),
            rows=list(_rows(test)),
            docstring=docstring("\n".join(str(spec.schema) for spec in test.specs)),
            stand_ins=[] if test.imports else list(_stand_ins(test.specs)),
            domain=python_string(test.specs[0].domain.name),
            version=test.specs[0].domain.version,
            library=python_string(test.library) if test.library else "",
            has_function=test.has_function,
        )
    )
    return ModuleText(head, with_helpers([render_test(name, source, own_templates)], own_templates))


def _rows(test: NodeTest) -> Iterator[tuple[str, ...]]:
    """The parameters of each call, as code."""
    specs = {spec.schema.name.overload: spec for spec in test.specs}
    for sample in filter(is_renderable, test.samples):
        main = main_dtype(sample)
        node = expected_node(specs[sample.overload], sample)
        attributes = {name: list(v) if isinstance(v, tuple) else v for name, v in node.attributes.items()}
        yield (
            python_string(sample.overload or "default"),
            f"torch.{main}",
            render_sample(sample, main),
            python_string(node.name),
            repr(list(node.inputs)),
            _dictionary(attributes),
        )


def _dictionary(values: Mapping[str, object]) -> str:
    """A dictionary as code that Python reads, inf and nan included."""
    entries = (f"{json.dumps(name)}: {_literal(value)}" for name, value in values.items())
    return f"{{{', '.join(entries)}}}"


def _literal(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return f'float("{value}")'
    return repr(int(value) if isinstance(value, bool) else value)


def _stand_ins(specs: Sequence[NodeSpec]) -> Iterator[str]:
    for spec in specs:
        name, schema = str(spec.schema.name), str(spec.schema)
        rest = schema.removeprefix(name)
        yield f"stand_in({python_string(name)}, {python_string(rest)}, {spec.outputs})"
