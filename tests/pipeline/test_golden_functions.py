"""What is generated for differently shaped operators, file by file; a reviewer reads the diff of `golden/functions/`.

Each folder holds `ops.txt` with the operators, and the files of the package that `symgen new` makes of them, with
`--as-function` where that stands among them. The files are made without verification, in memory; that they are right is
what the round trips hold.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from golden import Golden
from symgen.config import Config
from symgen.merge.outcome import MergeOptions
from symgen.merge.style import StyleHints
from symgen.pipeline.decide import Decision, Settings, decide
from symgen.pipeline.exporters import Exporter, exporter_of
from symgen.pipeline.resolve import resolve_names
from symgen.pipeline.targets import targets_of
from symgen.pipeline.write import merge_targets
from symgen.sources import Sources, load_sources

GOLDEN = Path(__file__).parents[2] / "golden" / "functions"
CASES = sorted(path.parent.name for path in GOLDEN.glob("*/ops.txt"))


@pytest.fixture(scope="module")
def sources() -> Sources:
    return load_sources(Config())


def decided(op: str, sources: Sources, exporter: Exporter) -> Decision:
    """The decision for one operator, without anything being run."""
    (request,) = resolve_names([op], sources)
    trial = decide(request, sources, Settings(verify=False, force=True, exporter=exporter))
    try:
        next(trial)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    raise AssertionError(f"{op} wants to be verified")


def generated(ops: list[str], sources: Sources, before: dict[Path, bytes | None]) -> dict[Path, bytes]:
    """The package's files after the operators were merged into it."""
    config = Config(as_function="--as-function" in ops)
    decisions = [decided(op, sources, exporter_of(config)) for op in ops if op != "--as-function"]
    targets = {d.request.op.qualified: [t for t in targets_of(d, config) if not t.is_test] for d in decisions}
    merged = merge_targets(targets, before, {}, MergeOptions(), StyleHints(line_length=100))
    assert not merged.obstacles
    return {path: outcome.after or b"" for path, outcome in merged.outcomes.items()}


@pytest.mark.parametrize("case", CASES)
def test_generated_functions(case: str, golden: Golden, sources: Sources) -> None:
    ops = (GOLDEN / case / "ops.txt").read_text("utf-8")

    made = generated(ops.split(), sources, {})

    golden.check(f"functions/{case}", {"ops.txt": ops, **{path.name: text.decode() for path, text in made.items()}})


@pytest.mark.parametrize("case", CASES)
def test_merging_the_same_again_changes_nothing(case: str, sources: Sources) -> None:
    ops = (GOLDEN / case / "ops.txt").read_text("utf-8").split()
    before: dict[Path, bytes | None] = {
        Path("symbolics", path.name): path.read_bytes() for path in (GOLDEN / case).glob("*.py")
    }

    assert generated(ops, sources, before) == before


@pytest.mark.parametrize("case", CASES)
def test_the_files_are_python_and_say_which_operators_they_register(case: str) -> None:
    for path in (GOLDEN / case).glob("*.py"):
        compile(path.read_bytes(), str(path), "exec")
        assert '@_onnx_symbolic("' in path.read_text("utf-8")


def test_there_are_golden_files_for_eight_shapes_and_more() -> None:
    assert len(CASES) >= 8


def test_every_family_of_the_knowledge_has_a_golden_file(sources: Sources) -> None:
    knowledge = sources.knowledge
    names = [op for case in CASES for op in (GOLDEN / case / "ops.txt").read_text("utf-8").split()]
    qualified = [name if "::" in name else f"aten::{name}" for name in names]
    assert {knowledge.family_of(name) for name in qualified if name in knowledge} == set(knowledge.families())
