"""Everything is seen at the ends of each range of opsets, in every mode, within the budget."""

from __future__ import annotations

from symgen.config import Target
from symgen.model.sample import SampleSpec, TensorSpec
from symgen.verify import VerifyTask
from symgen.verify.choose import choose_samples
from symgen.verify.domains import domain_of
from symgen.verify.exported_plan import cases_of
from symgen.verify.generate import generate_samples
from symgen.verify.plan import BUDGET, chosen_samples, group_samples, plan_cases, range_ends, twin

from . import modules

TASK = VerifyTask("aten::hypot", modules.schemas_of("hypot"), ((9, ""), (13, "")), tuple(range(9, 21)))
SAMPLES = generate_samples(TASK.schemas[0], domain_of(TASK.op), lambda sample: "bfloat16" not in sample.dtypes)


def test_ranges_are_cut_where_the_code_changes() -> None:
    assert TASK.ranges == ((9, 10, 11, 12), tuple(range(13, 21)))
    assert range_ends(TASK) == (9, 12, 13, 20)
    assert range_ends(VerifyTask("aten::x", (), ((9, ""),), (9,))) == (9,)
    assert VerifyTask("aten::x", (), (), (9, 10)).ranges == ((9, 10),)


def test_what_the_dynamo_exporter_takes_apart_shares_no_model_with_other_overloads() -> None:
    task = VerifyTask("aten::split", (), ((18, ""),), (18,), target=Target.TORCHLIB)
    samples = [
        SampleSpec(overload, (TensorSpec((2, size)), size)) for overload in ("sizes", "Tensor") for size in (3, 4)
    ]

    dynamic = [case for case in cases_of(task, samples) if case.dynamic]

    assert [{sample.overload for sample in case.samples} for case in dynamic] == [{"Tensor"}, {"sizes"}]


def test_every_sample_is_seen_at_the_ends_of_a_range() -> None:
    one_range = VerifyTask(TASK.op, TASK.schemas, ((9, ""),), tuple(range(9, 21)))
    cases = plan_cases(one_range, SAMPLES)
    for opset in (9, 20):
        seen = {sample for case in cases if case.opset == opset for sample in case.samples}
        assert seen == set(SAMPLES)
    assert {case.opset for case in cases} == {9, 15, 20}
    assert {case.label for case in cases} == {"traced", "traced+dynamic", "scripted", "scripted+dynamic"}


def test_the_budget_holds() -> None:
    assert len(plan_cases(TASK, SAMPLES)) <= BUDGET + 20


def test_chosen_samples_are_exported_with_fixed_and_with_dynamic_axes_each() -> None:
    cases = plan_cases(TASK, SAMPLES)
    chosen = chosen_samples(TASK, SAMPLES)
    assert chosen == choose_samples(SAMPLES, len(chosen))
    for opset in range_ends(TASK):
        exported = {(case.samples[0], case.label) for case in cases if case.opset == opset}
        assert exported >= {(sample, label) for sample in chosen for label in ("traced", "traced+dynamic")}


def test_full_crosses_everything() -> None:
    task = VerifyTask(TASK.op, TASK.schemas, TASK.modules, (9, 10), full=True)
    seen = {(case.opset, case.label, sample) for case in plan_cases(task, SAMPLES[:5]) for sample in case.samples}
    assert len(seen) == 2 * 4 * 5


def test_bfloat16_waits_for_opset_13() -> None:
    half = SampleSpec("", (TensorSpec((3,), "bfloat16"), TensorSpec((3,), "bfloat16")))
    assert {case.opset for case in plan_cases(TASK, [half])} == {13, 16, 17, 20} - {16}


def test_groups_differ_in_sizes_and_values_only() -> None:
    same = [SampleSpec("", (TensorSpec((3, 4)), 2)), SampleSpec("", (TensorSpec((0, 1)), 2))]
    other = [SampleSpec("", (TensorSpec((3, 4)), 3)), SampleSpec("", (TensorSpec((3, 4), "int64"), 2))]
    assert [len(group) for group in group_samples([*same, *other])] == [2, 1, 1]


def test_groups_tell_numbers_that_are_equal_apart() -> None:
    samples = [SampleSpec("", (TensorSpec((3,), "int64"), number)) for number in (-3, -3.0)]
    assert [len(group) for group in group_samples(samples)] == [1, 1]


def test_groups_do_not_ask_where_a_call_comes_from() -> None:
    call = SampleSpec("", (TensorSpec((3, 4)), 2))
    told = SampleSpec("", (TensorSpec((3, 4)), 2), source="drawn", idle=(1,), holds=("numbers",))
    assert [len(group) for group in group_samples([call, told])] == [2]


def test_a_twin_has_larger_sizes() -> None:
    sample = SampleSpec("", (TensorSpec((3, 1)), TensorSpec((1, 3)), 2))
    larger = twin(sample)
    assert larger is not None
    assert [tensor.shape for tensor in larger.tensors] == [(5, 1), (1, 5)]
    assert twin(SampleSpec("", (TensorSpec((1, 0)),))) is None
