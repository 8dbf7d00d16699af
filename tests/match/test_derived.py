"""Plans from traces: what constants mean, when calls part ways, and how the text reads."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import pytest

from symgen.introspect.aten_schemas import parse_schema
from symgen.match.derived.branches import Block, Choice, merged
from symgen.match.derived.constants import explained
from symgen.match.derived.plan import derived_plan
from symgen.match.derived.vocabulary import Vocabulary
from symgen.match.knowledge import load_knowledge
from symgen.model.names import OpName
from symgen.model.plan import Guarded, Ignored, Plan
from symgen.model.result import Strategy
from symgen.model.schema import AtenSchema
from symgen.model.traces import Item, Ref, Said, Step, Trace, Traced

SELF = Ref("self")


def trace(*steps: Step, ranks: dict[str, int] | None = None, **known: Item) -> Trace:
    """A call whose result is that of the last step."""
    return Trace(known, ranks or {"self": 2}, steps, (Ref(steps[-1].name),))


def step(name: str, target: str, *arguments: Item, dtype: str = "float32") -> Step:
    return Step(name, target, arguments, dtype=dtype)


def call(rank: int, **known: Item) -> Trace:
    """A call of which only what is known of it counts."""
    return trace(step("a", "abs", SELF), ranks={"self": rank}, **known)


@pytest.mark.parametrize(
    ("values", "calls", "text"),
    [
        ((0.5, 0.5), [call(2, p=1.0), call(2, p=2.0)], "0.5"),
        ((1.0, 2.0), [call(2, p=1.0), call(2, p=2.0)], "p"),
        ((0.5, 1.0), [call(2, p=1.0), call(2, p=2.0)], "0.5 * p"),
        ((-1.0, -2.0), [call(2, p=1.0), call(2, p=2.0)], "-p"),
        ((1, 2), [call(2, dim=-1), call(3, dim=-1)], "op.rank(self) - 1"),
        ((1, 0), [call(2, dim=-1), call(2, dim=0)], "dim % op.rank(self)"),
        (((0, 1), (0, 1, 2)), [call(2), call(3)], "list(range(op.rank(self)))"),
        (((0,), (0, 1)), [call(2, dim=0), call(2, dim=(0, 1))], "[dim] if isinstance(dim, int) else dim"),
        (
            ((0, 2), (1, 2)),
            [call(3, dim=1), call(3, dim=0)],
            "[axis for axis in range(op.rank(self)) if axis != dim % op.rank(self)]",
        ),
        ((float("nan"), float("nan")), [call(2), call(2)], "math.nan"),
        ((0.0, 2.5), [call(2, p=None), call(2, p=2.5)], "0.0 if p is None else p"),
        ((3.4028234663852886e38,), [call(2)], "torch.finfo(op.dtype(self)).max"),
    ],
)  # fmt: skip
def test_constants_are_explained(values: Sequence[Item], calls: list[Trace], text: str) -> None:
    assert explained(values, calls) == Said(text)


def test_a_constant_that_nothing_explains_is_none() -> None:
    assert explained((1.0, 7.0), [call(2, p=1.0), call(2, p=2.0)]) is None


def test_truth_values_are_no_numbers() -> None:
    assert explained((True, False), [call(2, p=1), call(2, p=0)]) != Said("p")


def test_calls_of_the_same_steps_are_one_block() -> None:
    tree = merged([trace(step("x", "mul", SELF, p), p=p) for p in (2.0, 3.0)])

    assert tree == Block((step("step0", "mul", SELF, Said("p")),), (Ref("step0"),))


def test_calls_part_ways_by_an_argument_behind_the_steps_that_they_share() -> None:
    shared = step("x", "abs", SELF)
    calls = [trace(shared, step("y", "exp", Ref("x")), mode=0), trace(shared, step("y", "log", Ref("x")), mode=1)]

    tree = merged(calls)

    assert isinstance(tree, Choice)
    assert [s.target for s in tree.shared] == ["abs"]
    assert [test for test, _ in tree.branches] == ["mode == 0", "mode == 1"]
    assert tree.otherwise is None


def test_calls_that_differ_without_a_reason_have_no_tree() -> None:
    assert merged([trace(step("x", "exp", SELF)), trace(step("x", "log", SELF))]) is None


def derived(schema: str, *traces: Trace, promoted: tuple[str, ...] = ("self",)) -> Plan | str:
    overload = parse_schema(schema)
    vocabulary = Vocabulary(load_knowledge(), lambda base: (parse_schema(f"{base}(Tensor self) -> Tensor"),))
    traced = Traced(traces, "DEFAULT", promoted)
    return derived_plan(OpName("aten", overload.name.base), [overload], (), traced, vocabulary)


def body(plan: Plan | str) -> str:
    assert isinstance(plan, Plan), plan
    assert plan.strategy is Strategy.DERIVED
    return plan.body.source.partition('"""\n')[2]


