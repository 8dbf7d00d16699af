"""Text → value → text is exact for every schema; what is no schema names its file and line."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symgen.errors import ParseError
from symgen.introspect.aten_schemas import parse_schema
from symgen.introspect.catalogue import Catalogue
from symgen.model.location import Location
from symgen.model.names import OpName
from symgen.model.schema import Argument, AtenSchema, Return
from symgen.model.types import BASE_TYPES, BaseType, ClassType, ListType, OptionalType, Type

HERE = Location("native_functions.yaml", 7)
NAMES = st.from_regex(r"[a-z_][A-Za-z0-9_]{0,9}", fullmatch=True)
BASES = st.sampled_from(sorted(BASE_TYPES)).map(BaseType)


def lists_and_optionals(inner: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    return st.builds(OptionalType, inner) | st.builds(ListType, inner, st.none() | st.integers(1, 9))


TYPES = st.recursive(BASES, lists_and_optionals, max_leaves=3)
ALIASES = st.sampled_from(["", "a", "a!", "b!", "a -> *", "a|b", "a! -> a|b"])
DEFAULTS = st.sampled_from(
    [None, "1", "-1", "1e-05", "0.5", "None", "True", "[]", "[0,1]", "'x, y'", '"(\\"]"', "long"]
)
ARGUMENTS = st.builds(Argument, NAMES, TYPES, DEFAULTS, st.booleans(), ALIASES)
RETURNS = st.builds(Return, TYPES, st.just("") | NAMES, ALIASES)


@st.composite
def schema_values(draw: st.DrawFn) -> AtenSchema:
    arguments = sorted(draw(st.lists(ARGUMENTS, max_size=5)), key=lambda argument: argument.keyword_only)
    returns = tuple(draw(st.lists(RETURNS, max_size=3)))
    return AtenSchema(
        name=OpName("aten", draw(NAMES), draw(st.just("") | NAMES)),
        arguments=tuple(arguments),
        returns=returns,
        location=HERE,
        returns_in_parentheses=len(returns) != 1 or draw(st.booleans()),
        namespace_written=draw(st.booleans()),
    )


def test_every_function_of_torch_comes_back_exactly(catalogue: Catalogue) -> None:
    texts = {base: [entry.func for entry in entries] for base, entries in catalogue.functions.entries.items()}
    assert sum(map(len, texts.values())) >= 2584
    for base, expected in texts.items():
        assert [str(schema) for schema in catalogue.functions.overloads(base)] == expected


@given(schema_values())
def test_every_value_comes_back_from_its_text(schema: AtenSchema) -> None:
    assert parse_schema(str(schema), HERE) == schema


@pytest.mark.parametrize(
    "text",
    [
        "quantized::elu(Tensor self, float output_scale, int output_zero_point, Scalar alpha=1) -> Tensor",
        "quantized::relu6(Tensor qx, bool inplace=False) -> Tensor",
        "quantized::conv2d(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase w) -> Tensor",
        "ns::op.overload(Tensor?[] xs, *, float[2]? range=None) -> (Tensor, Tensor(a!)[] rest)",
        "ns::nothing() -> ()",
    ],
)
def test_schemas_of_libraries_come_back_exactly(text: str) -> None:
    assert str(parse_schema(text)) == text


def test_spaces_around_a_default_are_those_of_schemas_registered_by_hand() -> None:
    """As in aten::__interpolate, which a scripted `torch.nn.functional.interpolate` calls."""
    spaced = parse_schema("aten::__interpolate(Tensor input, int[]? size = None, str mode = 'nearest') -> Tensor")
    assert spaced == parse_schema("aten::__interpolate(Tensor input, int[]? size=None, str mode='nearest') -> Tensor")


def test_the_parts_of_a_schema() -> None:
    schema = parse_schema("add.out(Tensor self, Tensor[2] o, *, Scalar? alpha=1, Tensor(a!) out) -> Tensor(a!)", HERE)
    assert schema.name == OpName("aten", "add", "out")
    assert schema.arguments == (
        Argument("self", BaseType("Tensor")),
        Argument("o", ListType(BaseType("Tensor"), 2)),
        Argument("alpha", OptionalType(BaseType("Scalar")), "1", keyword_only=True),
        Argument("out", BaseType("Tensor"), keyword_only=True, alias="a!"),
    )
    assert schema.returns == (Return(BaseType("Tensor"), alias="a!"),)
    assert schema.is_out
    assert not schema.reaches_exporter


@pytest.mark.parametrize(
    ("text", "reaches", "gives_a_number"),
    [
        ("gradient.scalarrayint(Tensor self, *, Scalar[] spacing, int? dim=None) -> Tensor[]", False, False),
        ("gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None) -> Tensor[]", True, False),
        ("equal(Tensor self, Tensor other) -> bool", True, True),
    ],
)
def test_what_a_trace_makes_of_a_call(text: str, reaches: bool, gives_a_number: bool) -> None:
    schema = parse_schema(text)
    assert (schema.reaches_exporter, schema.gives_a_number) == (reaches, gives_a_number)


def test_a_class_of_a_library_is_a_type_of_its_own() -> None:
    schema = parse_schema("q::f(__torch__.torch.classes.rnn.CellParamsBase[] p) -> Tensor")
    assert schema.arguments[0].type == ListType(ClassType("__torch__.torch.classes.rnn.CellParamsBase"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f(Tensr self) -> Tensor", "unknown type 'Tensr'"),
        ("f(Tensor self) -> Dict(str, Tensor)", "unknown type 'Dict'"),
        ("f(t self) -> Tensor", "unknown type 't'"),
        ("f(Tensor self) -> Tensor extra stuff", "goes on where it should end"),
        ("f(Tensor self", "'\\) ->' is missing at the end"),
        ("f(Tensor) -> Tensor", "an argument's name is missing"),
        ("f(int x=) -> Tensor", "a default is missing"),
        ("f(int x='open) -> Tensor", "a default is missing before \"'open"),
        ("(Tensor self) -> Tensor", "an operator's name is missing"),
        ("", "an operator's name is missing"),
    ],
)
def test_what_is_no_schema(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message) as caught:
        parse_schema(text, HERE)
    assert str(caught.value).startswith("native_functions.yaml:7: ")


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(ParseError):
        assert str(parse_schema(text, HERE)) == text


def test_torchgen_agrees_on_what_is_written_in_place_and_out(catalogue: Catalogue) -> None:
    model = pytest.importorskip("torchgen.model")
    for base in catalogue.functions:
        for schema in catalogue.functions.overloads(base):
            theirs = model.FunctionSchema.parse(str(schema))
            kind = theirs.kind()
            assert schema.is_out == (kind is model.SchemaKind.out), schema
            assert not schema.is_inplace or kind in {model.SchemaKind.inplace, model.SchemaKind.mutable}, schema
            assert schema.is_inplace or kind is not model.SchemaKind.inplace, schema
