"""What is generated for the torchlib target, file by file; a reviewer reads the diff of `golden/torchlib/`.

The files are made without verification, in memory; that they are right is what the round trips hold.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from golden import Golden
from symgen.config import Config, Target, load_config
from symgen.lower.element_types import ALL, deduce_types
from symgen.lower.lowering import lower_at
from symgen.lower.older_forms import load_older_forms
from symgen.lower.torchlib import TORCHLIB
from symgen.merge.apply import merge_module
from symgen.merge.outcome import MergeOptions, Policy
from symgen.merge.style import StyleHints
from symgen.model.names import parse_op_name
from symgen.model.result import Evidence, SampleResult, Status, Verdict
from symgen.pipeline.decide import Decision, Settings, decide
from symgen.pipeline.exporters import TORCHLIB_EXPORTER
from symgen.pipeline.resolve import resolve_names
from symgen.pipeline.targets import targets_of
from symgen.pipeline.write import Merged, merge_targets
from symgen.render.runtime import TORCHLIB as HELPERS
from symgen.render.runtime import runtime_helpers
from symgen.render.torchlib import function_name
from symgen.render.torchlib_runtime import render_tracing
from symgen.render.torchlib_types import type_name
from symgen.sources import Sources, load_sources, match_in
from symgen.verify.exported_plan import NO_FUNCTION
from symgen.verify.task import Verification

GOLDEN = Path(__file__).parents[2] / "golden" / "torchlib"
CASES = sorted(path.parent.name for path in GOLDEN.glob("*/ops.txt"))
CONFIG = Config(target=Target.TORCHLIB, package=Target.TORCHLIB.package)
TRACING = CONFIG.package / "tracing.py"


@pytest.fixture(scope="module")
def sources() -> Sources:
    return load_sources(CONFIG)


def decided(op: str, sources: Sources) -> Decision:
    """The decision for one operator, without anything being run; of one without a plan, as the exporter lacks it."""
    (request,) = resolve_names([op], sources)
    is_planned = bool(match_in(sources, request.op).plans)
    trial = decide(request, sources, Settings(verify=not is_planned, force=True, exporter=TORCHLIB_EXPORTER))
    lacking = SampleResult("default(f32[2])", "float32", 18, "exported", Verdict.EXPORT_ERROR, NO_FUNCTION)
    try:
        next(trial)
        trial.send(Verification(op, Evidence(failures=(lacking,))))
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    raise AssertionError(f"{op} wants to be verified")


def merged(ops: list[str], sources: Sources, before: dict[Path, bytes | None], policy: Policy = Policy.SAFE) -> Merged:
    """What becomes of the package's files when operators are merged into them."""
    decisions = [decided(op, sources) for op in ops]
    targets = {d.request.op.qualified: [t for t in targets_of(d, CONFIG) if not t.is_test] for d in decisions}
    return merge_targets(targets, before, {}, MergeOptions(policy), StyleHints(line_length=100))


def generated(ops: list[str], sources: Sources, before: dict[Path, bytes | None]) -> dict[Path, bytes]:
    """The package's files after the operators were merged into it."""
    done = merged(ops, sources, before)
    assert not done.obstacles
    return {path: outcome.after or b"" for path, outcome in done.outcomes.items()}


def family_file(op: str, sources: Sources) -> str:
    """The text of the file that an operator is in."""
    (text,) = [text for path, text in generated([op], sources, {}).items() if path.name.startswith("aten_")]
    return text.decode()


@pytest.mark.parametrize("case", CASES)
def test_generated_functions(case: str, golden: Golden, sources: Sources) -> None:
    ops = (GOLDEN / case / "ops.txt").read_text("utf-8")

    made = {path.name: text.decode() for path, text in generated(ops.split(), sources, {}).items()}

    made.pop(TRACING.name, None)
    golden.check(f"torchlib/{case}", {"ops.txt": ops, **made})


def test_what_functions_share_stands_in_one_file(golden: Golden) -> None:
    """All of it; a package holds as much as its functions call."""
    names = [path.stem for path in (GOLDEN.parents[1] / "templates" / "torchlib" / "runtime").glob("*.py")]
    module = render_tracing(runtime_helpers(names, language=HELPERS))

    outcome = merge_module(None, module, path="tracing.py", hints=StyleHints(line_length=100))

    golden.check("torchlib_tracing", {"tracing.py": (outcome.after or b"").decode()})


