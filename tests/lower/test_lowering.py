"""What an opset makes of a plan: the form of each call, the ranges of equal code, and what is refused."""

from __future__ import annotations

import textwrap

import pytest

from symgen.introspect.aten_schemas import parse_schema
from symgen.introspect.onnx_schemas import OnnxSchemas, load_onnx_schemas
from symgen.lower.lowering import LoweredPlan, OlderForms, lower_at, lower_plan
from symgen.lower.older_forms import load_older_forms
from symgen.lower.torchlib import REAL_TORCHLIB, TORCHLIB
from symgen.lower.versions import NotExpressibleError
from symgen.match.parameters import merge_parameters
from symgen.model.names import parse_op_name
from symgen.model.plan import Guarded, Ignored, Mapped, Plan, PlanError, PlanFunction, Promotion, PromotionKind
from symgen.model.result import Strategy

NONE = OlderForms({}, {})


@pytest.fixture(scope="module")
def schemas() -> OnnxSchemas:
    return load_onnx_schemas()


def plan(schema: str, body: str, *helpers: str, promotion: PromotionKind | None = None, **dispositions: object) -> Plan:
    """A plan for a schema; parameters are mapped unless said otherwise."""
    overload = parse_schema(schema)
    parameters = merge_parameters([overload])
    assert parameters is not None
    promoted = tuple(p.name for p in parameters if str(p.types[0]) == "Tensor")
    return Plan(
        op=parse_op_name(overload.name.base),
        overloads=(overload,),
        parameters=parameters,
        dispositions={p.name: dispositions.get(p.name, Mapped()) for p in parameters},  # type: ignore[misc]
        body=_function(body),
        strategy=Strategy.DECOMPOSITION,
        why="a test",
        promotion=Promotion(promotion, promoted) if promotion else None,
        helpers=tuple(_function(helper) for helper in helpers),
    )


def _function(source: str) -> PlanFunction:
    source = textwrap.dedent(source).strip() + "\n"
    return PlanFunction(source.partition("(")[0].removeprefix("def ").strip(), source)


def body(lowered: LoweredPlan) -> str:
    return "\n".join(line.removeprefix("    ") for line in lowered.function.body)


def ranges(plan: Plan, schemas: OnnxSchemas, older: OlderForms = NONE) -> list[tuple[int, int]]:
    return [(lowered.first, lowered.last) for lowered in lower_plan(plan, schemas, older)]


def test_axes_are_an_attribute_before_18_and_an_input_from_then_on(schemas: OnnxSchemas) -> None:
    it = plan(
        "f(Tensor self, int dim) -> Tensor",
        "def f(op, self, dim):\n    return op.ReduceMax(self, axes=[dim], keepdims=0)",
    )

    assert ranges(it, schemas) == [(9, 17), (18, 20)]
    assert body(lower_at(it, schemas, NONE, 17)) == "return g.op('ReduceMax', self, axes_i=[dim], keepdims_i=0)"
    assert body(lower_at(it, schemas, NONE, 18)) == (
        "return g.op('ReduceMax', self, g.op('Constant', value_t=torch.tensor([dim], dtype=torch.int64)), keepdims_i=0)"
    )


def test_where_the_exporter_has_a_helper_that_knows_the_opset_it_is_called(schemas: OnnxSchemas) -> None:
    it = plan(
        "f(Tensor self) -> Tensor",
        "def f(op, self):\n    return op.Squeeze(op.ReduceSum(op.Unsqueeze(self, [0]), axes=[1], keepdims=1), [0])",
    )

    assert ranges(it, schemas) == [(9, 20)]
    assert body(lower_at(it, schemas, NONE, 9)) == (
        "return symbolic_helper._squeeze_helper(g, symbolic_helper._reducesum_helper("
        "g, symbolic_helper._unsqueeze_helper(g, self, [0]), axes_i=[1], keepdims_i=1), [0])"
    )


def test_a_plan_begins_at_the_opset_that_has_all_its_operators(schemas: OnnxSchemas) -> None:
    it = plan("f(Tensor self) -> Tensor", "def f(op, self):\n    return op.Round(op.Neg(self))")

    assert ranges(it, schemas) == [(11, 20)]
    with pytest.raises(NotExpressibleError, match="Round from opset 11"):
        lower_at(it, schemas, NONE, 10)


