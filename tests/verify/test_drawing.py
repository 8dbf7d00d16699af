"""Calls that hypothesis draws: always the same ones, of all that a signature allows, and nothing that a row forbids."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from symgen.introspect.aten_schemas import parse_schema
from symgen.model.sample import COMPLEX, SampleSpec, Value
from symgen.verify.domains import domain_of
from symgen.verify.domains.rows import INDEX, Domain, row, t
from symgen.verify.draft import Draft
from symgen.verify.drawing import calls_around, draw_calls, leave_no_files
from symgen.verify.generate import DRAWN, generate_samples
from symgen.verify.shapes import Pattern

DIFF = "diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor"
HYPOT = "hypot(Tensor self, Tensor other) -> Tensor"
PAIR = {"self": "n m", "other": "n m"}


def drawn(
    schema: str,
    pattern: Pattern,
    domain: Domain | None = None,
    values: dict[str, Value] | None = None,
    count: int = 200,
) -> tuple[SampleSpec, ...]:
    draft = Draft(parse_schema(schema), domain or Domain(), pattern, values=values or {})
    return draw_calls(calls_around([draft]), lambda call: True, count, schema)


def given(calls: Sequence[SampleSpec], place: int, name: str) -> list[Value]:
    """The values of an argument wherever it is given."""
    by_place = [call.positional[place] for call in calls if len(call.positional) > place]
    return by_place + [value for call in calls for key, value in call.keywords if key == name]


def test_the_same_name_has_the_same_calls(tmp_path: Path) -> None:
    """Also after a module of the user's was loaded, out of which hypothesis would otherwise take numbers."""
    before = drawn(HYPOT, PAIR)
    path = tmp_path / "numbers_of_a_user.py"
    path.write_text("NUMBERS = 0, 1, 2, 3, 4, 5, 6, 7\n")
    spec = importlib.util.spec_from_file_location("numbers_of_a_user", path)
    assert spec is not None
    sys.modules["numbers_of_a_user"] = importlib.util.module_from_spec(spec)
    try:
        assert drawn(HYPOT, PAIR) == before
    finally:
        del sys.modules["numbers_of_a_user"]


def test_another_name_has_other_calls() -> None:
    strategy = calls_around([Draft(parse_schema(HYPOT), Domain(), PAIR)])
    one, other = (draw_calls(strategy, lambda call: True, 20, name) for name in ("hypot", "atan2"))
    assert one != other


def test_as_many_as_are_asked_for_each_once_and_each_accepted() -> None:
    strategy = calls_around([Draft(parse_schema(HYPOT), Domain(), PAIR)])
    calls = draw_calls(strategy, lambda call: "float32" in call.dtypes, 30, "hypot")
    assert len(calls) == len(set(calls)) == 30
    assert all("float32" in call.dtypes and call.source == "drawn" for call in calls)


def test_nothing_is_drawn_where_nothing_is_accepted() -> None:
    """And not looked for without an end."""
    refused = []

    def accepts(call: SampleSpec) -> bool:
        refused.append(call)
        return False

    assert draw_calls(calls_around([Draft(parse_schema(HYPOT), Domain(), PAIR)]), accepts, 20, "hypot") == ()
    assert len(refused) <= 200


def test_tensors_differ_in_size_dtype_values_and_layout() -> None:
    calls = drawn(HYPOT, PAIR)
    tensors = [tensor for call in calls for tensor in call.tensors]
    assert {0, 1, 2, 3, 4, 5, 6} <= {size for tensor in tensors for size in tensor.shape}
    assert {"float32", "float16", "bfloat16", "int64", "uint8", "bool"} <= {tensor.dtype for tensor in tensors}
    assert {"uniform", "edges", "ties", "holes", "distinct"} <= {tensor.recipe.kind for tensor in tensors}
    assert {"contiguous", "transposed", "strided"} <= {tensor.layout for tensor in tensors}
    assert any(len(call.dtypes) == 2 for call in calls)
    assert any(call.tensors[0].shape != call.tensors[1].shape for call in calls)


def test_every_argument_is_absent_and_given_with_any_other() -> None:
    calls = drawn(DIFF, {"self": "n m"}, row(self=t("n m"), prepend=t("n 2"), append=t("n 1")))
    # What stands after the first gap is given by keyword.
    names = ("n", "dim", "prepend", "append")
    forms = {frozenset((*names[: len(call.positional) - 1], *(key for key, _ in call.keywords))) for call in calls}
    assert len(forms) == 16


