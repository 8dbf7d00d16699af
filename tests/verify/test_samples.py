"""Samples from signatures: what is tried, what is kept, and that they are data."""

from __future__ import annotations

import itertools
import math
import pickle

import pytest

from symgen.introspect.aten_schemas import parse_schema
from symgen.model.names import OpName
from symgen.model.sample import WHOLE, DType, Recipe, SampleSpec, TensorSpec, Value
from symgen.verify.arguments import candidate_values, default_value, fits
from symgen.verify.choose import choose_samples
from symgen.verify.domains import DOMAINS, domain_of
from symgen.verify.domains.rows import SMALL, Domain, row, t, within
from symgen.verify.generate import generate_samples
from symgen.verify.samples_as_json import sample_from_json, sample_to_json
from symgen.verify.shapes import dtype_of, grown, patterns_of, shape_of, size_variations


def samples_of(schema: str, domain: Domain | None = None) -> tuple[SampleSpec, ...]:
    return generate_samples(parse_schema(schema), domain or Domain(), lambda sample: True)


def values_of(samples: tuple[SampleSpec, ...], place: int, name: str) -> set[Value]:
    """The values of an argument, wherever it stands in the call."""
    by_keyword = {value for sample in samples for key, value in sample.keywords if key == name}
    return by_keyword | {sample.positional[place] for sample in samples if len(sample.positional) > place}


def test_every_parameter_is_away_from_its_default() -> None:
    samples = samples_of("elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor")
    for place, name in enumerate(("alpha", "scale", "input_scale"), start=1):
        values = values_of(samples, place, name)
        assert len([value for value in values if value != 1]) >= 3
        assert any(isinstance(value, float) for value in values)
        assert any(
            (isinstance(value, int) and value < 0) or (isinstance(value, float) and value < 0) for value in values
        )


def test_the_edges_of_floats_are_tried() -> None:
    values = values_of(samples_of("huber_loss(Tensor self, Tensor target, float zeta=1.0) -> Tensor"), 2, "zeta")
    assert {0.0, 0.5, float("inf"), float("-inf")} <= values
    assert any(value != value for value in values)


def test_shapes_broadcast_both_ways_and_are_empty_and_zero_dimensional() -> None:
    samples = samples_of("hypot(Tensor self, Tensor other) -> Tensor")
    shapes = {tuple(tensor.shape for tensor in sample.tensors) for sample in samples}
    assert {
        ((3, 4), (4,)),
        ((4,), (3, 4)),
        ((3, 4), ()),
        ((), (3, 4)),
        ((), ()),
        ((3, 0), (3, 0)),
        ((1, 1), (1, 1)),
    } <= shapes


def test_every_dtype_alone_and_mixed() -> None:
    samples = samples_of("hypot(Tensor self, Tensor other) -> Tensor")
    dtypes = {tuple(tensor.dtype for tensor in sample.tensors) for sample in samples}
    assert {("bool", "bool"), ("float16", "float16"), ("uint8", "uint8")} <= dtypes
    assert {("int64", "float32"), ("float32", "int64"), ("uint8", "int8")} <= dtypes


def test_values_layouts_and_crossed_edges() -> None:
    samples = samples_of("hypot(Tensor self, Tensor other) -> Tensor")
    tensors = [tensor for sample in samples for tensor in sample.tensors]
    assert {"edges", "ties", "holes", "distinct"} <= {tensor.recipe.kind for tensor in tensors}
    assert {"transposed", "strided"} <= {tensor.layout for tensor in tensors}
    assert any(
        [tensor.shape for tensor in sample.tensors] == [(29, 1), (1, 29)]
        and all(tensor.recipe.kind == "edges" for tensor in sample.tensors)
        for sample in samples
    )


def test_of_a_sum_the_extreme_whole_numbers_alone_are_tried() -> None:
    samples = samples_of("sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", row(sensitive=True))
    extreme = {x.dtype for sample in samples for x in sample.tensors if x.recipe.kind == "edges"}
    assert extreme == WHOLE


def test_choices_meet_extreme_whole_numbers() -> None:
    samples = samples_of("sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False) -> Tensor")
    kept = [sample for sample in samples if True in sample.positional]
    assert any(x.recipe.kind == "edges" and x.dtype == "int64" for sample in kept for x in sample.tensors)


