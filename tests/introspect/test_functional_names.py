"""The functions of torch.nn.functional under names that no operator has; some of them are called again."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from symgen.errors import ParseError, UnknownNameError
from symgen.introspect.catalogue import Catalogue
from symgen.introspect.functional_names import load_functional_names, parse_functional_names
from symgen.model.names import OpName, parse_op_name

HELPERS = {"assert_int_or_pair", "boolean_dispatch", "handle_torch_function"}


def test_every_function_without_an_operator_of_its_name_stands_in_the_table(catalogue: Catalogue) -> None:
    functional = pytest.importorskip("torch.nn.functional")
    torch = pytest.importorskip("torch")
    own = {functional.__name__, torch._C._nn.__name__}
    functions = [name for name, one in inspect.getmembers(functional, callable) if one.__module__ in own]
    public = {name for name in functions if not name.startswith("_") and not inspect.isclass(vars(functional)[name])}
    lacking = {name for name in public - HELPERS if OpName("aten", name) not in catalogue}
    assert load_functional_names().keys() == lacking


def test_the_operators_of_the_table_are_declared(catalogue: Catalogue) -> None:
    for operators in load_functional_names().values():
        assert operators
        assert all(OpName("aten", base) in catalogue for base in operators)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("fold", lambda f, x: f(x.reshape(1, 8, 12), (4, 5), (2, 2))),
        ("grid_sample", lambda f, x: f(x, x.reshape(1, 2, 24, 2))),
        ("affine_grid", lambda f, x: f(x.reshape(16, 2, 3), (16, 1, 2, 2))),
        ("normalize", lambda f, x: f(x)),
        ("softmin", lambda f, x: f(x, 1)),
        ("cross_entropy", lambda f, x: f(x, x)),
        ("lp_pool2d", lambda f, x: f(x, 2, 2)),
        ("dropout2d", lambda f, x: f(x)),
        ("upsample_bilinear", lambda f, x: f(x, scale_factor=2)),
        ("linear_cross_entropy", lambda f, x: f(x.reshape(8, 12), x.reshape(8, 12), x.reshape(-1)[:8].long())),
    ],
)
def test_what_a_trace_sees(name: str, call: Callable[[Any, Any], Any]) -> None:
    torch = pytest.importorskip("torch")
    function = getattr(torch.nn.functional, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph, *_ = torch.jit._get_trace_graph(lambda x: call(function, x), (torch.rand(1, 2, 6, 8),), strict=False)
    seen = {node.kind().removeprefix("aten::") for node in graph.nodes() if node.kind().startswith("aten::")}
    assert set(load_functional_names()[name]) <= seen


@pytest.mark.parametrize("text", ["fold", "aten::fold", "F.fold", "torch.nn.functional.fold"])
def test_an_unknown_operator_that_is_such_a_function(text: str, catalogue: Catalogue) -> None:
    with pytest.raises(UnknownNameError) as caught:
        catalogue.operator(parse_op_name(text))
    assert str(caught.value) == "no operator aten::fold is declared (torch.nn.functional.fold calls aten::col2im)"


def test_a_line_that_is_no_row() -> None:
    with pytest.raises(ParseError, match=r"table.tsv:2: 1 columns instead of 2"):
        parse_functional_names("fold\tcol2im\nfold\n", "table.tsv")
