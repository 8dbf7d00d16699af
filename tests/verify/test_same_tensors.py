"""The code of a sample builds the very tensors that the verifier proved the function with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from symgen.introspect.aten_schemas import parse_schema
from symgen.model.sample import DTYPES, Recipe, SampleSpec, TensorSpec
from symgen.render.samples import main_dtype, render_sample
from symgen.render.test_helpers import render_test, with_helpers
from symgen.verify.calls import make_call, with_stored_values
from symgen.verify.samples_as_json import sample_from_json, sample_to_json

SCHEMA = parse_schema("cat(Tensor[] tensors, int dim=0) -> Tensor")
KINDS = ("uniform", "edges", "ties", "holes", "distinct", "sorted", "sorted_down", "simplex", "permutation")
SQUARE = ("definite", "symmetric", "regular", "lower", "upper")

shapes = st.lists(st.integers(0, 4), max_size=3).map(tuple)
tensors = st.builds(
    TensorSpec,
    shapes.filter(bool),
    st.sampled_from(DTYPES),
    st.builds(Recipe, st.sampled_from(KINDS), st.sampled_from([None, -2.0, 0.0]), st.sampled_from([None, 1.0, 5.0])),
    st.sampled_from(["contiguous", "transposed", "strided"]),
) | st.builds(TensorSpec, shapes, st.sampled_from(DTYPES), st.builds(Recipe, st.sampled_from(KINDS[:5])))
samples = st.builds(SampleSpec, st.just(""), st.tuples(st.lists(tensors, min_size=1, max_size=3).map(tuple)))


Build = Callable[[SampleSpec, int], list[torch.Tensor]]


@pytest.fixture(scope="module")
def build() -> Build:
    """Builds the tensors of a sample as the functions of a generated test file do from the sample's code."""
    test = render_test("test", "def test(): make(), edges(), ties(), holes(), distinct(), given(), sample(), built()")
    definitions = with_helpers([test], None)
    imports = sorted({str(one) for definition in definitions for one in definition.imports})
    namespace: dict[str, Any] = {}
    exec("\n".join(["from __future__ import annotations", *imports, *(d.source for d in definitions)]), namespace)

    def build(sample: SampleSpec, turn: int) -> list[torch.Tensor]:
        main = main_dtype(sample)
        template = eval(render_sample(sample, main), namespace)
        arguments, _ = namespace["built"](template, getattr(torch, main), 1000 * turn)
        result: list[torch.Tensor] = arguments[0]
        return result

    return build


def same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return (
        one.dtype == other.dtype and one.stride() == other.stride() and torch.allclose(one, other, 0, 0, equal_nan=True)
    )


@settings(max_examples=200, deadline=None, derandomize=True)
@given(sample=samples, turn=st.integers(0, 1))
def test_code_and_verifier_build_the_same_tensors(build: Build, sample: SampleSpec, turn: int) -> None:
    expected = make_call(SCHEMA.name, [SCHEMA], sample, turn).tensors
    assert all(map(same, build(sample, turn), expected))
    assert sample_from_json(sample_to_json(sample)) == sample


@settings(max_examples=100, deadline=None, derandomize=True)
@given(sample=samples)
def test_stored_values_are_the_same_again(build: Build, sample: SampleSpec) -> None:
    stored = with_stored_values(SCHEMA.name, [SCHEMA], sample, 0)
    expected = make_call(SCHEMA.name, [SCHEMA], sample).tensors
    for again in (make_call(SCHEMA.name, [SCHEMA], stored).tensors, build(stored, 0)):
        for x, e in zip(again, expected, strict=True):
            assert x.dtype == e.dtype
            assert torch.equal(x.nan_to_num(7), e.nan_to_num(7)) or not e.numel()


@pytest.mark.parametrize("kind", SQUARE)
def test_square_recipes(build: Build, kind: str) -> None:
    sample = SampleSpec("", ((TensorSpec((2, 3, 3), "float64", Recipe(kind)),),))
    (matrix,) = make_call(SCHEMA.name, [SCHEMA], sample).tensors
    assert all(map(same, build(sample, 0), [matrix]))
    if kind == "definite":
        assert bool((torch.linalg.eigvalsh(matrix) > 0).all())
    if kind == "regular":
        assert bool((torch.linalg.det(matrix).abs() > 1).all())
    if kind in ("symmetric", "definite"):
        assert torch.equal(matrix, matrix.mT)
    if kind in ("lower", "upper"):
        assert torch.equal(matrix, matrix.tril() if kind == "lower" else matrix.triu())