def test_an_operator_that_takes_no_integers_yet_does_not_serve_a_plan_that_computes_in_them(
    schemas: OnnxSchemas,
) -> None:
    text = "def f(op, self, other):\n    return op.Max(self, other)"
    schema = "f(Tensor self, Tensor other) -> Tensor"

    assert ranges(plan(schema, text, promotion=PromotionKind.INT_TO_FLOAT), schemas)[0][0] == 9
    assert ranges(plan(schema, text, promotion=PromotionKind.DEFAULT), schemas)[0][0] == 12


def test_an_older_form_stands_in_where_onnx_cannot_say_an_operator_yet(schemas: OnnxSchemas) -> None:
    it = plan(
        "f(Tensor self, Tensor other) -> Tensor",
        "def f(op, self, other):\n    return self >= other",
        promotion=PromotionKind.ALWAYS_BOOL,
    )

    lowered = lower_plan(it, schemas, load_older_forms())

    assert lowered[0].first < 12
    assert body(lowered[0]) == "return _greater_or_equal(g, self, other)"
    assert [helper.name for helper in lowered[0].helpers][:1] != []
    assert body(lowered[-1]) == "return g.op('GreaterOrEqual', self, other)"


def test_what_only_a_branch_of_another_opset_reads_is_not_said(schemas: OnnxSchemas) -> None:
    it = plan(
        "f(Tensor self) -> Tensor",
        """
        def f(op, self):
            sizes = [op.static_size(self, axis) for axis in (0, 1)]
            known = None not in sizes
            if op.opset >= 18 and known:
                return op.Mish(self)
            return op.Relu(self)
        """,
    )

    assert body(lower_at(it, schemas, NONE, 17)) == "return g.op('Relu', self)"
    assert body(lower_at(it, schemas, NONE, 18)).startswith("sizes = ")


def test_branches_on_the_opset_are_decided(schemas: OnnxSchemas) -> None:
    it = plan(
        "f(Tensor self) -> Tensor",
        """
        def f(op, self):
            if op.opset >= 18:
                return op.Mish(self)
            return self * op.Tanh(op.Softplus(self))
        """,
    )

    assert ranges(it, schemas) == [(9, 17), (18, 20)]
    assert body(lower_at(it, schemas, NONE, 17)) == "return g.op('Mul', self, g.op('Tanh', g.op('Softplus', self)))"
    assert body(lower_at(it, schemas, NONE, 18)) == "return g.op('Mish', self)"


def test_what_is_for_complex_arguments_is_gone_where_a_target_has_none(schemas: OnnxSchemas) -> None:
    it = plan(
        "f(Tensor self) -> Tensor",
        """
        def f(op, self):
            if not op.is_complex(self):
                return op.Relu(self)
            return op.carried(op.Identity(self))
        """,
    )

    assert body(lower_at(it, schemas, NONE, 18, emitter=REAL_TORCHLIB)) == "return op.Relu(self)"
    assert "_is_complex(g, 0)" in body(lower_at(it, schemas, NONE, 18))
    assert "_carried(g, " in body(lower_at(it, schemas, NONE, 18))
    assert body(lower_at(it, schemas, NONE, 18, emitter=TORCHLIB)).splitlines() == [
        "if not _is_complex(self):",
        "    return op.Relu(self)",
        "return _carried(op.Identity(self))",
    ]


def test_what_torch_export_has_captured_otherwise_is_for_the_dynamo_exporter_alone(schemas: OnnxSchemas) -> None:
    it = plan(
        "f(Tensor self, int dim) -> Tensor",
        """
        def f(op, self, dim):
            if op.is_captured and dim == -1:
                op.fail("f: no dim=-1")
            return op.Relu(self)
        """,
    )

    assert body(lower_at(it, schemas, NONE, 18)) == "return g.op('Relu', self)"
    assert body(lower_at(it, schemas, NONE, 18, emitter=TORCHLIB)).splitlines() == [
        "if dim == -1:",
        "    raise NotImplementedError('f: no dim=-1')",
        "return op.Relu(self)",
    ]


def test_a_number_beside_a_tensor_becomes_a_constant_of_its_dtype(schemas: OnnxSchemas) -> None:
    it = plan(
        "f(Tensor self, float scale) -> Tensor",
        """
        def f(op, self, scale):
            doubled = 2 * self
            # A comment says why, and stays.
            return op.Where(doubled > scale, doubled, 0)
        """,
    )

    assert body(lower_at(it, schemas, NONE, 20)).splitlines() == [
        "doubled = g.op('Mul', _scalar(g, 2, self), self)",
        "# A comment says why, and stays.",
        "return g.op('Where', g.op('Greater', doubled, _scalar(g, scale, doubled)), doubled, _scalar(g, 0, doubled))",
    ]