def test_optional_tensors_are_absent_and_given() -> None:
    domain = row(self=t("n m"), prepend=t("n 2"), append=t("n 1"))
    samples = samples_of("diff(Tensor self, Tensor? prepend=None, Tensor? append=None) -> Tensor", domain)
    given = {tuple(len(sample.positional) * [0] + [key for key, _ in sample.keywords]) for sample in samples}
    assert {(0,), (0, 0), (0, "append")} <= given
    assert any(len(sample.tensors) == 3 for sample in samples)


def test_optional_tensors_are_given_at_every_rank_and_in_another_dtype() -> None:
    domain = row(self=t("n|b n"), weight=t("n|b n"))
    samples = samples_of("f(Tensor self, Tensor? weight=None) -> Tensor", domain)
    given = [sample.tensors for sample in samples if len(sample.tensors) == 2]
    assert {len(own.shape) for own, _ in given} == {1, 2}
    assert ("float32", "float64") in {(own.dtype, weight.dtype) for own, weight in given}


def test_what_must_be_given_is_given() -> None:
    samples = samples_of("topk(Tensor self, int k, int dim=-1) -> Tensor")
    assert all(isinstance(sample.positional[1], int) for sample in samples)


def test_lists_of_tensors_and_of_numbers() -> None:
    samples = samples_of("cat(Tensor[] tensors, int[1] dim) -> Tensor")
    assert all(isinstance(sample.positional[0], tuple) and len(sample.positional[0]) == 2 for sample in samples)
    assert {0, (0,), (0, 1)} <= {sample.positional[1] for sample in samples}


def test_absent_tensors_and_dtypes_in_lists() -> None:
    domain = row(self=t("n m"), indices=t("- + n@bool", within(0, 1), dtype="int64"))
    sample = samples_of("index(Tensor self, Tensor?[] indices) -> Tensor", domain)[0]
    assert sample.positional[1] == (None, TensorSpec((3,), "bool", within(0, 1)))


def test_what_eager_refuses_is_dropped() -> None:
    schema = parse_schema("bitwise_not(Tensor self) -> Tensor")
    samples = generate_samples(schema, Domain(), lambda s: all("float" not in dtype for dtype in s.dtypes))
    assert samples
    assert not any("float" in dtype for sample in samples for dtype in sample.dtypes)
    assert generate_samples(schema, Domain(), lambda sample: False) == ()


def test_keywords_after_a_gap() -> None:
    samples = samples_of("f(Tensor self, int k=0, *, float eps=1.0) -> Tensor")
    for sample in samples:
        assert [key for key, _ in sample.keywords] in ([], ["k"], ["eps"], ["k", "eps"])
        assert len(sample.positional) in (1, 2)


def test_the_same_signature_gives_the_same_samples() -> None:
    schema = "hypot(Tensor self, Tensor other) -> Tensor"
    assert samples_of(schema) == samples_of(schema)
    assert len(set(samples_of(schema))) == len(samples_of(schema))
    assert any(sample.source == "drawn" for sample in samples_of(schema))


def test_rows_limit_values_and_dtypes() -> None:
    domain = row(self=t("n m"), index=t("k", within(0, 2), dtype="int64"), dim=(0,))
    samples = samples_of("index_select(Tensor self, int dim, Tensor index) -> Tensor", domain)
    assert {sample.tensors[-1].dtype for sample in samples} == {"int64"}
    assert {sample.tensors[-1].recipe for sample in samples} == {within(0, 2)}
    assert {sample.positional[1] for sample in samples} == {0}


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (1, "int", True), (True, "int", False), (1.0, "int", False), (1, "float", True), (1.5, "Scalar", True),
        (True, "bool", True), (1, "bool", False), ("x", "str", True), (DType("float32"), "ScalarType", True),
        ((1, 2), "int[2]", True), ((1, 2, 3), "int[2]", False), (3, "int[2]", True), (3, "int[]", False),
        ((1, 2), "SymInt[]", True), ((1.5,), "int[]", False), (1, "int?", True), ("x", "int?", False),
    ],
)  # fmt: skip
def test_fits(value: Value, kind: str, expected: bool) -> None:
    argument = parse_schema(f"f({kind} x) -> Tensor").arguments[0]
    assert fits(value, argument.type) is expected


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("int x=1", 1), ("float x=1.5", 1.5), ("bool x=True", True), ("int? x=None", None), ("int x=Mean", 1),
        ("str x='a'", "a"),
    ],
)  # fmt: skip
def test_default_value(declared: str, expected: Value) -> None:
    assert default_value(parse_schema(f"f({declared}) -> Tensor").arguments[0]) == expected


