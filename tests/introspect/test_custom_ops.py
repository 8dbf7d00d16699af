"""A user's stub becomes a schema; whatever it does not say is an error with file and line, never a guess."""

from __future__ import annotations

from pathlib import Path

import pytest

from symgen.errors import ParseError
from symgen.introspect.annotations import parse_alternatives, parse_annotation
from symgen.introspect.catalogue import load_catalogue
from symgen.introspect.custom_ops import schema_of_stub
from symgen.introspect.stubs import parse_stubs
from symgen.model.location import Location
from symgen.model.names import OpName

HERE = Location("ops.pyi", 3)


def schema_text(definition: str) -> str:
    (stub,) = parse_stubs(definition, "ops.pyi")
    return str(schema_of_stub(stub, OpName("ns", stub.name)))


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("Tensor", "Tensor"),
        ("torch.Tensor", "Tensor"),
        ("'Tensor'", "Tensor"),
        ("Tensor | None", "Tensor?"),
        ("Optional[torch.Tensor]", "Tensor?"),
        ("typing.Union[Tensor, None]", "Tensor?"),
        ("list[Tensor]", "Tensor[]"),
        ("tuple[Tensor, ...] | list[Tensor]", "Tensor[]"),
        ("Sequence[Tensor | None]", "Tensor?[]"),
        ("tuple[Tensor | None, ...] | list[Tensor | None] | None", "Tensor?[]?"),
        ("int", "int"),
        ("_int | SymInt", "SymInt"),
        ("_int | _size", "int[1]"),
        ("_int | _size | None", "int[1]?"),
        ("_int | SymInt | Sequence[_int | SymInt]", "SymInt[1]"),
        ("tuple[int, int]", "int[2]"),
        ("torch.Size", "int[]"),
        ("Sequence[float] | None", "float[]?"),
        ("Number | _complex", "Scalar"),
        ("int | float | bool", "Scalar"),
        ("Literal['sum', 'mean']", "str"),
        ("Literal[True]", "bool"),
        ("torch.dtype | None", "ScalarType?"),
        ("DeviceLikeType | None", "Device?"),
        ("torch.memory_format", "MemoryFormat"),
        ("_size_2_opt_t", "int?[2]"),
    ],
)
def test_an_annotation_means_one_type(annotation: str, expected: str) -> None:
    assert str(parse_annotation(annotation, HERE)) == expected


def test_a_union_of_overloads_means_several_types() -> None:
    assert list(map(str, parse_alternatives("Tensor | Number | _complex", HERE))) == ["Tensor", "Scalar"]


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        ("Matrix", "unknown type 'Matrix'"),
        ("np.ndarray", r"unknown type 'np\.ndarray'"),
        ("dict[str, Tensor]", "unknown type 'dict'"),
        ("Callable[[Tensor], Tensor]", "unknown type 'Callable'"),
        ("int | float", "means int or float, not one type"),
        ("Tensor | Number", "means Tensor or Scalar, not one type"),
        ("tuple[Tensor, int]", "a list of different types"),
        ("Literal[1, 'a']", "unknown type 'Literal'"),
        ("None", "means nothing"),
        ("Any", "does not say the type"),
        ("list", "does not say the type"),
        ("list[Any]", "does not say the type"),
        ("Tensor |", "is no expression"),
        ("1 + 2", "unknown type"),
    ],
)
def test_an_unknown_annotation_is_an_error(annotation: str, message: str) -> None:
    with pytest.raises(ParseError, match=rf"^ops\.pyi:3: .*{message}"):
        parse_annotation(annotation, HERE)


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ("def f(x: Tensor) -> Tensor: ...", "ns::f(Tensor x) -> Tensor"),
        (
            "def f(x: Tensor, k: int = 3, *, mode: str = 'mean', w: Tensor | None = None) -> Tensor: ...",
            "ns::f(Tensor x, int k=3, *, str mode='mean', Tensor? w=None) -> Tensor",
        ),
        ("def f(s: Sequence[int] = (1, 2)) -> tuple[Tensor, int]: ...", "ns::f(int[] s=[1,2]) -> (Tensor, int)"),
        ("def f(s: int | Sequence[int] = 1) -> list[Tensor]: ...", "ns::f(int[1] s=1) -> Tensor[]"),
        ("def f(p: float = 1, q: Number = 1.5, e: float = -1e-5) -> None: ...",
         "ns::f(float p=1, Scalar q=1.5, float e=-1e-05) -> ()"),
        ("def f(b: bool = True, xs: list[Tensor] = []) -> tuple[Tensor, ...]: ...",
         "ns::f(bool b=True, Tensor[] xs=[]) -> Tensor[]"),
    ],
)  # fmt: skip
def test_a_stub_becomes_a_schema(definition: str, expected: str) -> None:
    assert schema_text(definition) == expected


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ("def f(x) -> Tensor: ...", "the parameter x has no annotation"),
        ("def f(x: Tensor): ...", "the result has no annotation"),
        ("def f(x: Matrix) -> Tensor: ...", "unknown type 'Matrix'"),
        ("def f(x: Tensor) -> Matrix: ...", "unknown type 'Matrix'"),
        ("def f(*xs: Tensor) -> Tensor: ...", r"an operator takes no \*xs"),
        ("def f(**xs: Tensor) -> Tensor: ...", r"an operator takes no \*\*xs"),
        ("def f(n: int = ...) -> Tensor: ...", r"the default \.\.\. of n is no constant of type int"),
        ("def f(n: int = 'a') -> Tensor: ...", "is no constant of type int"),
        ("def f(n: int = True) -> Tensor: ...", "is no constant of type int"),
        ("def f(n: int = None) -> Tensor: ...", "is no constant of type int"),
        ("def f(n: list[int] = 1) -> Tensor: ...", r"is no constant of type int\[\]"),
        ("def f(d: torch.dtype = torch.float32) -> Tensor: ...", "is no constant of type ScalarType"),
        ("class TensorBase:\n    def f(self) -> Tensor: ...", "is a method"),
    ],
)
def test_what_a_stub_does_not_say_is_an_error(definition: str, message: str) -> None:
    with pytest.raises(ParseError, match=rf"^ops\.pyi:[12]: .*{message}"):
        schema_text(definition)


def test_a_custom_operator_is_in_the_catalogue(stub_file: Path) -> None:
    stub_file.write_text(
        "def blur(image: Tensor, sigma: float = 1.0) -> Tensor: ...\n"
        "def blur(image: Tensor, *, sigmas: Tensor) -> Tensor: ...\n"
        "def broken(image: Picture) -> Tensor: ...\n"
    )
    catalogue = load_catalogue([stub_file])
    operator = catalogue.operator(OpName("my", "blur"))
    assert [str(schema) for schema in operator.overloads] == [
        "my::blur(Tensor image, float sigma=1.0) -> Tensor",
        "my::blur.overload1(Tensor image, *, Tensor sigmas) -> Tensor",
    ]
    assert [stub.location.line for stub in operator.stubs] == [1, 2]
    assert catalogue.arrives_as(OpName("my", "blur")).op == OpName("my", "blur")
    with pytest.raises(ParseError, match=r"ops\.pyi:3: unknown type 'Picture'"):
        catalogue.operator(OpName("my", "broken"))
    with pytest.raises(Exception, match=r"no operator my::blr is declared .*my::blur"):
        catalogue.operator(OpName("my", "blr"))