def test_python_branches_on_arguments_stay(schemas: OnnxSchemas) -> None:
    it = plan(
        "f(Tensor self, int reduction, Tensor? weight=None) -> Tensor",
        """
        def f(op, self, reduction, weight):
            if weight is not None:
                self = self * weight
            if reduction == 1:
                return op.ReduceMean(self, keepdims=0)
            elif reduction == 2:
                return op.ReduceSum(self, keepdims=0)
            return self
        """,
    )

    assert body(lower_at(it, schemas, NONE, 9)).splitlines() == [
        "if not symbolic_helper._is_none(weight):",
        "    self = g.op('Mul', self, weight)",
        "if reduction == 1:",
        "    return g.op('ReduceMean', self, keepdims_i=0)",
        "elif reduction == 2:",
        "    return symbolic_helper._reducesum_helper(g, self, keepdims_i=0)",
        "return self",
    ]


def test_several_outputs_are_asked_for_and_unpacked(schemas: OnnxSchemas) -> None:
    it = plan(
        "f(Tensor self) -> (Tensor, Tensor)",
        "def f(op, self):\n    values, indices = op.TopK(self, [1], axis=0)\n    return values, indices",
    )

    assert body(lower_at(it, schemas, NONE, 11)).splitlines() == [
        "values, indices = g.op('TopK', self, g.op('Constant', value_t=torch.tensor([1])), axis_i=0, outputs=2)",
        "return (values, indices)",
    ]


def test_a_helper_becomes_a_private_function_beside_the_operators(schemas: OnnxSchemas) -> None:
    it = plan(
        "f(Tensor self) -> Tensor",
        "def f(op, self):\n    return square(op, self, 3)",
        "def square(op, x, times: int):\n    for _ in range(times):\n        x = x * x\n    return x",
    )

    lowered = lower_at(it, schemas, NONE, 20)

    assert body(lowered) == "return _square(g, self, 3)"
    (helper,) = lowered.helpers
    assert (helper.name, [(a.name, a.annotation) for a in helper.arguments]) == (
        "_square",
        [("x", "_C.Value"), ("times", "int")],
    )
    assert [line.strip() for line in helper.body] == ["for _ in range(times):", "x = g.op('Mul', x, x)", "return x"]


def test_a_guarded_argument_raises_and_an_ignored_one_is_not_even_parsed(schemas: OnnxSchemas) -> None:
    it = plan(
        "f(Tensor self, bool flag=False, Generator? generator=None) -> Tensor",
        "def f(op, self):\n    return self",
        flag=Guarded("False"),
        generator=Ignored("nothing random happens"),
    )

    arguments = {form.name: form for form in lower_at(it, schemas, NONE, 9).function.arguments}

    assert arguments["generator"].descriptor == "none"
    assert arguments["flag"].preparation == (
        "if flag:",
        '    raise errors.SymbolicValueError("aten::f: flag other than False has no translation", self)',
    )


def test_a_plan_that_drops_an_argument_is_refused() -> None:
    with pytest.raises(PlanError, match="never reads the parameter 'scale'"):
        plan("f(Tensor self, float scale) -> Tensor", "def f(op, self, scale):\n    return op.Neg(self)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(op, self):\n    return op.Nonsense(self)", "no operator Nonsense"),
        ("def f(op, self):\n    return op.Neg(self, speed=2)", "no input or attribute 'speed'"),
        ("def f(op, self):\n    return op.fly(self)", "no service 'fly'"),
        ("def f(op, self):\n    return self * open('x')", "no name 'open'"),
        ("def f(op, self):\n    return op.Mul(self, op.constant(0.5))", "says its dtype"),
        ("def f(op, self):\n    if self > 0:\n        return self\n    return op.Neg(self)", "asks a graph value"),
        ("def f(op, self):\n    import os\n    return self", "the plan language has no"),
    ],
)
def test_what_the_plan_language_does_not_have_is_refused(text: str, message: str, schemas: OnnxSchemas) -> None:
    it = plan("f(Tensor self) -> Tensor", text)

    with pytest.raises((PlanError, NotExpressibleError), match=message):
        lower_at(it, schemas, NONE, 20)
