"""`symgen match --accuracy`: the largest error in units of the last place, and what can't be measured."""

from __future__ import annotations

import json

from click.testing import CliRunner

from symgen.cli.app import cli


def accuracy_of(op: str) -> object:
    done = CliRunner().invoke(cli, ["match", op, "--accuracy", "--json"], standalone_mode=False)
    assert done.exception is None
    return json.loads(done.stdout)["ops"][0]["candidates"][0]["accuracy"]


def test_an_element_wise_function_is_as_accurate_as_it_says() -> None:
    measured = accuracy_of("aten::expm1")

    assert isinstance(measured, dict)
    assert measured["values"] > 1000
    # exp(x) - 1 computed as written would be wrong by millions of ulps near 0.
    assert 0 < measured["ulps"] < 64


def test_what_is_no_element_wise_function_is_said() -> None:
    assert accuracy_of("aten::diff") == "it is no element-wise function of one or two tensors"