@pytest.mark.parametrize("case", CASES)
def test_merging_the_same_again_changes_nothing(case: str, sources: Sources) -> None:
    ops = (GOLDEN / case / "ops.txt").read_text("utf-8").split()
    written = {CONFIG.package / path.name: path.read_bytes() for path in (GOLDEN / case).glob("*.py")}
    before = {**generated(ops, sources, {}), **written}

    assert generated(ops, sources, dict(before)) == before


def test_an_edited_function_is_a_conflict(sources: Sources) -> None:
    files = generated(["aten::elu"], sources, {})
    path = CONFIG.package / "aten_activations.py"
    files[path] = files[path].replace(b"op.Elu(self, alpha=alpha)", b"op.Elu(self)")

    done = merged(["aten::elu"], sources, dict(files))

    assert "aten_elu" in done.obstacles["aten::elu"]
    assert "-        return op.Elu(self)" in done.obstacles["aten::elu"]
    assert merged(["aten::elu"], sources, dict(files), Policy.FORCE).obstacles == {}


def test_a_second_operator_of_a_family_joins_the_first(sources: Sources) -> None:
    first = generated(["aten::elu"], sources, {})
    both = generated(["aten::celu"], sources, dict(first))

    text = both[CONFIG.package / "aten_activations.py"].decode()
    assert text.index("def aten_celu(") < text.index("def aten_elu(")
    assert text.count("from .tracing import") == 1
    assert both[TRACING].decode().count("def _promoted(") == 1


def test_a_function_of_the_users_keeps_the_name_that_others_import(sources: Sources) -> None:
    files: dict[Path, bytes | None] = {TRACING: b"def _promoted(value):\n    return value\n"}

    done = merged(["aten::hypot", "aten::celu"], sources, files)

    assert "tracing.py:1: _promoted: _promoted is the file's own here" in done.obstacles["aten::hypot"]
    assert done.outcomes.get(TRACING) is None or done.outcomes[TRACING].after == files[TRACING]


@pytest.mark.parametrize(
    ("op", "since", "name"),
    [
        ("aten::hypot", 18, "aten_hypot"),
        ("aten::max.dim", 18, "aten_max_dim"),
        ("aten::add.Tensor", 18, "aten_add"),
        ("aten::bitwise_and.Scalar", 18, "aten_bitwise_and_scalar"),
        ("aten::gelu", 20, "aten_gelu_opset20"),
    ],
)
def test_functions_are_named_as_torchlib_names_them(op: str, since: int, name: str) -> None:
    assert function_name(parse_op_name(op), since) == name


@pytest.mark.parametrize(
    ("op", "parameter", "name"),
    [
        ("aten::elu", "self", "TFloat"),  # Elu takes no whole numbers
        ("aten::hypot", "other", "TFloat"),
        ("aten::max", "self", "TTensor"),
        ("aten::bitwise_and", "self", "TTensor"),
        ("aten::mish", "self", "TFloat"),
    ],
)
def test_type_variables_are_what_the_operators_allow(op: str, parameter: str, name: str, sources: Sources) -> None:
    assert f"{parameter}: {name}" in family_file(op, sources)


def test_what_only_one_branch_asks_for_restricts_nothing(sources: Sources) -> None:
    plan = match_in(sources, parse_op_name("aten::max")).plans[0]
    deduced = deduce_types(lower_at(plan, sources.schemas, load_older_forms(), 18, emitter=TORCHLIB), sources.schemas)
    assert deduced.parameters["self"] == ALL
    assert deduced.results[1][0] == {"int64"}


def test_the_narrowest_name_holds_all_types() -> None:
    assert type_name(frozenset({"int64"})) == "INT64"
    assert type_name(frozenset({"float", "double"})) == "TFloat"
    assert type_name(frozenset({"int32", "float"})) == "TReal"
    assert type_name(frozenset({"bool", "float"})) == "TTensor"


def test_what_the_exporter_cannot_tell_is_refused_with_the_reason(sources: Sources) -> None:
    decision = decided("aten::as_strided_scatter", sources)
    assert decision.status is Status.FAILED
    assert "how a tensor lies in memory" in decision.reason