def test_candidates_fit_their_arguments() -> None:
    schema = parse_schema(
        "f(Tensor self, int[1]? dim, str interpolation, ScalarType? dtype, float q, int[2] stride) -> Tensor"
    )
    for argument in schema.arguments[1:]:
        values = candidate_values(argument)
        assert values
        assert all(fits(value, argument.type) for value in values)


def test_shapes() -> None:
    assert shape_of("n 2 m@bool", {"n": 3, "m": 4}) == (3, 2, 4)
    assert shape_of("", {}) == ()
    assert dtype_of("n m@bool") == "bool"
    assert dtype_of("n m") == ""
    assert grown([(3, 1, 0), (2,)]) == ((5, 1, 0), (4,))
    assert {tuple(sizes[x] for x in "nm") for sizes in size_variations(["n m"])} == {
        (0, 4),
        (3, 0),
        (1, 4),
        (3, 1),
        (1, 1),
    }


def test_alternatives_at_one_place_go_together() -> None:
    patterns = list(patterns_of(["mat", "vec"], {"mat": "n m|b n m", "vec": "m|b m"}))
    assert patterns[:2] == [{"mat": "n m", "vec": "m"}, {"mat": "b n m", "vec": "b m"}]
    assert {"mat": "b n m", "vec": "m"} in patterns


def test_overloads_have_their_own_rows_first() -> None:
    assert domain_of("aten::acosh") is DOMAINS["acosh"]
    assert domain_of("aten::fill_diagonal_") is DOMAINS["fill_diagonal"]
    assert domain_of("aten::no_such_operator") == Domain()


def test_samples_as_json() -> None:
    sample = SampleSpec(
        "dim",
        (TensorSpec((3,), "int64", Recipe("stored", data="AAAA"), "strided"), (None, TensorSpec(())), 1.5, (1, 2)),
        (("dtype", DType("float16")), ("mode", "x")),
        "OpInfo",
        (3, "mode"),
        ("numbers",),
    )
    again = sample_from_json(sample_to_json(sample))
    assert again == sample
    assert (again.source, again.idle, again.holds) == ("OpInfo", (3, "mode"), ("numbers",))


def test_chosen_samples_show_all_that_the_others_show() -> None:
    samples = samples_of("sum.dim(Tensor self, int[1]? dim, bool keepdim=False) -> Tensor")
    chosen = choose_samples(samples, 60)
    assert chosen[0] == samples[0]
    assert len(chosen) < len(samples)
    for place, name in ((1, "dim"), (2, "keepdim")):
        assert values_of(chosen, place, name) == values_of(samples, place, name)
    assert {sample.dtypes for sample in chosen} == {sample.dtypes for sample in samples}
    assert len(choose_samples(samples, 5)) == 5


def test_arguments_without_effect_are_known() -> None:
    from symgen.verify.telling import looked_at

    schema = parse_schema("diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor")
    row_of_four, matrix = TensorSpec((4,)), TensorSpec((3, 4))

    def idle(*positional: Value, **keywords: Value) -> tuple[int | str, ...]:
        sample = SampleSpec("", positional, tuple(keywords.items()))
        return looked_at(sample, OpName("aten", "diff"), (schema,)).idle

    assert idle(row_of_four) == ()
    assert idle(row_of_four, 2, 0) == (2,)
    assert idle(matrix, 2, 0) == ()
    assert idle(matrix, dim=1, prepend=TensorSpec((3, 0))) == ("dim", "prepend")


def test_a_sample_in_which_an_argument_has_an_effect_is_chosen() -> None:
    without = SampleSpec("", (TensorSpec((3,)),), (("right", True),), idle=("right",))
    with_effect = SampleSpec("", (TensorSpec((3,), recipe=Recipe("ties")),), (("right", True),))
    assert with_effect in choose_samples((SampleSpec("", (TensorSpec((3,)),)), without, with_effect), 2)


