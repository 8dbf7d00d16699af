"""The generated functions in the dynamo exporter itself: few exports, as each takes a second and more."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from symgen.config import Config, NewOptions, Target
from symgen.errors import UsageError
from symgen.model.definition import ModuleText
from symgen.model.names import OpName
from symgen.model.plan import NoPlan
from symgen.model.result import Evidence, SampleResult, Status, Verdict
from symgen.model.sample import Recipe, SampleSpec, TensorSpec
from symgen.pipeline import exporters, new
from symgen.pipeline.decide import Settings, decide
from symgen.pipeline.resolve import resolve_names
from symgen.render.round_trip_tests import RoundTripTest, render_test_definitions
from symgen.render.standalone import standalone_source
from symgen.render.torchlib import render_torchlib_test_head
from symgen.sources import load_sources, match_in
from symgen.verify import verify
from symgen.verify.plan import Case
from symgen.verify.task import Verification, VerifyTask

torch = pytest.importorskip("torch")
pytest.importorskip("onnxscript")
OPS = [f"aten::{name}" for name in ("abs", "add", "cummax", "elu", "gelu", "hypot", "max", "mul", "sub", "sum")]
OPS.append("aten::_scaled_dot_product_flash_attention_for_cpu")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package as `symgen new --target torchlib` writes it."""
    folder = tmp_path_factory.mktemp("torchlib")
    config = Config(
        target=Target.TORCHLIB, package=folder / "torchlib_ops", tests=folder / "tests", no_verify=True, opset=18
    )
    run = new(OPS, config, NewOptions())
    assert {outcome.status for outcome in run.outcomes} == {Status.WRITTEN}
    again = new(OPS, config, NewOptions())
    assert {outcome.status for outcome in again.outcomes} == {Status.UNCHANGED}
    assert not again.changes
    return folder


@pytest.fixture(scope="module")
def package(folder: Path) -> Iterator[ModuleType]:
    sys.path.insert(0, str(folder))
    import torchlib_ops

    yield torchlib_ops
    sys.path.remove(str(folder))


def test_the_table_holds_the_forms_that_are_valid_at_an_opset(package: Any) -> None:
    gelu, elu = torch.ops.aten.gelu.default, torch.ops.aten.elu.default
    at_18, at_20, usual = package.translation_table(18), package.translation_table(20), package.translation_table()

    assert at_18[gelu].name == "aten_gelu"
    assert at_20[gelu].name == "aten_gelu_opset20"
    assert at_18[elu] is at_20[elu]
    assert usual.keys() == at_20.keys()
    assert {key.name() for key in at_18} >= {"aten::max", "aten::max.dim", "aten::max.other"}


def test_constants_that_another_function_has_made_have_types_too(package: Any) -> None:
    import onnx_ir as ir

    one = ir.Node("", "Constant", [], [ir.AttrInt64("value_int", 1)], num_outputs=1, version=18)
    counted = ir.Node("", "Range", [one.outputs[0]] * 3, version=18)
    package.tracing._infer_types(counted)
    assert (counted.outputs[0].dtype, len(counted.outputs[0].shape)) == (ir.DataType.INT64, 1)


class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
    def forward(self, *tensors: Any) -> Any:
        aten = torch.ops.aten
        x, whole = tensors
        largest, place = aten.max.dim(x, 1, True)
        running, places = aten.cummax(x, -1)
        lengths = aten.hypot(x, whole)
        return aten.elu(x, 0.5, 2.0, 3.0), aten.gelu(x), lengths, largest, place, running, places, aten.max(whole)


@pytest.mark.parametrize("opset", [18, 20])
def test_a_model_of_several_sizes(opset: int, package: Any) -> None:
    from symgen.verify.exporting import export_program, fits
    from symgen.verify.roundtrip import load

    inputs = torch.randn(3, 4), torch.randint(-5, 5, (3, 4))
    data = export_program(Model(), inputs, opset, True, package.translation_table(opset))

    run, _ = load(data)
    for rows, columns in ((3, 4), (5, 7)):
        given = torch.randn(rows, columns, dtype=torch.float32), torch.randint(-5, 5, (rows, columns))
        assert fits(data, [x.shape for x in given])
        for expected, got in zip(Model()(*given), run(given), strict=True):
            torch.testing.assert_close(got, expected)
    assert not fits(data, [(3, 4), (3, 5)])
    assert (b"Gelu" in data) is (opset >= 20)


