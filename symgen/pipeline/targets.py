"""Which files a decision touches, and what each is to hold."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from symgen.config import Config
from symgen.lower.lowering import LOWEST_OPSET
from symgen.model.definition import ModuleText
from symgen.model.plan import NoPlan
from symgen.pipeline.decide import Decision
from symgen.render.round_trip_tests import RoundTripTest, render_test_file
from symgen.render.stub import render_stub


@dataclass(frozen=True)
class Target:
    """One file, and the definitions of one operator that it is to hold."""

    path: Path
    module: ModuleText
    is_test: bool = False


def targets_of(decision: Decision, config: Config) -> tuple[Target, ...]:
    """The files of a decision: functions first, then the test; none where nothing is to be written."""
    return (*_functions(decision, config), *_tests(decision, config))


def package_file(config: Config, opset: int) -> Path:
    """The file of the package for one opset."""
    return config.package / f"symbolic_opset{opset}.py"


def _functions(decision: Decision, config: Config) -> Iterator[Target]:
    if decision.translation is not None:
        for placement in decision.translation.placements:
            yield Target(package_file(config, placement.opset), placement.module)
    elif decision.stub is not None:
        opset = config.opset or LOWEST_OPSET
        yield Target(package_file(config, opset), _stub(decision, decision.stub, opset, config))


def _stub(decision: Decision, none: NoPlan, opset: int, config: Config) -> ModuleText:
    return render_stub(none, decision.match.overloads, opset, config.templates)


def _tests(decision: Decision, config: Config) -> Iterator[Target]:
    translation, seen = decision.translation, decision.verification
    if translation is None or seen is None:
        return
    test = RoundTripTest(
        op=decision.request.op,
        opsets=tuple(sorted({o for p in translation.placements for o in (p.opset, p.last)})),
        samples=seen.proven or seen.samples.samples,
        refused=seen.refused,
        same=seen.same,
        summary="\n".join(str(schema) for schema in decision.match.overloads),
    )
    parent = os.path.relpath(config.package.resolve().parent, config.tests.resolve())
    module = render_test_file(test, translation.first, config.package.name, parent, config.templates)
    yield Target(config.tests / f"test_symbolic_opset{translation.first}.py", module, is_test=True)
