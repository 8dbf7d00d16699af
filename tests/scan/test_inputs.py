from __future__ import annotations

import pytest

from symgen.errors import UsageError
from symgen.model.inputs import Dim, InputSpec, parse_input, parse_inputs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("float32[1,3,224,224]", InputSpec("float32", (Dim(1), Dim(3), Dim(224), Dim(224)))),
        ("int64[]", InputSpec("int64", ())),
        ("float32[batch,3]", InputSpec("float32", (Dim(2, "batch"), Dim(3)))),
        (" bool[ batch = 4 , 3 ] ", InputSpec("bool", (Dim(4, "batch"), Dim(3)))),
        ("int64[1,16] 0..999", InputSpec("int64", (Dim(1), Dim(16)), 0.0, 999.0)),
        ("float16[2] -1.5..2e3", InputSpec("float16", (Dim(2),), -1.5, 2000.0)),
        ("float32[0,3]", InputSpec("float32", (Dim(0), Dim(3)))),
    ],
)
def test_inputs_as_they_are_typed(text: str, expected: InputSpec) -> None:
    assert parse_input(text) == expected


def test_shape_and_axes() -> None:
    spec = parse_input("float32[batch=5,3,time]")
    assert spec.shape == (5, 3, 2)
    assert spec.axes == {0: "batch", 2: "time"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not an input"),
        ("float32", "is not an input"),
        ("float32[1", "is not an input"),
        ("float32[1]]", "is not an input"),
        ("float32[1] 3", "is not an input"),
        ("float33[1]", "is not a dtype"),
        ("float32[-1]", "is not a size"),
        ("float32[1,,2]", "is not a size"),
        ("float32[2x]", "is not a size"),
        ("float32[batch=]", "is not a size"),
        ("float32[1] 1e..2", "is not a number"),
        ("float32[100000,100000]", "10000000000 elements"),
    ],
)
def test_what_is_no_input_is_refused_with_an_example(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_input(text)


def test_a_name_has_one_size() -> None:
    assert len(parse_inputs(("float32[n=3]", "float32[n=3,2]"))) == 2
    with pytest.raises(UsageError, match="dimension n is 3 here and 2 there"):
        parse_inputs(("float32[n=3]", "float32[n]"))
