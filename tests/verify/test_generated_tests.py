"""What is generated as a test passes beside a right function and fails beside a wrong one, without symgen or OpInfo."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symgen.merge.apply import merge_module
from symgen.model.names import OpName
from symgen.model.sample import DType, Recipe, SampleSpec, TensorSpec
from symgen.render.round_trip_tests import RoundTripTest, render_test_definitions, render_test_file
from symgen.render.samples import group_samples, main_dtype, render_sample
from symgen.verify import Pool, Verification, VerifyTask, verify

from . import modules

Verified = Callable[[VerifyTask], Verification]
RunTests = Callable[[str, str, int, str], "subprocess.CompletedProcess[str]"]

MUTATIONS = [
    ("hypot", modules.HYPOT, 11, '"Greater", a, b), b, a', '"Greater", a, b), a, a'),
    ("hypot", modules.HYPOT, 11, 'g.op("Where", infinite, inf, result)', "result"),
    ("hypot", modules.HYPOT, 11, "(0.0, 1.0,", "(0.0, 1.001,"),
    ("huber_loss", modules.HUBER_LOSS, 15, "reduction == 1", "reduction == 0"),
    ("huber_loss", modules.HUBER_LOSS, 15, "_constant(g, delta, kind)", "_constant(g, 1.0, kind)"),
    ("huber_loss", modules.HUBER_LOSS, 15, '"Sub", a, b', '"Add", a, b'),
    ("median", modules.MEDIAN, 13, "return values, indices", "return indices, values"),
    ("median", modules.MEDIAN, 13, "if not keep", "if keep"),
    ("median", modules.MEDIAN, 13, "axis_i=axis, largest_i=0", "axis_i=-1, largest_i=0"),
    ("median", modules.MEDIAN, 13, 'raise errors.SymbolicValueError("the median of all', 'return input; ValueError("'),
    ("sinh", modules.SINH, 9, 'to_i=back', "to_i=1"),
    ("sinh", modules.SINH, 9, modules.SINH, modules.CONSTANT),
]  # fmt: skip


@pytest.fixture(scope="module")
def verified_once(pool: Pool) -> Verified:
    """Verifies each task once in this file."""
    return functools.cache(lambda task: verify(task, pool=pool))


@pytest.fixture
def run_tests(verified_once: Verified, tmp_path: Path) -> RunTests:
    """Lays out a package and its generated test as `new` does, breaks the package, and runs the test from elsewhere."""

    def run(name: str, source: str, first: int, broken: str) -> subprocess.CompletedProcess[str]:
        verification = verified_once(modules.task_for(name, source, first=first))
        test = RoundTripTest(
            op=OpName("aten", name),
            opsets=verification.ends,
            samples=verification.proven,
            refused=verification.refused,
            summary=modules.SCHEMAS[name][0],
            same=verification.same,
        )
        module = render_test_file(test, first, "symbolics", "..")
        text = merge_module(None, module, path="test_symbolic_opset.py").after
        (tmp_path / "tests").mkdir()
        (tmp_path / "tests" / f"test_symbolic_opset{first}.py").write_bytes(text)
        (tmp_path / "symbolics").mkdir()
        head = modules.HEAD.replace("opset=9", f"opset={first}")
        (tmp_path / "symbolics" / "__init__.py").write_text(head + broken)
        (tmp_path / "elsewhere").mkdir()
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=line", str(tmp_path / "tests")],
            cwd=tmp_path / "elsewhere",
            env={**os.environ, "PYTHONPATH": ""},
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run


@pytest.mark.parametrize(
    ("name", "source", "first"),
    [("hypot", modules.HYPOT, 11), ("huber_loss", modules.HUBER_LOSS, 15), ("median", modules.MEDIAN, 13)],
)
def test_passes_beside_a_right_function(run_tests: RunTests, name: str, source: str, first: int) -> None:
    done = run_tests(name, source, first, source)
    assert done.returncode == 0, done.stdout
    assert "warning" not in done.stdout


@pytest.mark.parametrize(("name", "source", "first", "old", "new"), MUTATIONS)
def test_fails_beside_a_wrong_one(run_tests: RunTests, name: str, source: str, first: int, old: str, new: str) -> None:
    assert old in source
    done = run_tests(name, source, first, source.replace(old, new))
    assert done.returncode == 1, done.stdout


def test_samples_as_code() -> None:
    spec = SampleSpec(
        "dim",
        (
            TensorSpec((3, 4)),
            TensorSpec((), "int64", Recipe("uniform", 0, 2)),
            (TensorSpec((2,), recipe=Recipe("edges")), TensorSpec((2,), layout="strided")),
            (0, -1),
            float("-inf"),
            None,
        ),
        (("dtype", DType("float64")), ("mode", "it's")),
    )
    assert render_sample(spec, "float32") == (
        "sample(make(3, 4), make(dtype=torch.int64, low=0, high=2), [edges(2), make(2, layout='strided')], [0, -1],"
        ' float("-inf"), None, dtype=torch.float64, mode="it\'s")'
    )


def test_stored_values_stand_in_the_code() -> None:
    import base64
    import struct

    data = base64.b64encode(struct.pack("=4f", 1.0, 2.5, float("nan"), float("inf"))).decode()
    spec = SampleSpec("", (TensorSpec((2, 2), "float32", Recipe("stored", data=data)),))
    assert render_sample(spec, "float32") == 'sample(given([[1.0, 2.5], [float("nan"), float("inf")]]))'


def test_samples_that_differ_in_the_dtype_only_stand_once() -> None:
    samples = [SampleSpec("", (TensorSpec((3,), dtype),)) for dtype in ("float32", "float64")]
    samples.append(SampleSpec("", (TensorSpec((3, 4)),)))
    groups = group_samples(OpName("aten", "sinh"), samples)
    assert [(group.dtypes, group.samples) for group in groups] == [
        (("float32", "float64"), ("sample(make(3))",)),
        (("float32",), ("sample(make(3, 4))",)),
    ]


def test_the_main_dtype_is_the_most_frequent() -> None:
    mask, values = TensorSpec((3,), "bool"), TensorSpec((3,), "float16")
    assert main_dtype(SampleSpec("", (mask, values, values))) == "float16"
    assert main_dtype(SampleSpec("", ())) == "float32"


def test_only_the_helpers_that_are_needed_come_along() -> None:
    test = RoundTripTest(OpName("aten", "sinh"), (9, 20), (SampleSpec("", (TensorSpec((3,)),)),))
    names = {definition.name for definition in render_test_definitions(test)}
    assert {"test_sinh", "round_trip", "export", "load", "tensor"} <= names
    assert not {"edges", "given", "refuse", "same_distribution"} & names


def test_a_property_is_asked_only_where_values_differ() -> None:
    import torch

    test = RoundTripTest(OpName("aten", "median"), (11, 20), (SampleSpec("", (TensorSpec((3,)),)),), same="anything")
    source = next(one.source for one in render_test_definitions(test) if one.name == "assert_same")
    space: dict[str, Any] = {"torch": torch}
    exec(f"from __future__ import annotations\n{source}", space)
    ones, asked = [torch.ones(2)], []

    def never(*given: object) -> str:
        asked.append(given)
        return "wrong"

    space["assert_same"]([], ones, ones, never)
    assert not asked
    with pytest.raises(AssertionError):
        space["assert_same"]([], ones, [torch.zeros(2)], never)
    assert asked


def test_what_gives_a_number_is_called_through_a_script() -> None:
    pair = SampleSpec("", (TensorSpec((3,)), TensorSpec((3,))))
    test = RoundTripTest(OpName("aten", "equal"), (11, 20), (pair,), untraced=("",))
    definitions = {definition.name: definition.source for definition in render_test_definitions(test)}
    assert "through_script(torch.ops.aten.equal.default)" in definitions["test_equal"]
    assert "through_script" in definitions


def test_a_script_makes_a_tensor_of_a_number() -> None:
    import torch

    from symgen.verify.roundtrip import call_module, through_script

    near = through_script(torch.ops.aten.allclose.default)
    x, y = torch.ones(3), torch.full((3,), 1.1)
    assert (near(x, y).item(), near(x, y, rtol=0.5).item()) == (False, True)
    traced = torch.jit.trace(call_module(near, [x, y], {}), (x, y))
    assert "aten::allclose" in str(traced.inlined_graph)
