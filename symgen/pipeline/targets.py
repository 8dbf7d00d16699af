"""Which files a decision touches, and what each is to hold."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from symgen.config import Config
from symgen.config import Target as Exporter
from symgen.lower.lowering import LOWEST_OPSET
from symgen.model.definition import ModuleText
from symgen.model.plan import NoPlan
from symgen.pipeline.decide import Decision
from symgen.pipeline.ready import Target
from symgen.pipeline.torchlib_targets import torchlib_head, torchlib_targets, torchlib_test_head
from symgen.render.round_trip_tests import RoundTripTest, render_test_definitions, render_test_head
from symgen.render.stub import render_stub, render_stub_test
from symgen.render.torchscript import render_head
from symgen.verify.domains import domain_of
from symgen.verify.domains.quantized import float_arguments, step_tolerance


def targets_of(decision: Decision, config: Config) -> tuple[Target, ...]:
    """The files of a decision: functions first, then the test; none where nothing is to be written."""
    if config.target is Exporter.TORCHLIB:
        test = _round_trip_test(decision)
        return tuple(torchlib_targets(decision, test, config, _parent_of_package(config)))
    return (*_functions(decision, config), *_tests(decision, config))


def file_head(path: Path, config: Config) -> str:
    """What a new file of the package starts with."""
    if config.target is Exporter.TORCHLIB:
        return torchlib_head(path, config)
    return render_head(_opset_of(path), config.templates)


def test_head(path: Path, config: Config) -> str:
    """What a new file of tests starts with; it finds the package from its own place."""
    parent = _parent_of_package(config)
    if config.target is Exporter.TORCHLIB:
        return torchlib_test_head(path, config, parent)
    return render_test_head(_opset_of(path), config.package.name, parent, config.templates)


def _parent_of_package(config: Config) -> str:
    return os.path.relpath(config.package.resolve().parent, config.tests.resolve())


def _opset_of(path: Path) -> int:
    digits = path.stem.rpartition("opset")[2]
    return int(digits) if digits.isdigit() else LOWEST_OPSET


def _functions(decision: Decision, config: Config) -> Iterator[Target]:
    if decision.translation is not None:
        for placement in decision.translation.placements:
            yield Target(config.package / f"{placement.stem}.py", placement.module)
    elif decision.stub is not None:
        opset = config.opset or LOWEST_OPSET
        yield Target(config.package / f"symbolic_opset{opset}.py", _stub(decision, decision.stub, opset, config))


def _stub_test(none: NoPlan, config: Config) -> Target:
    opset = config.opset or LOWEST_OPSET
    path = config.tests / f"test_symbolic_opset{opset}.py"
    test = render_stub_test(none, opset, config.package.name, config.templates)
    return Target(path, ModuleText(test_head(path, config), (test,)), is_test=True)


def _stub(decision: Decision, none: NoPlan, opset: int, config: Config) -> ModuleText:
    return render_stub(none, decision.match.overloads, opset, config.templates)


def _tests(decision: Decision, config: Config) -> Iterator[Target]:
    if decision.stub is not None:
        yield _stub_test(decision.stub, config)
    test = _round_trip_test(decision)
    if test is None or decision.translation is None:
        return
    path = config.tests / f"test_symbolic_opset{decision.translation.first}.py"
    module = ModuleText(test_head(path, config), render_test_definitions(test, config.templates))
    yield Target(path, module, is_test=True)


def _round_trip_test(decision: Decision) -> RoundTripTest | None:
    """The test of a translation that was verified."""
    translation, seen = decision.translation, decision.verification
    if translation is None or seen is None:
        return None
    return RoundTripTest(
        op=decision.request.op,
        opsets=seen.ends or tuple(sorted({o for p in translation.placements for o in (p.opset, p.last)})),
        samples=seen.proven or seen.samples.samples,
        refused=seen.refused,
        same=seen.same,
        tolerance=next(
            ((one.rtol, one.atol, one.reason) for one in step_tolerance(decision.request.op.qualified)), None
        ),
        floats=float_arguments(decision.request.op),
        untraced=tuple(schema.name.overload for schema in decision.match.overloads if schema.gives_a_number),
        carries_complex=domain_of(decision.request.op.qualified).carries_complex,
        summary="\n".join(str(schema) for schema in decision.match.overloads),
    )
