"""Renders the tests that stand beside generated functions: samples as code, and the functions of a round trip.

The generated file needs neither symgen nor OpInfo. The functions that export and run are the verifier's own: their
source is read from `symgen/verify/roundtrip.py` and `properties.py` as text, so that both always do the same.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import symgen
from symgen.model.definition import Definition, Import, ModuleText
from symgen.model.names import OpName
from symgen.model.sample import SampleSpec
from symgen.render.environment import template_environment
from symgen.render.samples import group_samples, is_renderable
from symgen.render.text import docstring

_FILE = "tests/test_file.py.jinja"
_FUNCTION = "tests/test_function.py.jinja"
_HELPERS = "tests/helpers.py"
_SHARED = ("verify/roundtrip.py", "verify/properties.py")


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
    steps = "".join(f' / "{part}"' if part != ".." else ".parent" for part in Path(package_parent).parts)
    template = template_environment(own_templates).get_template(_FILE)
    return template.render(opset=opset, package=package, path=steps)


def render_test_definitions(test: RoundTripTest, own_templates: Path | None = None) -> tuple[Definition, ...]:
    """The helpers and the test of the operator, and a second test where it refuses something."""
    tests = [_test(test, test.samples, f"test_{test.op.base}", _statement(test), own_templates)]
    refused = tuple(filter(is_renderable, test.refused))[:4]
    if refused:
        name = f"test_{test.op.base}_refuses"
        tests.append(_test(test, refused, name, "refuse(op, dtype, template, opset)", own_templates))
    return (*_with_helpers(tests, own_templates), *tests)


def _statement(test: RoundTripTest) -> str:
    arguments = ["op", "dtype", "template", "opset", *([test.same] if test.same else [])]
    if test.tolerance is None:
        return f"round_trip({', '.join(arguments)})"
    rtol, atol, why = test.tolerance
    return f"round_trip({', '.join(arguments)}, rtol={rtol!r}, atol={atol!r})  # {why}"


def _test(
    test: RoundTripTest, samples: Sequence[SampleSpec], name: str, statement: str, own_templates: Path | None
) -> Definition:
    source = (
        template_environment(own_templates)
        .get_template(_FUNCTION)
        .render(
            name=name,
            opsets=list(test.opsets),
            groups=group_samples(test.op, samples),
            docstring=docstring(test.summary),
            statement=statement,
        )
    )
    used = _names(source)
    helpers = _helpers(own_templates)
    requires = tuple(sorted(used & helpers.keys()))
    return Definition(name, source, requires=requires, imports=_imports(used), exported=False)


def _with_helpers(tests: Iterable[Definition], own_templates: Path | None) -> tuple[Definition, ...]:
    """The helpers that the tests call, and those that these call."""
    helpers = _helpers(own_templates)
    needed: set[str] = set()
    pending = [name for test in tests for name in test.requires]
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending += helpers[name].requires
    return tuple(helper for name, helper in helpers.items() if name in needed)


@functools.lru_cache(maxsize=4)
def _helpers(own_templates: Path | None) -> dict[str, Definition]:
    """All functions that a test file may hold, by name, in the order in which they stand there."""
    own = template_environment(own_templates).get_template(_HELPERS).render()
    sources = _functions(own)
    for text in _shared_texts():
        sources |= _functions(text)
    found = {}
    for name, source in sources.items():
        used = _names(source)
        requires = tuple(sorted((used & sources.keys()) - {name}))
        found[name] = Definition(name, source, requires=requires, imports=_imports(used), exported=False)
    return found


@functools.cache
def _shared_texts() -> tuple[str, ...]:
    package = Path(symgen.__file__).parent
    return tuple((package / name).read_text(encoding="utf-8") for name in _SHARED)


def _functions(text: str) -> dict[str, str]:
    """The source of each function of a module."""
    definitions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {node.name: f"{ast.get_source_segment(text, node)}\n" for node in definitions}


def _names(source: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}


def _imports(names: set[str]) -> tuple[Import, ...]:
    return tuple(sorted(found for bound, found in _known_imports().items() if bound in names))


@functools.cache
def _known_imports() -> dict[str, Import]:
    """The imports of the modules that the functions come from, by the name that each binds."""
    texts = (template_environment().get_template(_HELPERS).render(), *_shared_texts())
    found: dict[str, Import] = {}
    for node in (node for text in texts for node in ast.parse(text).body):
        if isinstance(node, ast.Import):
            imports = [Import(alias.name, "", alias.asname or "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            imports = [Import(node.module or "", alias.name, alias.asname or "") for alias in node.names]
        else:
            continue
        found |= {one.bound: one for one in imports}
    return found
