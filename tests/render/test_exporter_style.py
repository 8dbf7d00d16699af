"""Generated functions as torch's own files would have them."""

from __future__ import annotations

import ast

import pytest

from symgen.introspect.torch_install import find_torch
from symgen.render.exporter_style import EXISTING, in_exporter_style, known_functions, local_calls
from symgen.render.plain_text import plain_text

HEAD = "def f(g: jit_utils.GraphContext, input: _C.Value, other: _C.Value) -> _C.Value:\n"


def styled(body: str, decorator: str = "", known: tuple[str, ...] = tuple(EXISTING.values())) -> str:
    text = in_exporter_style(f"{decorator}{HEAD}    {body}\n", known)
    return text.removeprefix(HEAD).strip()


@pytest.mark.parametrize(
    ("generated", "expected"),
    [
        ('return g.op("Abs", input)', "return opset9.abs(g, input)"),
        ("return g.op('Add', input, other)", "return opset9.add(g, input, other)"),
        ('return g.op("Softmax", input, axis_i=1)', 'return g.op("Softmax", input, axis_i=1)'),
        ('return g.op("Concat", *values, axis_i=0)', 'return g.op("Concat", *values, axis_i=0)'),
        ("abs = 1", "abs = 1"),
        ("return _dtype(input).is_floating_point", "return symbolic_helper._is_fp(input)"),
        ("return _dtype(input) == torch.bool", "return symbolic_helper._is_bool(input)"),
        ("return _dtype(input) != torch.bool", "return not symbolic_helper._is_bool(input)"),
        ("return _dtype(input)", "return _type_utils.JitScalarType.from_value(input).dtype()"),
        (
            "return _cast(g, input, torch.int32)",
            "return symbolic_helper._maybe_cast_to_type(g, input, _type_utils.JitScalarType.INT)",
        ),
        (
            "return _cast_like(g, input, other)",
            "return symbolic_helper._maybe_cast_to_type(g, input, _type_utils.JitScalarType.from_value(other))",
        ),
        ("return _static_size(input, -1)", "return symbolic_helper._get_tensor_dim_size(input, -1)"),
        (
            'return g.op("Mul", input, _scalar(g, 0.5, input))',
            "return opset9.mul(g, input, symbolic_helper._if_scalar_type_as(torch.tensor(0.5), input))",
        ),
        (
            'return g.op("Mul", input, _scalar(g, 0.1, input))',
            "return opset9.mul(g, input, "
            "symbolic_helper._if_scalar_type_as(torch.tensor(0.1, dtype=torch.double), input))",
        ),
        (
            'return g.op("Max", input, _scalar(g, math.inf, input))',
            'return g.op("Max", input, symbolic_helper._if_scalar_type_as(torch.tensor(math.inf), input))',
        ),
        (
            "return _chosen(g, _scalar(g, 0, input))",
            'return _chosen(g, g.op("Constant", value_t=symbolic_helper._if_scalar_type_as(torch.tensor(0), input)))',
        ),
    ],
)
def test_what_torch_has_is_called(generated: str, expected: str) -> None:
    assert styled(generated) == expected


def test_a_function_of_torch_s_whose_name_is_taken_is_not_called() -> None:
    text = styled('abs = g.op("Abs", input)\n    return g.op("Neg", abs)')
    assert text == 'abs = g.op("Abs", input)\n    return opset9.neg(g, abs)'


def test_only_what_the_checkout_has_is_called() -> None:
    assert styled('return g.op("Abs", input)', known=("neg",)) == 'return g.op("Abs", input)'
    assert known_functions(["abs", "another"]) == {"abs"}


@pytest.mark.parametrize(
    ("decorator", "expected"),
    [
        ('@_promoted("input", "other")\n', "@_promoted_args(True, True)"),
        ('@_promoted("other", kind="INT_TO_FLOAT")\n', '@_promoted_args(False, True, kind="INT_TO_FLOAT")'),
        ('@_promoted("input", kind="COMMON", widen=False)\n', '@_promoted_args(True, kind="NO_OPMATH")'),
        ('@_promoted("input", "other", kind="LIKE_FIRST")\n', "@_promoted_args(True, True, like_first=True)"),
        ('@_promoted("input", kind="DOUBLE")\n', '@_promoted("input", kind="DOUBLE")'),
    ],
)
def test_promotion_as_torch_s_own_references_name_it(decorator: str, expected: str) -> None:
    assert styled("return input", decorator).splitlines()[0] == expected


def test_prose_is_ascii_and_short() -> None:
    word = "word " * 30
    text = in_exporter_style(f'{HEAD}    """√(a² + b²) · {word}"""\n    # {word}\n    return input\n', ())
    assert text.isascii()
    assert "sqrt(a**2 + b**2) * word" in text
    assert max(map(len, text.splitlines()[1:])) <= 88
    assert plain_text("π ≤ β → ∞") == "pi <= beta -> inf"


def test_the_file_for_opset_9_calls_its_own_functions() -> None:
    assert local_calls("def f(g, x):\n    return opset9.abs(g, opset9.neg(g, x))\n") == (
        "def f(g, x):\n    return abs(g, neg(g, x))\n",
        ("abs", "neg"),
    )


def test_annotations_that_need_an_import_are_left_out() -> None:
    text = in_exporter_style("def f(g: Any, body: Callable[..., Any], n: int) -> Any:\n    return n\n", ())
    assert text == "def f(g, body, n: int):\n    return n\n"


def test_each_function_of_torch_s_is_a_call_of_its_operator() -> None:
    path = next(path for path in find_torch().symbolic_files if path.stem == "symbolic_opset9")
    functions = {n.name: n for n in ast.parse(path.read_text("utf-8")).body if isinstance(n, ast.FunctionDef)}

    def texts(name: str) -> str:
        called = [
            n.func.id for n in ast.walk(functions[name]) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
        ]
        return "".join(ast.unparse(functions[one]) for one in (name, *called) if one in functions)

    assert [op for op, name in EXISTING.items() if f"'{op}'" not in texts(name)] == []