def test_what_tensors_hold_is_known() -> None:
    from symgen.verify.telling import looked_at

    schema = parse_schema("amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor")

    def holds(tensor: TensorSpec) -> tuple[str, ...]:
        return looked_at(SampleSpec("", (tensor,)), OpName("aten", "amax"), (schema,)).holds

    assert holds(TensorSpec((3, 4))) == ("numbers",)
    assert holds(TensorSpec((3, 4), recipe=Recipe("holes"))) == ("special",)
    assert holds(TensorSpec((1,), recipe=Recipe("holes"))) == ("numbers",)
    assert holds(TensorSpec((2,), "bool", Recipe("edges"))) == ()


def test_a_sample_whose_result_holds_numbers_is_chosen() -> None:
    first, edges = SampleSpec("", (TensorSpec((3,)),)), TensorSpec((3,), "float64", Recipe("edges"))
    nothing, numbers = SampleSpec("", (edges, 0)), SampleSpec("", (edges, 1), holds=("numbers",))
    assert choose_samples((first, nothing, numbers), 2) == (first, numbers)


def test_limits_are_chosen_beside_values_that_show_them() -> None:
    small, holes = TensorSpec((3,), recipe=SMALL), TensorSpec((3,), recipe=Recipe("holes"))
    plain = [SampleSpec("", (TensorSpec((3,)), value), holds=("numbers",)) for value in (0.0, math.inf)]
    beside = [SampleSpec("", (small, 0.0)), SampleSpec("", (holes, math.inf), holds=("special",))]
    assert set(beside) <= set(choose_samples((*plain, *beside, SampleSpec("", (small, 2.0))), 4))


def test_branches_of_formulas_have_samples() -> None:
    schema = "huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor"
    no_mean_of_whole_numbers = generate_samples(
        parse_schema(schema),
        Domain(),
        lambda s: "int64" not in s.dtypes or (len(s.positional) > 2 and s.positional[2] != 1),
    )
    whole = [s for s in no_mean_of_whole_numbers if s.dtypes == ("int64",) and s.source == "signature"]
    assert {t.recipe.kind for s in whole for t in s.tensors} >= {"uniform", "edges"}
    deltas = row(delta=(0.0, math.inf, 0.5))
    recipes = {(dict(s.keywords).get("delta"), s.tensors[0].recipe) for s in samples_of(schema, deltas)}
    assert {(0.0, SMALL), (0.0, Recipe("holes")), (math.inf, Recipe("holes"))} <= recipes
    assert (TensorSpec(()), TensorSpec(()), 0) in {s.positional for s in samples_of(schema)}


def test_shapes_that_two_arguments_go_with() -> None:
    schema = parse_schema("f(Tensor self, Tensor src, int dim=0, int? end=None) -> Tensor")
    domain = row(self=t("4 m"), src=t("4 2"), dim=(1, 0), end=(2, 3))
    samples = generate_samples(schema, domain, lambda s: s.values[-2:] == (1, 2))
    assert samples
    assert {s.positional[2:] for s in samples} == {(1, 2)}


def test_edges_of_bool_meet_in_all_four_ways() -> None:
    import torch

    from symgen.verify.roundtrip import tensor

    one, other = (tensor((8,), torch.bool, seed, "edges").tolist() for seed in (0, 1))
    assert len(set(zip(one, other, strict=True))) == len(set(itertools.pairwise(one))) == 4


def test_a_sample_with_nan_is_the_same_in_another_process() -> None:
    sample = SampleSpec("", (TensorSpec((2,)), (1.0, math.nan)), (("min", math.nan),))
    back = pickle.loads(pickle.dumps(sample))
    assert back == sample
    assert back in {sample}
    assert back != SampleSpec("", (TensorSpec((2,)), (1.0, math.inf)), (("min", math.nan),))


def test_samples_say_what_they_are() -> None:
    sample = SampleSpec("dim", (TensorSpec((3, 4), "float16", Recipe("ties")), (0, -1)), (("keepdim", True),))
    assert str(sample) == "dim(f16[3,4] ties, [0, -1], keepdim=True)"