def test_axes_are_in_range_and_out_of_it() -> None:
    axes = given(drawn("cumsum(Tensor self, int dim) -> Tensor", {"self": "n m"}, values={"dim": 0}), 1, "dim")
    assert {-4, -3, -2, -1, 0, 1, 2, 3} <= set(axes)
    schema = "amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor"
    lists = given(drawn(schema, {"self": "n m"}), 1, "dim")
    assert {len(axes) for axes in lists if isinstance(axes, tuple)} == {0, 1, 2, 3}


def test_numbers_are_whole_and_not_of_either_sign() -> None:
    values = given(drawn("elu(Tensor self, Scalar alpha=1) -> Tensor", {"self": "n"}), 1, "alpha")
    assert any(isinstance(value, int) and value < 0 for value in values)
    assert any(isinstance(value, float) and 0 < value < 1 for value in values)


def test_numbers_are_of_the_declared_type() -> None:
    values = given(drawn("f(Tensor self, float eps=1.0) -> Tensor", {"self": "n"}), 1, "eps")
    assert values
    assert all(isinstance(value, float) for value in values)


def test_indices_keep_their_dtype_and_limits() -> None:
    schema = "index_select(Tensor self, int dim, Tensor index) -> Tensor"
    domain = domain_of("aten::index_select")
    calls = drawn(schema, {"self": "n m", "index": "k"}, domain, {"dim": 0})
    assert {(call.tensors[1].dtype, call.tensors[1].recipe) for call in calls} == {("int64", INDEX)}
    assert min(size for call in calls for size in call.tensors[0].shape) >= 3
    assert len({call.tensors[0].dtype for call in calls}) > 5


def test_values_that_are_no_part_of_a_domain_are_not_drawn() -> None:
    def kinds(domain: Domain) -> set[str]:
        return {tensor.recipe.kind for call in drawn(HYPOT, PAIR, domain) for tensor in call.tensors}

    assert kinds(row(special=False)) == {"uniform"}
    assert kinds(row(sensitive=True)) == {"uniform", "ties", "holes", "distinct"}


def test_layouts_are_contiguous_where_the_order_in_memory_matters() -> None:
    calls = drawn(HYPOT, PAIR, row(strides=False))
    assert {tensor.layout for call in calls for tensor in call.tensors} == {"contiguous"}


def test_arguments_take_the_values_of_their_row() -> None:
    domain = row(alpha=(0.5, 3))
    assert set(given(drawn("elu(Tensor self, Scalar alpha=1) -> Tensor", {"self": "n"}, domain), 1, "alpha")) == {
        0.5,
        3,
    }


def test_complex_tensors_are_drawn_where_they_are_carried_and_finite_where_they_have_to_be() -> None:
    def complex_calls(domain: Domain) -> list[SampleSpec]:
        return [call for call in drawn(HYPOT, PAIR, domain) if set(call.dtypes) & set(COMPLEX)]

    assert not complex_calls(Domain())
    assert "edges" in {tensor.recipe.kind for call in complex_calls(row(complex="any")) for tensor in call.tensors}
    finite = {tensor.recipe.kind for call in complex_calls(row(complex="finite")) for tensor in call.tensors}
    assert finite
    assert not finite & {"edges", "holes", "ties"}


def test_what_has_no_elements_has_dtypes_that_are_taken_with_elements() -> None:
    empty = [call for call in drawn(HYPOT, PAIR) if any(0 in tensor.shape for tensor in call.tensors)]
    assert empty
    assert {call.dtypes for call in empty} == {("float32",)}


def test_hypothesis_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hypothesis import configuration

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(configuration, "__hypothesis_home_directory", None)
    leave_no_files()
    drawn(HYPOT, PAIR)
    configuration.storage_directory("constants")
    assert list(tmp_path.iterdir()) == []


def test_an_overload_has_drawn_samples_after_those_that_are_picked() -> None:
    samples = generate_samples(parse_schema(HYPOT), Domain(), lambda sample: True)
    assert [sample.source for sample in samples[-DRAWN:]] == ["drawn"] * DRAWN
    assert {sample.source for sample in samples[:-DRAWN]} == {"signature"}
