"""The files of a decision for the torchlib target: those of families, the package's table, and their tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from symgen.config import Config
from symgen.model.definition import Definition, ModuleText, together
from symgen.pipeline.decide import Decision
from symgen.pipeline.ready import Target
from symgen.render.round_trip_tests import RoundTripTest, render_test_definitions
from symgen.render.torchlib import (
    STUBS,
    render_torchlib_head,
    render_torchlib_init,
    render_torchlib_stub,
    render_torchlib_stub_test,
    render_torchlib_test_head,
)
from symgen.render.torchlib_runtime import TRACING, render_tracing, without_runtime
from symgen.verify.choose import choose_samples

_SAMPLES_OF_A_TEST = 6
"""An export takes a second."""


def torchlib_targets(decision: Decision, test: RoundTripTest | None, config: Config, parent: str) -> Iterator[Target]:
    """The files of a decision, with the test of an operator that was verified.

    Args:
        decision: what was decided for one operator.
        test: its test, as the other target has it.
        config: where the files stand.
        parent: the folder in which the package stands, as seen from the tests.
    """
    templates = config.templates
    tests: Sequence[Definition] = ()
    if decision.translation is not None:
        stem = decision.translation.placements[0].stem
        module = together([placement.module for placement in decision.translation.placements])
        if test is not None:
            tests = render_test_definitions(_shortened(test), templates)
    elif decision.stub is not None:
        stem, none = STUBS, decision.stub
        module = render_torchlib_stub(none, decision.match.overloads, templates)
        tests = (render_torchlib_stub_test(none, decision.match.overloads, templates),)
    else:
        return
    own, runtime = without_runtime(module.definitions, f".{TRACING}")
    yield Target(config.package / f"{stem}.py", ModuleText(module.head, own))
    if runtime:
        yield Target(config.package / f"{TRACING}.py", render_tracing(runtime, templates))
    yield Target(config.package / "__init__.py", render_torchlib_init(templates))
    if tests:
        path = config.tests / f"test_{stem}.py"
        head = render_torchlib_test_head(stem, config.package.name, parent, templates)
        yield Target(path, ModuleText(head, tuple(tests)), is_test=True)


def torchlib_head(path: Path, config: Config) -> str:
    """What a new file of the package starts with."""
    return render_torchlib_head(path.stem, config.templates)


def torchlib_test_head(path: Path, config: Config, parent: str) -> str:
    """What a new file of tests starts with."""
    return render_torchlib_test_head(path.stem.removeprefix("test_"), config.package.name, parent, config.templates)


def _shortened(test: RoundTripTest) -> RoundTripTest:
    """The test with few samples and with the package's table."""
    few = choose_samples(test.samples, _SAMPLES_OF_A_TEST)
    return RoundTripTest(
        op=test.op,
        opsets=test.opsets,
        samples=few,
        refused=test.refused[:1],
        summary=test.summary,
        same=test.same,
        tolerance=test.tolerance,
        tables=("translation_table(opset)",),
    )
