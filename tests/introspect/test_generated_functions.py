"""What torchgen makes of functions with an `autogen:` line: the same schemas as torchgen's own, and as torch has."""

from __future__ import annotations

import math

import pytest

from symgen.config import Config
from symgen.coverage import forward_operators
from symgen.errors import UnknownNameError
from symgen.introspect.aten_schemas import parse_schema
from symgen.introspect.catalogue import Catalogue
from symgen.introspect.native_functions import parse_native_functions
from symgen.introspect.torch_install import TorchInstall
from symgen.model.names import parse_op_name
from symgen.model.schema import Argument, AtenSchema
from symgen.sources import Sources, load_sources

FUNCTIONALS = {
    "_batch_norm_with_update_functional",
    "_fused_moving_avg_obs_fq_helper_functional",
    "_native_batch_norm_legit_functional",
    "rrelu_with_noise_functional",
}


@pytest.fixture(scope="module")
def sources(_own_caches: None) -> Sources:
    return load_sources(Config())


@pytest.fixture(scope="module")
def generated(catalogue: Catalogue) -> dict[str, AtenSchema]:
    """All schemas by full name."""
    bases = catalogue.functions.generated
    schemas = [schema for base in bases for schema in catalogue.functions.generated_overloads(base)]
    by_name = {str(schema.name): schema for schema in schemas}
    assert len(by_name) == len(schemas)
    return by_name


def test_they_are_those_that_torchgen_makes(generated: dict[str, AtenSchema], install: TorchInstall) -> None:
    gen = pytest.importorskip("torchgen.gen")
    path = install.native_functions
    every = gen.parse_native_yaml(str(path), str(path.with_name("tags.yaml"))).native_functions
    theirs = {f"aten::{one.func.name}": one for one in every if "generated" in one.tags}
    assert {name: str(schema) for name, schema in generated.items()} == {
        name: str(one.func) for name, one in theirs.items()
    }
    for name, schema in generated.items():
        assert set(schema.tags) <= theirs[name].tags, schema
        assert set(schema.variants) == {variant.name for variant in theirs[name].variants}
        assert not schema.composite_implicit
        assert not schema.structured_delegate


def test_they_are_those_that_torch_has(generated: dict[str, AtenSchema]) -> None:
    torch = pytest.importorskip("torch")
    for name, schema in generated.items():
        packet = getattr(torch.ops.aten, schema.name.base)
        live = parse_schema(str(getattr(packet, schema.name.overload or "default")._schema).rstrip())
        assert str(live.name) == name
        assert live.returns == schema.returns, name
        for ours, theirs in zip(schema.arguments, live.arguments, strict=True):
            assert (ours.name, ours.type, ours.keyword_only, ours.alias) == (
                theirs.name, theirs.type, theirs.keyword_only, theirs.alias,
            ), name  # fmt: skip
            assert has_default_of(ours, theirs), (name, ours, theirs)


def has_default_of(ours: Argument, theirs: Argument) -> bool:
    """Whether defaults are the same; torch has names as numbers, and numbers for lists as lists."""
    if ours.default is None or theirs.default is None or ours.default_value is ...:
        return (ours.default is None) == (theirs.default is None)
    one, other = ours.default_value, theirs.default_value
    one = (one,) * len(other) if isinstance(other, tuple) and not isinstance(one, tuple) else one
    return bool(math.isclose(one, other) if isinstance(one, float) else one == other)


def test_what_is_written_into_comes_last_among_the_results(catalogue: Catalogue) -> None:
    (schema,) = catalogue.overloads_reaching(parse_op_name("_native_batch_norm_legit_functional"))
    assert str(schema) == (
        "_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, "
        "Tensor running_var, bool training, float momentum, float eps) -> "
        "(Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)"
    )
    (origin, *_) = catalogue.operator(parse_op_name("_native_batch_norm_legit")).overloads
    assert schema.location == origin.location


def test_only_new_names_are_new_operators(catalogue: Catalogue) -> None:
    assert set(catalogue.functions.functionals) == FUNCTIONALS
    for name in map(parse_op_name, FUNCTIONALS):
        assert name in catalogue
        assert catalogue.is_native(name)
        assert catalogue.arrives_as(name).op == name
    # What a name has in place, or beside its overloads, stays as it is declared.
    assert [str(schema.name) for schema in catalogue.overloads_reaching(parse_op_name("uniform"))] == ["aten::uniform_"]
    assert "aten::bernoulli.Tensor" not in map(str, catalogue.overloads_reaching(parse_op_name("bernoulli")))


def test_nobody_calls_them_so_that_no_count_has_them(catalogue: Catalogue, sources: Sources) -> None:
    assert not FUNCTIONALS & {name.base for name in catalogue}
    assert not FUNCTIONALS & {name.base for name in forward_operators(sources)}


@pytest.mark.parametrize(
    ("name", "arrives_as"),
    [
        ("native_dropout.out", "native_dropout"),
        ("_native_batch_norm_legit_no_training.out", "_native_batch_norm_legit_no_training"),
        ("uniform.out", "uniform"),
    ],
)
def test_overloads_with_out_are_found_by_name_alone(catalogue: Catalogue, name: str, arrives_as: str) -> None:
    asked = parse_op_name(name)
    (schema,) = catalogue.operator(asked).overloads
    assert schema.is_out
    arrival = catalogue.arrives_as(asked)
    assert (arrival.op.base, arrival.reason) == (
        arrives_as,
        f"a call with out= reaches the exporter as aten::{arrives_as}",
    )
    assert schema not in catalogue.operator(asked.without_overload()).overloads


def test_a_name_close_to_one_is_found(catalogue: Catalogue) -> None:
    with pytest.raises(UnknownNameError, match="aten::rrelu_with_noise_functional"):
        catalogue.operator(parse_op_name("rrelu_with_noise_functionals"))


SMALL = """\
- func: keep(Tensor self) -> Tensor
  autogen: keep.out

- func: step(Tensor(a!) self, Tensor(b!)[] state) -> (Tensor, int)
  dispatch:
    CPU: step
  autogen: step_functional, step.out

- func: make(int n, *, ScalarType? dtype, Layout? layout, Device? device, bool? pin_memory, int m=0) -> Tensor
  dispatch:
    CPU: make
  tags: nondeterministic_seeded
  autogen: make.out
"""


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("keep", []),
        ("step", ["step.out(Tensor(a!) self, Tensor(b!)[] state, *, Tensor(c!) out0) -> int"]),
        (
            "step_functional",
            ["step_functional(Tensor self, Tensor[] state) -> (Tensor, int, Tensor self_out, Tensor[] state_out)"],
        ),
        ("make", ["make.out(int n, *, int m=0, Tensor(a!) out) -> Tensor(a!)"]),
    ],
)
def test_the_rules(base: str, expected: list[str]) -> None:
    functions = parse_native_functions(SMALL, "f.yaml")
    assert [str(schema) for schema in functions.generated_overloads(base)] == expected
    assert functions.functionals == ("step_functional",)
    assert all("generated" in schema.tags for schema in functions.generated_overloads(base))