def exported(model: Any, inputs: tuple[Any, ...], package: Any) -> list[Any]:
    """What a model gives for the inputs with which it was exported."""
    from symgen.verify.exporting import export_program
    from symgen.verify.roundtrip import load

    run, _ = load(export_program(model, inputs, 18, False, package.translation_table(18)))
    return list(run(inputs))


def test_half_precision_comes_out_of_a_model_and_goes_on_in_it(package: Any) -> None:
    """The exporter loses its own casts at the outputs of a model."""

    class Sums(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any, whole: Any) -> Any:
            size = x.abs()
            return size, size.sum(), (size + 1).sum(-1), x.float().abs(), whole.sum(), whole.abs()

    inputs = torch.randn(3, 4).half(), torch.arange(200, 206, dtype=torch.uint8)

    for expected, got in zip(Sums()(*inputs), exported(Sums(), inputs, package), strict=True):
        torch.testing.assert_close(got, expected)


@pytest.mark.parametrize("shape", [(3,), ()])
def test_numbers_that_change_little_are_no_numbers_that_change_nothing(shape: tuple[int, ...], package: Any) -> None:
    """The rules of onnxscript drop x + 0 and x * 1, and take 1e-9 for 0."""

    class Slight(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return x + 1e-9, x * 1.000001, 1e-9 + x, x - 1e-9, x + 0.0, x * 1.0

    inputs = (torch.full(shape, 2e-9),)

    for expected, got in zip(Slight()(*inputs), exported(Slight(), inputs, package), strict=True):
        torch.testing.assert_close(got, expected, rtol=2e-7, atol=0)


class Attention(torch.nn.Module):  # type: ignore[misc, name-defined]
    """Attention under a mask, and under that mask with none of the keys that come later than a query."""

    def forward(self, query: Any, key: Any, mask: Any) -> Any:
        flash = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
        return *flash(query, key, key, attn_mask=mask), *flash(query, key, key, 0.0, True, attn_mask=mask)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_query_that_no_key_is_left_for_gets_nothing(dtype: str, package: Any) -> None:
    mask = torch.zeros(3, 5)
    mask[:, 2], mask[1], mask[2, 0] = -torch.inf, -torch.inf, -torch.inf
    torch.manual_seed(0)
    inputs = *(torch.randn(2, 2, length, 4, dtype=getattr(torch, dtype)) for length in (3, 5)), mask

    expected = Attention()(*inputs)
    assert not expected[0][:, :, 1].any()
    # In half precision the kernel rounds on the way, and to another side than a whole sum does.
    slack = {"rtol": 5e-3, "atol": 5e-4} if dtype == "float16" else {}
    for own, got in zip(expected, exported(Attention(), inputs, package), strict=True):
        assert torch.equal(got == 0, own == 0)
        torch.testing.assert_close(got, own, **slack)


@pytest.mark.parametrize(
    ("name", "call", "inputs"),
    [
        ("kron", lambda x, y: torch.kron(x, y), (torch.ones(2, 3), torch.ones(4, 5))),
        ("nll_loss", lambda x, y: torch.ops.aten.nll_loss(x, y, None, 0), (torch.ones(2, 3), torch.zeros(2).long())),
        ("normal", lambda x, y: torch.normal(x, y), (torch.ones(2).half(), torch.ones(2))),
        ("unique_consecutive", lambda x: torch.unique_consecutive(x, dim=-1), (torch.ones(2, 3),)),
    ],
)
def test_what_torch_export_says_of_a_result_and_torch_does_not_is_refused(
    name: str, call: Callable[..., Any], inputs: tuple[Any, ...]
) -> None:
    class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, *tensors: Any) -> Any:
            return call(*tensors)

    # These need torch, which may be missing.
    from symgen.verify.exported import failure_of, translations
    from symgen.verify.exporting import export_program
    from symgen.verify.runner import register

    sources = load_sources(Config(target=Target.TORCHLIB))
    plan = match_in(sources, OpName("aten", name)).plans[0]
    (placement,) = exporters.TORCHLIB_EXPORTER.placements(plan, sources, 18, 25, None)
    module = register(18, standalone_source(placement.module))

    with pytest.raises(torch.onnx.errors.OnnxExporterError) as raised:
        export_program(Model(), inputs, 18, True, dict(translations([module], 18)))
    refused = failure_of(raised.value)
    assert refused.verdict is Verdict.REFUSED
    assert refused.detail.startswith(f"{name}: ")
    assert "torch.export" in refused.detail