@pytest.mark.parametrize(("op", "opset"), [("aten::silu", 24), ("aten::rms_norm", 23)])
def test_operators_newer_than_the_other_exporter_writes_are_used_from_their_opset_on(
    op: str, opset: int, sources: Sources
) -> None:
    plan = match_in(sources, parse_op_name(op)).plans[0]
    first, second = TORCHLIB_EXPORTER.placements(plan, sources, 18, 25, None)
    assert (first.opset, first.last, second.opset, second.last) == (18, opset - 1, opset, 24)
    assert f"opset{opset}." in second.module.definitions[-1].source


def test_from_a_later_opset_on_a_function_says_so(sources: Sources) -> None:
    plan = match_in(sources, parse_op_name("aten::gelu")).plans[0]
    (placement,) = TORCHLIB_EXPORTER.placements(plan, sources, 21, 25, None)
    assert (placement.opset, placement.last) == (21, 24)
    assert placement.module.definitions[-1].name == "aten_gelu_opset21"
    assert "REGISTRIES[21]" in placement.module.definitions[-1].source


def test_an_operator_that_changed_since_is_written_in_its_first_form_only(sources: Sources) -> None:
    """ReduceMax takes bool from opset 20 on, but the exporter would convert it as the one of opset 18."""
    translation = decided("aten::amax", sources).translation
    assert translation is not None
    assert [(p.opset, p.last) for p in translation.placements] == [(18, 24)]


@pytest.mark.parametrize(
    ("text", "given", "package"),
    [
        ("", {"target": "torchlib"}, "torchlib_ops"),
        ("", {"target": "torchlib", "package": Path("mine")}, "mine"),
        ("[tool.symgen]\npackage = 'symbols'\n", {"target": "torchlib"}, "torchlib_ops"),
        ("[tool.symgen]\npackage = 'symbols'\n", {}, "symbols"),
        ("[tool.symgen]\ntarget = 'torchlib'\npackage = 'ours'\n", {}, "ours"),
        ("[tool.symgen]\ntarget = 'torchlib'\npackage = 'ours'\n", {"target": "torchlib"}, "ours"),
        ("[tool.symgen]\ntarget = 'torchlib'\n", {"target": "torchscript"}, "symbolics"),
    ],
)
def test_a_package_holds_functions_of_one_target(
    text: str, given: dict[str, object], package: str, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text(text, "utf-8")
    assert load_config(tmp_path, given).package == Path(package)


@pytest.mark.parametrize(
    ("op", "opset", "served"),
    [("aten::silu", 24, [24]), ("aten::silu", 18, None), ("aten::silu", None, None), ("aten::erf", 24, None)],
)
def test_a_newer_form_is_written_where_its_opset_is_asked_for(
    op: str, opset: int | None, served: list[int] | None, sources: Sources
) -> None:
    (request,) = resolve_names([op], sources)
    trial = decide(request, sources, Settings(lowest=opset, exporter=TORCHLIB_EXPORTER))
    assert not next(trial).modules, "the exporter's own comes first"
    right = Verification(op, Evidence(samples=1, exports=1))
    if served is None:
        with pytest.raises(StopIteration) as end:
            trial.send(right)
        assert end.value.value.status is Status.UNCHANGED
    else:
        assert [since for since, _ in trial.send(right).modules] == served


@pytest.mark.parametrize(
    ("asked", "here", "there"),
    [
        ("aten::true_divide", "aten::true_divide", "aten::div"),
        ("aten::__lshift__", "aten::__lshift__", "aten::__lshift_"),
        ("aten::mul_", "aten::mul", "aten::mul"),
    ],
)
def test_what_torchlib_has_a_function_for_is_called_by_its_own_name(
    asked: str, here: str, there: str, sources: Sources
) -> None:
    assert [one.op.qualified for one in resolve_names([asked], sources, Target.TORCHLIB)] == [here]
    assert [one.op.qualified for one in resolve_names([asked], sources)] == [there]


def test_a_number_that_stands_for_a_list_is_one_in_the_signature(sources: Sources) -> None:
    """Torchlib's registration refuses a number as the default of a list."""
    text = family_file("aten::avg_pool2d", sources)
    assert "padding: Sequence[int] = (0, 0)" in text
    assert "stride: Sequence[int] = ()" in text


def test_a_list_among_several_results_is_refused(sources: Sources) -> None:
    """The exporter gives each result a name, and a list has none."""
    decision = decided("aten::histogramdd", sources)
    assert decision.status is Status.FAILED
    assert decision.reason == "the dynamo exporter takes no list of tensors among several results"
