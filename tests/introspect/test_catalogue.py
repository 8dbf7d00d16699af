"""Which operators exist, which of their overloads an export can meet, and what their arguments are called."""

from __future__ import annotations

import itertools

import pytest

from symgen.errors import UnknownNameError
from symgen.introspect.aten_schemas import parse_schema
from symgen.introspect.catalogue import Catalogue, load_catalogue
from symgen.introspect.library_schemas import load_library_schemas
from symgen.introspect.parameter_names import stub_names
from symgen.introspect.stubs import parse_stubs
from symgen.introspect.torch_install import TorchInstall
from symgen.model.names import OpName, parse_op_name


def reaching(catalogue: Catalogue, name: str) -> list[str]:
    return [str(schema.name) for schema in catalogue.overloads_reaching(parse_op_name(name))]


@pytest.mark.parametrize("name", ["elu", "aten::max.dim", "__rshift__", "__ixor_", "fill_diagonal", "quantized::elu"])
def test_what_is_declared(catalogue: Catalogue, name: str) -> None:
    assert parse_op_name(name) in catalogue
    assert catalogue.operator(parse_op_name(name)).overloads


@pytest.mark.parametrize("name", ["elu_elu", "quantized::nonsense", "nowhere::op", "interpolate"])
def test_what_is_not(catalogue: Catalogue, name: str) -> None:
    assert parse_op_name(name) not in catalogue
    with pytest.raises(UnknownNameError, match="is declared"):
        catalogue.operator(parse_op_name(name))


def test_anything_else_is_not_in_it(catalogue: Catalogue) -> None:
    assert "aten::elu" not in catalogue


@pytest.mark.parametrize(
    ("name", "overloads"),
    [
        ("hypot", ["aten::hypot"]),
        ("max", ["aten::max.dim", "aten::max", "aten::max.other"]),
        ("add_", ["aten::add_.Tensor", "aten::add_.Scalar"]),
        ("uniform", ["aten::uniform_"]),
        ("exponential", ["aten::exponential_"]),
        ("__ixor_", ["aten::__ixor__.Scalar", "aten::__ixor__.Tensor"]),
        ("cumsum", ["aten::cumsum"]),
        ("quantized::relu6", ["quantized::relu6"]),
        ("nonsense", []),
    ],
)
def test_the_overloads_that_reach_the_exporter(catalogue: Catalogue, name: str, overloads: list[str]) -> None:
    assert reaching(catalogue, name) == overloads


def test_an_overload_by_name(catalogue: Catalogue) -> None:
    (schema,) = catalogue.operator(parse_op_name("max.dim")).overloads
    assert str(schema) == "max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"
    with pytest.raises(UnknownNameError, match=r"aten::max has no overload 'foo' .*aten::max\.dim"):
        catalogue.operator(parse_op_name("max.foo"))


def test_the_operator_has_its_stubs(catalogue: Catalogue) -> None:
    stubs = catalogue.operator(parse_op_name("elu")).stubs
    assert [stub.name for stub in stubs] == ["elu"] * len(stubs)
    assert any(stub.location.path.endswith("_nn.pyi") for stub in stubs)


def test_all_names_arrive(catalogue: Catalogue) -> None:
    names = list(catalogue)
    assert names == sorted(set(names))
    assert {"hypot", "fill_diagonal", "__ixor_", "_convolution_mode"} <= {name.base for name in names}
    assert not {"add_", "__ixor__"} & {name.base for name in names}
    assert len(names) > 1300


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("hypott", "aten::hypot"),
        ("aten::smoth_l1_loss", "aten::smooth_l1_loss"),
        ("quantized::relu7", "quantized::relu6"),
    ],
)
def test_nearest_names(catalogue: Catalogue, text: str, nearest: str) -> None:
    assert nearest in catalogue.nearest(text)


def test_nothing_is_near_to_nonsense(catalogue: Catalogue) -> None:
    assert catalogue.nearest("aten::qqqqqqqqqqqqqqqqqq") == ()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("hypot", ("input", "other")),
        ("elu", ("input", "alpha", "scale", "input_scale")),
        ("addr", ("input", "vec1", "vec2", "beta", "alpha")),
        ("pow.Tensor_Tensor", ("input", "exponent")),
        ("pow.Scalar", ("self", "exponent")),
        ("zeros_like", ("input", "dtype", "layout", "device", "pin_memory", "memory_format")),
        ("uniform_", ("self", "from_", "to", "generator")),
        ("upsample_bicubic2d", ("input", "output_size", "align_corners", "scales_h", "scales_w")),
        ("fft_fft", ("self", "n", "dim", "norm")),
        ("hypot.out", ("input", "other")),
    ],
)
def test_names_by_the_stub(catalogue: Catalogue, name: str, expected: tuple[str, ...]) -> None:
    overload = parse_op_name(name).overload
    found = {schema.name.overload: schema for schema in catalogue.operator(parse_op_name(name)).overloads}
    assert catalogue.stub_names(found[overload]) == expected


def test_every_name_is_given_once_and_can_stand_in_python(catalogue: Catalogue) -> None:
    for name in catalogue:
        for schema in catalogue.overloads_reaching(name):
            names = catalogue.stub_names(schema)
            assert len(set(names)) == len(names) == len(schema.arguments)
            compile(f"def f({', '.join(names)}): pass", "names", "exec")


def test_a_stub_of_another_function_names_nothing() -> None:
    schema = parse_schema("unfold(Tensor self, int dimension, int size, int step) -> Tensor")
    stub = parse_stubs("def unfold(beta: int, kernel: Tensor) -> Tensor: ...", "s.pyi")
    assert stub_names(schema, stub) == ("self", "dimension", "size", "step")


def test_schemas_of_a_loaded_library() -> None:
    schema = parse_schema("mylib::twice(Tensor x) -> Tensor")
    catalogue = load_catalogue(loaded=[schema])
    assert catalogue.operator(OpName("mylib", "twice")).overloads == (schema,)
    assert catalogue.arrives_as(OpName("mylib", "twice")).op == OpName("mylib", "twice")
    assert catalogue.nearest("mylib::twize") == ("mylib::twice",)


def test_the_schemas_that_only_cpp_declares(catalogue: Catalogue) -> None:
    torch = pytest.importorskip("torch")
    found = load_library_schemas(catalogue.install, "quantized")
    live = {
        (schema.name.removeprefix("quantized::"), schema.overload_name): [a.name for a in schema.arguments]
        for schema in torch._C._jit_get_all_schemas()
        if schema.name.startswith("quantized::")
    }
    ours = {}
    for text in itertools.chain.from_iterable(found.values()):
        schema = parse_schema(text)
        assert str(schema) == text
        ours[schema.name.base, schema.name.overload] = [argument.name for argument in schema.arguments]
    shared = live.keys() & ours.keys()
    assert len(shared) > 0.9 * len(live)
    assert {key: ours[key] for key in shared} == {key: live[key] for key in shared}


def test_without_a_library(catalogue: Catalogue) -> None:
    elsewhere = TorchInstall(catalogue.install.native_functions.parent, "2.13.0")
    assert load_library_schemas(elsewhere, "quantized") == {}
