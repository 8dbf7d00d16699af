"""Verdicts on outputs, and the properties of those that are free."""

from __future__ import annotations

import math

import pytest
import torch

from symgen.model.result import Verdict
from symgen.verify import properties
from symgen.verify.compare import TOLERANCES, compare_all, loosened_by_inputs
from symgen.verify.encoding import decode, encode
from symgen.verify.free_results import FREE_RESULTS

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("expected", "got", "verdict"),
    [
        ([1.0, NAN, INF], [1.0, NAN, INF], Verdict.RIGHT),
        ([1.0, 2.0], [1.0, 2.0 + 1e-6], Verdict.RIGHT),
        ([1.0, 2.0], [1.0, 2.001], Verdict.WRONG_VALUE),
        ([INF], [-INF], Verdict.WRONG_VALUE),
        ([NAN], [0.0], Verdict.WRONG_VALUE),
        ([1.0, 2.0], [1.0], Verdict.WRONG_SHAPE),
        ([1.0], [1], Verdict.WRONG_DTYPE),
        ([True], [False], Verdict.WRONG_VALUE),
        ([1], [2], Verdict.WRONG_VALUE),
        ([], [], Verdict.RIGHT),
    ],
)
def test_verdicts(expected: list[float], got: list[float], verdict: Verdict) -> None:
    assert compare_all([torch.tensor(expected)], [torch.tensor(got)]).verdict is verdict


def test_a_missing_output_is_a_wrong_shape() -> None:
    assert compare_all([torch.ones(1)], []).verdict is Verdict.WRONG_SHAPE


def test_zero_dimensional_is_not_one_element() -> None:
    assert compare_all([torch.tensor(1.0)], [torch.ones(1)]).verdict is Verdict.WRONG_SHAPE


def test_details_and_errors() -> None:
    result = compare_all([torch.tensor([[1.0, 2.0]])], [torch.tensor([[1.0, 3.0]])])
    assert result.detail == "3 at [0, 1], not 2"
    assert (result.max_abs_err, result.max_rel_err) == (1.0, 0.5)


def test_half_precision_has_its_own_tolerance() -> None:
    expected, got = torch.tensor([1.0]).half(), torch.tensor([1.001]).half()
    assert compare_all([expected], [got]).verdict is Verdict.RIGHT
    assert compare_all([expected.float()], [got.float()]).verdict is Verdict.WRONG_VALUE
    loosened = loosened_by_inputs(TOLERANCES, [expected, torch.ones(1, dtype=torch.int64)])
    assert compare_all([expected.float()], [got.float()], loosened).verdict is Verdict.RIGHT


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int64", "int8", "uint8", "bool"])
def test_encoding(dtype: str) -> None:
    kind = getattr(torch, dtype)
    values = torch.tensor([[0, 1], [1, 0]]).to(kind)
    assert torch.equal(decode(encode(values), (2, 2), kind), values)
    assert decode(encode(torch.empty(0, 3, dtype=kind)), (0, 3), kind).shape == (0, 3)
    assert torch.equal(decode(encode(torch.tensor(1).to(kind)), (), kind), torch.tensor(1).to(kind))


def test_one_distribution_from_another() -> None:
    generator = torch.Generator().manual_seed(0)
    first, second = torch.randn(2000, generator=generator), torch.randn(2000, generator=generator)
    assert properties.same_distribution([], [first], [second]) == ""
    assert "another distribution" in properties.same_distribution([], [first], [second + 0.3])
    assert "another distribution" in properties.same_distribution([], [first], [second * 1.5])
    assert properties.same_distribution([], [first[:5]], [second[:5] + 9]) == ""


def test_distributions_that_hold_nan() -> None:
    values = torch.tensor([0.0, 1e-4, 0.3, 1.0, 20.0, torch.inf, -0.3, -1.0, -torch.inf, torch.nan]).repeat(200)
    for seed in range(20):
        generator = torch.Generator().manual_seed(seed)
        first, second = (values * (torch.rand(2000, generator=generator) < 0.5) for _ in range(2))
        assert properties.same_distribution([], [first], [second]) == ""
        assert "another distribution" in properties.same_distribution([], [first], [first.nan_to_num(0.0)])


def test_columns_up_to_their_sign() -> None:
    columns = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert properties.same_up_to_sign([], [columns], [columns * torch.tensor([1.0, -1.0])]) == ""
    assert properties.same_up_to_sign([], [columns], [columns.flip(0)]) != ""


def test_indices_are_free_among_equal_values() -> None:
    source = torch.tensor([[1.0, 2.0, 2.0], [3.0, 3.0, 0.0]])
    values, indices = torch.tensor([2.0, 3.0]), torch.tensor([1, 0])
    other = [values, torch.tensor([2, 1])]
    assert properties.equal_values_there([source], [values, indices], other) == ""
    assert properties.equal_values_there([source], [values, indices], [values, torch.tensor([0, 1])]) != ""
    assert properties.equal_values_there([source], [values, indices], [values, torch.tensor([7, 1])]) != ""
    assert properties.equal_values_there([source], [values, indices], [values + 1, indices]) != ""
    assert properties.equal_values_there([source], [values], [values + 1]) == "the values differ"


def test_several_elements_along_an_axis_with_their_indices() -> None:
    source = torch.tensor([[1.0, 2.0, 2.0], [3.0, math.nan, 0.0]])
    expected = [torch.tensor([[2.0, 2.0], [math.nan, 3.0]]), torch.tensor([[1, 2], [1, 0]])]

    def said(values: list[list[float]], indices: list[list[int]]) -> str:
        return properties.equal_values_there([source], expected, [torch.tensor(values), torch.tensor(indices)])

    assert said([[2.0, 2.0], [math.nan, 3.0]], [[2, 1], [1, 0]]) == ""
    assert said([[2.0, 2.0], [math.nan, 3.0]], [[1, 1], [1, 0]]) == "an index stands there twice"
    assert said([[2.0, 2.0], [math.nan, 3.0]], [[1, 2], [0, 1]]) == "an index points at another value"
    assert said([[2.0, 1.0], [math.nan, 3.0]], [[1, 0], [1, 0]]) == "the values differ"
    assert said([[2.0, 2.0], [3.0, math.nan]], [[1, 2], [0, 1]]) == "the values differ"


def test_the_order_is_free_where_torch_has_none() -> None:
    source = torch.tensor([1.0, 5.0, 3.0, 4.0])
    expected = [torch.tensor([4.0, 5.0, 3.0]), torch.tensor([3, 1, 2])]
    in_order = [torch.tensor([5.0, 4.0, 3.0]), torch.tensor([1, 3, 2])]
    assert properties.equal_values_there([source], expected, in_order) == ""
    assert properties.equal_values_there([source], in_order, expected) == "the values differ"


def test_elements_in_any_order() -> None:
    elements, places, counts = torch.tensor([3.0, 1.0]), torch.tensor([0, 1, 0]), torch.tensor([2, 1])
    expected = [elements, places, counts]
    assert properties.same_elements([], expected, [elements.flip(0), 1 - places, counts.flip(0)]) == ""
    assert properties.same_elements([], expected, [elements.flip(0), places, counts.flip(0)]) != ""
    assert properties.same_elements([], expected, [elements.flip(0), 1 - places, counts]) != ""
    assert properties.same_elements([], expected, [elements + 1, places, counts]) != ""


def test_every_property_that_is_named_is_there() -> None:
    assert all(callable(getattr(properties, name)) for name in FREE_RESULTS.values())
