"""Renders the tests that stand beside generated functions: samples as code, and the functions of a round trip.

The generated file needs neither symgen nor OpInfo.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from symgen.model.definition import Definition, ModuleText
from symgen.model.names import OpName
from symgen.model.sample import SampleSpec
from symgen.render.environment import template_environment
from symgen.render.samples import group_samples, is_renderable
from symgen.render.test_helpers import render_test, with_helpers
from symgen.render.text import docstring, path_steps

_FILE = "tests/test_file.py.jinja"
_FUNCTION = "tests/test_function.py.jinja"


@dataclass(frozen=True)
class RoundTripTest:
    """What the test of one operator is made of."""

    op: OpName
    opsets: tuple[int, ...]
    """The opsets to test at: the first and the last of each range in which the code is the same."""
    samples: tuple[SampleSpec, ...]
    """Samples that were proven right, the most telling first."""
    refused: tuple[SampleSpec, ...] = ()
    """Samples that the function refuses."""
    summary: str = ""
    """What the docstring says; the schemas."""
    same: str = ""
    """The name of the property that decides where values are free, from `symgen/verify/properties.py`."""
    tolerance: tuple[float, float, str] | None = None
    """(rtol, atol, why) where torch's own tolerances are too strict."""
    floats: tuple[str, ...] = ()
    """Of a quantised operator, the arguments that are not quantised."""
    carries_complex: bool = False
    """Whether complex tensors go in or come out."""
    untraced: tuple[str, ...] = ()
    """The overloads that a trace doesn't record."""
    tables: tuple[str, ...] = ()
    """The translation table as code, where the dynamo exporter is tested."""


def render_test_file(
    test: RoundTripTest, opset: int, package: str, package_parent: str, own_templates: Path | None = None
) -> ModuleText:
    """The file for one opset with the test of one operator.

    Args:
        test: the operator and its samples.
        opset: the number of the file.
        package: the name by which the package of the symbolic functions is imported.
        package_parent: the folder in which that package stands, relative to the folder of the tests (`..`).
        own_templates: the user's folder of templates, which comes first.
    """
    head = render_test_head(opset, package, package_parent, own_templates)
    return ModuleText(head, render_test_definitions(test, own_templates))


def render_test_head(opset: int, package: str, package_parent: str, own_templates: Path | None = None) -> str:
    """What a new file of tests starts with."""
    template = template_environment(own_templates).get_template(_FILE)
    return template.render(opset=opset, package=package, path=path_steps(package_parent))


def render_test_definitions(test: RoundTripTest, own_templates: Path | None = None) -> tuple[Definition, ...]:
    """The helpers and the test of the operator, and a second test where it refuses something."""
    tests = [_test(test, test.samples, test.op.test_name, _statement(test), own_templates)]
    refused = tuple(filter(is_renderable, test.refused))[:4]
    if refused:
        name = f"{test.op.test_name}_refuses"
        arguments = ", ".join(["op", "dtype", "template", "opset", *test.tables])
        statement = f"{'exported_refuse' if test.tables else 'refuse'}({arguments})"
        tests.append(_test(test, refused, name, statement, own_templates))
    return with_helpers(tests, own_templates)


def _statement(test: RoundTripTest) -> str:
    arguments = ["op", "dtype", "template", "opset", *test.tables, *([test.same] if test.same else [])]
    function = "round_trip_of_complex" if test.carries_complex else "round_trip"
    function = "exported_round_trip" if test.tables else function
    if test.tolerance is None:
        return f"{function}({', '.join(arguments)})"
    rtol, atol, why = test.tolerance
    return f"{function}({', '.join(arguments)}, rtol={rtol!r}, atol={atol!r})  # {why}"


def _test(
    test: RoundTripTest, samples: Sequence[SampleSpec], name: str, statement: str, own_templates: Path | None
) -> Definition:
    source = (
        template_environment(own_templates)
        .get_template(_FUNCTION)
        .render(
            name=name,
            opsets=list(test.opsets),
            groups=group_samples(test.op, samples, test.floats, test.untraced),
            docstring=docstring(test.summary),
            statement=statement,
        )
    )
    return render_test(name, source, own_templates)
