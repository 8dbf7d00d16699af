"""One operator in the files of a checkout: its functions, its test, and what is said of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from symgen.config import LOWEST_OPSET
from symgen.lower.all_opsets import lower_for_all
from symgen.lower.older_forms import load_older_forms
from symgen.merge.apply import merge_module
from symgen.merge.outcome import MergeOptions
from symgen.merge.style import FileStyle
from symgen.model.definition import Definition, Import, ModuleText
from symgen.model.names import OpName
from symgen.pipeline.decide import Decision
from symgen.pipeline.exporters import Placement
from symgen.pipeline.translate import Translation
from symgen.pipeline.upstream.checkout import Checkout
from symgen.pipeline.upstream.drafts import Contents, Draft, UnfitError, opinfo_name, refused
from symgen.pipeline.upstream.fit import File, fit, functions_of
from symgen.pipeline.upstream.message import Contribution, Wording, operators_in
from symgen.pipeline.upstream.suite import (
    CONSISTENCY_TESTS,
    MIN_OPSET,
    RUNTIME_TESTS,
    add_row,
    add_test,
    binds,
    test_methods,
)
from symgen.render.suite_test import SuiteTest, render_suite_test
from symgen.render.upstream import said_of
from symgen.sources import Sources
from symgen.verify.task import Verification

WORDING = Wording(
    one="[ONNX] Add {ops} to the TorchScript exporter",
    many="[ONNX] Add {count} operators to the TorchScript exporter",
    lead=(
        "torch.onnx.export(..., dynamo=False) stops at {op}, for which there is no symbolic function. "
        "This adds one, which serves opset {opset} and later:"
    ),
    error="SymbolicValueError",
)
_OF_HELPER = re.compile(r"\b(symbolic_helper|_type_utils)\.(\w+)")


def draft(decision: Decision, contents: Contents[Checkout], sources: Sources) -> Draft:
    """Writes one operator into the contents of the checkout's files.

    Raises:
        UnfitError: where something of the checkout's own is in the way.
        MergeError: where a file can't be merged into at all.
    """
    translation = decision.translation
    assert translation is not None
    with contents.kept_on_failure():
        return _drafted(decision, translation, contents, sources)


def _drafted(decision: Decision, translation: Translation, contents: Contents[Checkout], sources: Sources) -> Draft:
    before, definitions, code = dict(contents.changed), list[Definition](), list[str]()
    for placement in translation.placements:
        path = contents.checkout.symbolic_file(placement.opset)
        definitions += _merge(placement, path, contents)
        code.append(path)
    tests = dict(_add_tests(decision, translation, contents, sources))
    files = {path: after for path, after in contents.changed.items() if before.get(path) != after}
    contribution = Contribution(
        op=decision.request.op,
        schemas=decision.match.overloads,
        summary=said_of(translation.plan),
        opset=translation.first,
        operators=_operators(translation, definitions, sources),
        refused=refused(decision),
        evidence=decision.evidence,
        tests=tests,
        wording=WORDING,
    )
    return Draft(decision, files, tuple(code), tests, tuple(tests), contribution)


def _merge(placement: Placement, path: str, contents: Contents[Checkout]) -> tuple[Definition, ...]:
    checkout = contents.checkout
    lower = (opset for opset in checkout.opsets if LOWEST_OPSET <= opset < placement.opset)
    functions = {f"opset{opset}": functions_of(contents.text(checkout.symbolic_file(opset))) for opset in lower}
    file = File(path, contents.text(path), functions)
    definitions = fit(placement.module.definitions, file, placement.opset, checkout)
    _require_helpers(definitions, checkout)
    registration = Import(checkout.module_package("registration"), "registration")
    outcome = merge_module(
        contents.read(path),
        ModuleText("", definitions),
        path=path,
        options=MergeOptions(custom=False, markers=False, registration=registration),
        hints=checkout.hints,
    )
    if outcome.failures:
        raise UnfitError(str(outcome.failures[0]))
    contents.changed[path] = outcome.after or b""
    return definitions


def _require_helpers(definitions: tuple[Definition, ...], checkout: Checkout) -> None:
    """Makes sure that an older exporter has what the code calls of it."""
    wanted = {pair for one in definitions for pair in _OF_HELPER.findall(one.source)}
    for module, name in sorted(wanted):
        path = checkout.module_path(module)
        if not binds(checkout.read(path).decode("utf-8", "replace"), name):
            raise UnfitError(f"it calls {module}.{name}, which {path} of this checkout does not have")


def _add_tests(
    decision: Decision, translation: Translation, contents: Contents[Checkout], sources: Sources
) -> Iterator[tuple[str, str]]:
    """The files with a test of the operator, each with what `-k` finds it by.

    What is random, or quantised, the suite tests in ways of its own.
    """
    op, seen, paths = decision.request.op, decision.verification, contents.checkout.paths
    if op.namespace != "aten" or (seen is not None and seen.same):
        return
    if RUNTIME_TESTS in paths and seen is not None and (name := _add_method(op, seen, translation, contents, sources)):
        yield RUNTIME_TESTS, name
    if CONSISTENCY_TESTS in paths and (info := opinfo_name(op)):
        text = contents.text(CONSISTENCY_TESTS)
        after = add_row(text, info, translation.first)
        if after != text:
            contents.changed[CONSISTENCY_TESTS] = after.encode()
            yield CONSISTENCY_TESTS, info.replace(".", "_")


def _add_method(
    op: OpName, seen: Verification, translation: Translation, contents: Contents[Checkout], sources: Sources
) -> str:
    """Adds the test method, and gives its name; empty where there is no class for it, or no sample that it can say."""
    text = contents.text(RUNTIME_TESTS)
    name = f"test_{op.base.lstrip('_')}"
    while name in test_methods(text):
        name += "_symbolic"
    decorator = f"{MIN_OPSET}({translation.first})" if binds(text, MIN_OPSET) else ""
    parameters = tuple(p.name for p in translation.plan.parameters)
    method = render_suite_test(SuiteTest(op, _function(op, sources), seen.proven, parameters), name, decorator)
    style = FileStyle(line_length=contents.checkout.hints.line_length or FileStyle().line_length)
    after = add_test(text, name, method, style) if method else text
    if after == text:
        return ""
    contents.changed[RUNTIME_TESTS] = after.encode()
    return name


def _function(op: OpName, sources: Sources) -> str:
    """How users of torch call an operator with the arguments that its schema has."""
    files = {Path(stub.location.path).name for stub in sources.catalogue.operator(op).stubs}
    if "_VariableFunctions.pyi" in files and not op.base.startswith("_"):
        return f"torch.{op.base}"
    return f"torch.ops.{op.namespace}.{op.base}"


def _operators(translation: Translation, definitions: list[Definition], sources: Sources) -> dict[str, int]:
    lowered = lower_for_all(translation.plan, sources.schemas, load_older_forms(), translation.first)[0]
    calls = dict(pair for one in (lowered.function, *lowered.helpers) for pair in one.operators)
    return operators_in([one.source for one in definitions], calls, translation.first, sources.schemas)
