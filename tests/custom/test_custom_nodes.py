"""The node of a custom operator, as its schema asks for it."""

from __future__ import annotations

import pytest

from symgen.errors import UsageError
from symgen.introspect.aten_schemas import parse_schema
from symgen.lower.custom_nodes import expected_node, node_name, node_of, nodes_of
from symgen.model.domain import parse_domain
from symgen.model.names import parse_op_name
from symgen.model.node import NodeSpec, NoNode
from symgen.model.sample import DType, SampleSpec, TensorSpec

DOMAIN = parse_domain("my.ops", 2)


def spec_of(schema: str) -> NodeSpec:
    spec = node_of(parse_schema(schema), DOMAIN)
    assert isinstance(spec, NodeSpec), spec
    return spec


@pytest.mark.parametrize(
    ("op", "name"),
    [("ns::foo_forward", "FooForward"), ("ns::roi2d", "Roi2d"), ("ns::max.dim", "MaxDim"), ("a::_x", "X")],
)
def test_names_are_in_camel_case(op: str, name: str) -> None:
    assert node_name(parse_op_name(op)) == name


def test_tensors_are_inputs_and_all_else_attributes_of_the_schemas_type() -> None:
    spec = spec_of(
        "ns::f(Tensor x, Tensor? m, Tensor[] xs, int n, float e, bool b, str s, int[] ns, float[] es, ScalarType? d,"
        " Device? device=None) -> (Tensor, Tensor)"
    )
    assert [(part.name, str(part.kind)) for part in spec.inputs] == [("x", "single"), ("m", "optional"), ("xs", "list")]
    assert [(p.name, p.type, p.is_list) for p in spec.attributes] == [
        ("n", "i", False), ("e", "f", False), ("b", "i", False), ("s", "s", False),
        ("ns", "i", True), ("es", "f", True), ("d", "i", False),
    ]  # fmt: skip
    assert (spec.outputs, spec.qualified) == (2, "my.ops::F")


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ("ns::f(Tensor(a!) x) -> Tensor", "it writes into x"),
        ("ns::f(Tensor x) -> ()", "it returns nothing"),
        ("ns::f(Tensor x) -> Tensor[]", "the result is a list of tensors"),
        ("ns::f(Tensor x) -> (Tensor, int)", "result 1 is a int"),
        ("ns::f(int x) -> Tensor", "it takes no tensor"),
        ("ns::f(Tensor x, complex z) -> Tensor", "z is a complex"),
        ("ns::f(Tensor[] a, Tensor[] b) -> Tensor", "a and b are lists of tensors"),
        ("ns::f(Tensor[] a, Tensor? b) -> Tensor", "b may be absent behind the list a"),
    ],
)
def test_what_no_node_can_do_is_refused_by_name(schema: str, said: str) -> None:
    refused = node_of(parse_schema(schema), DOMAIN)
    assert isinstance(refused, NoNode)
    assert said in refused.reason


def test_overloads_are_told_apart_or_refused_by_name() -> None:
    texts = (
        "ns::f(Tensor x)",
        "ns::f.scalar(Tensor x, float s)",
        "ns::f.t(Tensor x, Tensor y)",
        "ns::f.int(Tensor x, int n)",
    )
    nodes = nodes_of([parse_schema(f"{text} -> Tensor") for text in texts], DOMAIN)
    assert [node.name if isinstance(node, NodeSpec) else node.reason for node in nodes] == [
        "F", "FScalar", "FT", "the exporter can't tell its calls from those of ns::f.scalar",
    ]  # fmt: skip


def test_absent_tensors_keep_their_places_but_for_the_last() -> None:
    spec = spec_of(
        'ns::f(Tensor x, Tensor? m, Tensor y, Tensor? z=None, int[2] k=1, str s="a", ScalarType? d=None) -> Tensor'
    )
    x = TensorSpec((2, 3))
    node = expected_node(spec, SampleSpec("", (x, None, x), (("d", DType("float64")),)))
    assert node.inputs == (True, False, True)
    assert node.attributes == {"k": (1, 1), "s": "a", "d": 11}


@pytest.mark.parametrize("name", ["", "a b", "a'", "a::b", "ai.onnx", "aten", "1a", "a..b", 'a"b'])
def test_domains_that_are_none(name: str) -> None:
    with pytest.raises(UsageError):
        parse_domain(name)


def test_versions_start_at_one() -> None:
    with pytest.raises(UsageError):
        parse_domain("my.ops", 0)
    assert parse_domain("my.ops", 3).custom_opsets == 'custom_opsets={"my.ops": 3}'