def test_the_text_reads_like_an_entry() -> None:
    def steps(reduction: int) -> Trace:
        first = (step("d", "sub", SELF, Ref("target")), step("a", "abs", Ref("d")))
        last = {0: (), 1: (step("m", "mean", Ref("a")),)}[reduction]
        return trace(*first, *last, ranks={"self": 2, "target": 2}, reduction=reduction)

    plan = derived("frob(Tensor self, Tensor target, int reduction=1) -> Tensor", steps(0), steps(1))

    assert body(plan) == textwrap.indent(
        textwrap.dedent("""\
            difference = self - target
            size = op.Abs(difference)
            if reduction == 0:
                return size
            if reduction == 1:
                return mean_over(op, size, axes_of(op, size, None), False)
            op.fail("aten::frob: another reduction has no translation")
        """),
        "    ",
    )


def test_numbers_need_no_name_and_truth_values_count_among_numbers() -> None:
    steps = (
        step("e", "eq", SELF, 0, dtype="bool"),
        step("z", "scalar_tensor", 0.0),
        step("w", "where", Ref("e"), Ref("z"), SELF),
        step("p", "mul", Ref("w"), Ref("e")),
    )

    assert body(derived("frob(Tensor self) -> Tensor", trace(*steps))) == (
        "    is_equal = op.Equal(self, 0)\n"
        "    choice = op.Where(is_equal, op.constant(0.0, like=self), self)\n"
        "    return choice * op.cast(is_equal, like=self)\n"
    )


def test_an_entry_serves_as_a_helper_for_a_step() -> None:
    plan = derived("frob(Tensor self) -> Tensor", trace(step("d", "digamma", SELF)))

    assert body(plan) == "    return digamma(op, self)\n"
    assert "digamma" in [helper.name for helper in plan.helpers]  # type: ignore[union-attr]


def test_a_step_without_words_is_named() -> None:
    said = derived("frob(Tensor self) -> Tensor", trace(step("x", "frobnicate", SELF)))

    assert said == "torch decomposes it into aten::frobnicate, which there is no translation for"


@pytest.mark.parametrize(
    ("target", "arguments"),
    [("convert_element_type", (SELF,)), ("full", ((Ref("self"),), 0.5)), ("zeros_like", (SELF,))],
)
def test_a_dtype_that_is_another_one_in_other_calls_has_no_words(target: str, arguments: tuple[Item, ...]) -> None:
    """It may be what an argument names, as in aten::_to_copy."""
    calls = [trace(step("x", target, *arguments, dtype=dtype)) for dtype in ("float32", "int64", "bool")]

    said = derived("frob(Tensor self) -> Tensor", *calls)

    assert said == f"torch decomposes it into aten::{target}, which there is no translation for"


def test_an_argument_that_changes_nothing_is_left_aside_and_one_that_never_varied_is_guarded() -> None:
    calls = [trace(step("x", "abs", SELF), eager=eager, mode="r") for eager in (True, False)]

    plan = derived('frob(Tensor self, bool eager=True, str mode="r") -> Tensor', *calls)

    assert isinstance(plan, Plan)
    assert isinstance(plan.dispositions["eager"], Ignored)
    assert plan.dispositions["mode"] == Guarded("'r'")


def test_overloads_that_disagree_have_no_plan() -> None:
    overloads: list[AtenSchema] = [
        parse_schema("frob(Tensor self, int n) -> Tensor"),
        parse_schema("frob.list(Tensor self, int[] sizes) -> Tensor"),
    ]
    vocabulary = Vocabulary(load_knowledge(), lambda base: ())

    assert "disagree" in str(derived_plan(OpName("aten", "frob"), overloads, (), Traced(), vocabulary))