def test_a_number_that_only_the_model_knows_is_refused(package: Any) -> None:
    class OfItsLength(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return torch.ops.aten.elu(x, x.shape[0])

    rows = torch.export.Dim("rows", min=2)
    with pytest.raises(torch.onnx.errors.OnnxExporterError) as raised:
        torch.onnx.export(
            OfItsLength(),
            (torch.ones(3),),
            dynamo=True,
            dynamic_shapes=({0: rows},),
            custom_translation_table=package.translation_table(),
            verbose=False,
        )
    causes = [error for error in _chain(raised.value) if type(error) is NotImplementedError]
    assert [str(cause) for cause in causes] == ["aten_elu: alpha has to be known at export"]


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def samples_of_elu() -> tuple[SampleSpec, ...]:
    """Two dtypes, two sizes, and an argument away from its default."""
    return (
        SampleSpec("", (TensorSpec((3, 4)),)),
        SampleSpec("", (TensorSpec((2, 5)),)),
        SampleSpec("", (TensorSpec((3, 4)),), (("input_scale", 2.0),)),
    )


def verdicts(change: Callable[[str], str]) -> dict[str, Verdict]:
    """What three samples of elu show with a changed function; the exports that it took stand beside them."""
    from symgen.verify.exported import ExportedRunner

    sources = load_sources(Config())
    plan = match_in(sources, OpName("aten", "elu")).plans[0]
    (placement,) = exporters.TORCHLIB_EXPORTER.placements(plan, sources, 18, 25, None)
    definitions = tuple(replace(one, source=change(one.source)) for one in placement.module.definitions)
    text = standalone_source(ModuleText(placement.module.head, definitions))
    task = VerifyTask("aten::elu", plan.overloads, ((18, text),), (18,), target=Target.TORCHLIB)
    case, told = Case(18, "exported", True, samples_of_elu()), set()
    runner = ExportedRunner(task, lambda _, of, exporting: told.add(of))
    found = {str(sample): result.verdict for sample, result in runner.run(case)}
    assert told == {case}
    return {**found, "exports": runner.exports}  # type: ignore[dict-item]


def test_one_export_serves_many_samples_and_finds_the_wrong_one() -> None:
    seen = verdicts(lambda source: source.replace("input_scale == 1", "True"))

    assert seen == {
        "default(f32[3,4])": Verdict.RIGHT,
        "default(f32[2,5])": Verdict.RIGHT,
        "default(f32[3,4], input_scale=2.0)": Verdict.WRONG_VALUE,
        "exports": 1,
    }


def test_a_call_that_is_refused_does_not_take_others_with_it() -> None:
    raising = 'raise NotImplementedError("elu: no scales")'
    seen = verdicts(
        lambda source: source.replace("negative = op.Mul(alpha * scale", f"{raising}\n    negative = op.Mul(0")
    )

    assert seen.pop("default(f32[3,4], input_scale=2.0)") is Verdict.REFUSED
    assert seen == {"default(f32[3,4])": Verdict.RIGHT, "default(f32[2,5])": Verdict.RIGHT, "exports": 3}


def test_an_error_in_a_function_of_its_own_is_a_failure() -> None:
    raising = 'raise RuntimeError("elu")'
    seen = verdicts(
        lambda source: source.replace("negative = op.Mul(alpha * scale", f"{raising}\n    negative = op.Mul(0")
    )

    assert seen.pop("default(f32[3,4], input_scale=2.0)") is Verdict.EXPORT_ERROR
    assert seen == {"default(f32[3,4])": Verdict.RIGHT, "default(f32[2,5])": Verdict.RIGHT, "exports": 3}


def test_a_call_without_a_kernel_leaves_the_others_to_the_runtime() -> None:
    """In onnx's reference, which multiplies the zeros between the elements of a kernel, nan would be everywhere."""
    from symgen.verify.exported import ExportedRunner

    schemas = tuple(load_sources(Config()).catalogue.operator(OpName("aten", "conv1d")).overloads)
    task = VerifyTask("aten::conv1d", schemas, opsets=(18,), target=Target.TORCHLIB)
    dilated = (("dilation", (2,)),)
    single = SampleSpec("", (TensorSpec((2, 4, 9)), TensorSpec((6, 4, 3), recipe=Recipe("holes"))), dilated)
    double = SampleSpec("", (TensorSpec((2, 4, 9), "float64"), TensorSpec((6, 4, 3), "float64")), dilated)

    runner = ExportedRunner(task, lambda *_: None)
    results = dict(runner.run(Case(18, "exported", True, (single, double))))

    assert {sample: result.verdict for sample, result in results.items()} == dict.fromkeys(results, Verdict.RIGHT)
    assert [results[sample].by_reference for sample in (single, double)] == [False, True]
    assert runner.exports == 3


def test_a_check_of_sizes_that_the_exporter_cannot_say_is_no_fault_of_a_translation() -> None:
    from symgen.verify.exported import check_that_fails

    added = RuntimeError(
        "Error when translating node %le_9 : [num_users=0] = call_function[target=operator.le](args = ())"
    )
    own = RuntimeError(
        "Error when translating node %y : [num_users=1] = call_function[target=torch.ops.aten.elu.default]()"
    )
    added.__cause__ = OverflowError("Python int too large to convert to C long")

    refused = check_that_fails(added)
    assert refused is not None
    assert refused.verdict is Verdict.REFUSED
    assert "operator.le" in refused.detail
    assert check_that_fails(own) is None


def test_a_number_that_only_the_data_tells_is_no_fault_of_a_translation() -> None:
    """As the class of a target without axes, by which the loss of a single sample is taken."""
    from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

    from symgen.verify.exported import check_that_fails

    failed = RuntimeError("Failed to decompose the FX graph for ONNX compatibility.")
    failed.__cause__ = GuardOnDataDependentSymNode("u0", "Could not extract specialized integer from u0")

    refused = check_that_fails(failed)
    assert refused is not None
    assert refused.verdict is Verdict.REFUSED
    assert refused.detail == "torch.export wants a number that only the data tells"


def test_what_fails_before_any_function_is_asked_for_is_no_fault_of_one() -> None:
    """As torch's pass for promotion, which finds no overload for a sum of a tensor and a multiple of a number."""
    sources = load_sources(Config(target=Target.TORCHLIB))
    overloads = sources.catalogue.overloads_reaching(OpName("aten", "add"))
    stub = exporters.TORCHLIB_EXPORTER.probe(NoPlan(OpName("aten", "add"), "a test"), overloads)
    sample = SampleSpec("Scalar", (TensorSpec((3, 4)), 2, 3))

    # It needs torch, which may be missing.
    from symgen.verify.exported import ExportedRunner

    task = VerifyTask("aten::add", overloads, ((18, stub),), (18,), target=Target.TORCHLIB)
    runner = ExportedRunner(task, lambda *_: None)
    ((_, result),) = runner.run(Case(18, "exported", True, (sample,)))

    assert result.verdict is Verdict.REFUSED
    assert result.detail.startswith(
        "the exporter fails in insert_type_promotion_nodes, before it asks for a function: "
    )


def test_what_fails_only_since_a_table_keeps_the_operator_whole_is_a_failure() -> None:
    """As torch's pass for promotion, which refuses std_mean of half precision."""
    sources = load_sources(Config(target=Target.TORCHLIB))
    overloads = sources.catalogue.overloads_reaching(OpName("aten", "std_mean"))
    stub = exporters.TORCHLIB_EXPORTER.probe(NoPlan(OpName("aten", "std_mean"), "a test"), overloads)

    # It needs torch, which may be missing.
    from symgen.verify.exported import ExportedRunner

    task = VerifyTask("aten::std_mean", overloads, ((18, stub),), (18,), target=Target.TORCHLIB)
    runner = ExportedRunner(task, lambda *_: None)
    sample = SampleSpec("correction", (TensorSpec((3, 4), "float16"), (1,)))
    ((_, result),) = runner.run(Case(18, "exported", True, (sample,)))

    assert result.verdict is Verdict.EXPORT_ERROR
    assert result.detail.startswith("the exporter fails in insert_type_promotion_nodes, ")
    assert result.detail.endswith("; without a function it does not fail")


def test_a_part_that_the_exporter_lacks_is_told_by_its_name() -> None:
    """Torch takes the resizing of whole numbers apart into shifts before the exporter sees it."""

    class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return torch.ops.aten.upsample_bicubic2d(x, [3, 2], True)

    # It needs torch, which may be missing.
    from symgen.verify.exported import what_is_lacking

    image, aten = torch.zeros(1, 1, 4, 4, dtype=torch.uint8), torch.ops.aten
    refused = what_is_lacking(Model(), [image], {aten.upsample_bicubic2d.vec: abs})

    assert refused is not None
    assert refused.verdict is Verdict.REFUSED
    assert refused.detail == (
        "torch.export takes it apart into aten.__rshift__.Tensor, for which the exporter has no function; "
        "symgen new aten::__rshift__ --target torchlib writes one"
    )
    assert what_is_lacking(Model(), [image], {aten.__rshift__.Scalar: abs}) is None
    assert what_is_lacking(Model(), [image.float()], {aten.upsample_bicubic2d.vec: abs}) is None


def test_an_export_may_fail_in_a_part_of_what_is_never_asked_for() -> None:
    """Chunks of a length that only the model knows fail in torch's own function for aten::split."""

    class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return torch.ops.aten.chunk(x, 2)

    # It needs torch, which may be missing.
    from symgen.verify.exported import ExportedRunner, made_without

    sources = load_sources(Config(target=Target.TORCHLIB))
    overloads = sources.catalogue.overloads_reaching(OpName("aten", "chunk"))
    stub = exporters.TORCHLIB_EXPORTER.probe(NoPlan(OpName("aten", "chunk"), "a test"), overloads)
    task = VerifyTask("aten::chunk", overloads, ((18, stub),), (18,), target=Target.TORCHLIB)
    case = Case(18, "exported", True, (SampleSpec("", (TensorSpec((3, 4)), 2)),))
    ((_, result),) = ExportedRunner(task, lambda *_: None).run(case)
    assert result.verdict is Verdict.NEVER_ASKED

    x, aten = torch.ones(3, 4), torch.ops.aten
    made = made_without(Model(), [x], {aten.chunk.default: abs})

    assert made is not None
    assert made.verdict is Verdict.NEVER_ASKED
    assert made.detail == "the exporter never asks for it: torch.export makes aten::split.Tensor of it"
    assert made_without(Model(), [x], {aten.split.Tensor: abs}) is None, "its turn may not have come"
    assert made_without(Model(), [x.sum()], {aten.chunk.default: abs}) is None, "which torch.export refuses"


@pytest.mark.parametrize(
    ("call", "parts"),
    [
        (lambda x: torch.ops.aten.dropout(x, 0.5, True), "aten::native_dropout"),
        (lambda x: torch.ops.aten.atleast_2d(x), "nothing"),
        (lambda x: torch.tensor(torch.ops.aten.is_complex(x)), "a constant"),
    ],
)
def test_what_the_graph_holds_in_place_of_an_operator_is_said(call: Callable[[Any], Any], parts: str) -> None:
    class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return call(x)

    # It needs torch, which may be missing.
    from symgen.verify.exported import why_not_asked

    said = why_not_asked(Model(), [torch.ones(2, 3)], {})
    assert said.verdict is Verdict.NEVER_ASKED
    assert said.detail == f"the exporter never asks for it: torch.export makes {parts} of it"


def test_a_function_that_the_exporter_passes_over_is_a_failure() -> None:
    class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return torch.hypot(x, x)

    # It needs torch, which may be missing.
    from symgen.verify.exported import why_not_asked

    said = why_not_asked(Model(), [torch.ones(2, 3)], {torch.ops.aten.hypot.default: abs})
    assert said.verdict is Verdict.EXPORT_ERROR
    assert said.detail == "the exporter passes over the function of aten.hypot.default"


def test_overloads_that_are_never_asked_for_say_nothing_of_the_function() -> None:
    sources = load_sources(Config(target=Target.TORCHLIB))
    overloads = sources.catalogue.overloads_reaching(OpName("aten", "split"))
    stub = exporters.TORCHLIB_EXPORTER.probe(NoPlan(OpName("aten", "split"), "a test"), overloads)

    seen = verify(VerifyTask("aten::split", overloads, ((18, stub),), (18,), target=Target.TORCHLIB)).evidence

    assert not seen.failures
    assert {result.detail.partition(":")[0] for result in seen.refused} == {"aten"}
    assert {result.sample.partition("(")[0] for result in seen.refused} == {"Tensor"}
    assert {result.sample.partition("(")[0] for result in seen.never_asked} == {"sizes"}
    assert any(note.startswith("sizes: the exporter never asks for it: torch.export makes ") for note in seen.notes)


@pytest.mark.parametrize("name", ["aten::dropout", "aten::atleast_2d"])
@pytest.mark.parametrize("correct", [False, True])
def test_an_operator_that_is_never_asked_for_gets_no_function(correct: bool, name: str) -> None:
    """With an entry or without. Where its parts are wrong, that has to be said: nothing mends them there."""
    sources = load_sources(Config(target=Target.TORCHLIB))
    request = resolve_names([name], sources, Target.TORCHLIB)[0]
    trial = decide(request, sources, Settings(correct=correct, exporter=exporters.TORCHLIB_EXPORTER))
    sample = SampleResult("default(f32[3], 0.5, True)", "float32", 18, "exported", Verdict.WRONG_VALUE)
    never = replace(sample, verdict=Verdict.NEVER_ASKED, detail="the exporter never asks for it: …")

    next(trial)
    trial.send(Verification(name, Evidence(failures=(sample,))))
    with pytest.raises(StopIteration) as end:
        trial.send(Verification(name, Evidence(never_asked=(never,))))
    decision = end.value.value
    assert decision.status is Status.FAILED
    assert decision.translation is None
    assert decision.stub is None
    assert decision.reason.endswith("; the exporter never asks for it: …")


@pytest.mark.parametrize("force", [False, True])
def test_no_stub_stands_in_the_way_of_what_the_exporter_may_do_itself(force: bool) -> None:
    """It takes a loss apart, and a table with a stub would keep it whole."""
    sources = load_sources(Config(target=Target.TORCHLIB))
    request = resolve_names(["aten::nll_loss_nd"], sources, Target.TORCHLIB)[0]
    trial = decide(request, sources, Settings(force=force, verify=False, exporter=exporters.TORCHLIB_EXPORTER))

    with pytest.raises(StopIteration) as end:
        next(trial)

    decision = end.value.value
    assert (decision.status, decision.stub, decision.translation) == (Status.UNCHANGED, None, None)
    assert decision.reason.startswith("the exporter's own translation was not judged; symgen has no other (")


@pytest.mark.parametrize("name", ["aten::margin_ranking_loss", "aten::std_mean"])
def test_what_is_better_taken_apart_gets_no_function(name: str) -> None:
    """Torch refuses arguments of these, which a table would keep whole."""
    sources = load_sources(Config(target=Target.TORCHLIB))
    request = resolve_names([name], sources, Target.TORCHLIB)[0]
    trial = decide(request, sources, Settings(force=True, exporter=exporters.TORCHLIB_EXPORTER))

    next(trial)
    with pytest.raises(StopIteration) as end:
        trial.send(Verification(name, Evidence(samples=1)))

    assert end.value.value.status is Status.UNCHANGED
    assert end.value.value.translation is None


def test_the_generated_tests_run_without_symgen(folder: Path, package: Any) -> None:
    test = RoundTripTest(
        OpName("aten", "hypot"),
        (18,),
        (SampleSpec("", (TensorSpec((3, 4)), TensorSpec((4,), recipe=Recipe("edges")))),),
        tables=("translation_table(opset)",),
    )
    head = render_torchlib_test_head("aten_pointwise", "torchlib_ops", "..")
    text = _runnable(ModuleText(head, render_test_definitions(test)))
    (folder / "tests").mkdir(exist_ok=True)
    (folder / "tests" / "test_aten_pointwise.py").write_text(text, "utf-8")

    hidden = "import sys; sys.modules['symgen'] = None; import pytest; sys.exit(pytest.main(['-q', 'tests']))"
    done = subprocess.run([sys.executable, "-c", hidden], cwd=folder, capture_output=True, text=True, check=False)

    assert "1 passed" in done.stdout, done.stdout + done.stderr


def _runnable(module: ModuleText) -> str:
    imports = sorted({str(one) for definition in module.definitions for one in definition.imports})
    head, mark, rest = module.head.partition("from __future__ import annotations\n")
    return "\n".join([head, mark, *imports, rest, *(definition.source for definition in module.definitions)])


def test_without_onnxscript_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporters.importlib.util, "find_spec", lambda name: None)  # type: ignore[attr-defined]
    with pytest.raises(UsageError) as raised:
        new(["aten::elu"], Config(target=Target.TORCHLIB), NewOptions())
    assert "symgen[torchlib]" in str(raised.value.hint)
    assert raised.value.exit_status == 2
