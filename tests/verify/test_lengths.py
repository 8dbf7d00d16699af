"""Numbers that are lengths of inputs: calls are made of them, and a translation takes them or says which it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from symgen.config import Target
from symgen.model.names import OpName
from symgen.model.result import SampleResult, Verdict
from symgen.model.sample import Length, SampleSpec, TensorSpec
from symgen.render.reproductions import Reproduction, render_reproduction
from symgen.render.samples import argument_code
from symgen.verify import Verification, VerifyTask
from symgen.verify.calls import make_call
from symgen.verify.exported_plan import cases_of
from symgen.verify.lengths import calls_with_lengths, is_refused_length, names_of_lengths, refused_lengths
from symgen.verify.plan import chosen_samples
from symgen.verify.samples_as_json import sample_from_json, sample_to_json

from . import modules

Verified = Callable[[VerifyTask], Verification]

X = TensorSpec((3, 4))
(ROLL,) = modules.schemas_of("roll")
(ADDMV,) = modules.schemas_of("addmv")
TASK = VerifyTask("aten::roll", (ROLL,), ((18, ""),), (18, 19, 20))
MEASURED = SampleSpec("", (X, (Length(2),), (1,)))


def roll(*shifts: int | Length, tensor: TensorSpec = X) -> SampleSpec:
    return SampleSpec("", (tensor, shifts, tuple(range(len(shifts)))))


def of_roll(*samples: SampleSpec) -> tuple[SampleSpec, ...]:
    return calls_with_lengths(ROLL, samples, lambda _: True)


def test_numbers_become_lengths_and_further_ones_follow_for_the_same_export() -> None:
    calls = of_roll(roll(2))
    assert calls[:4] == (roll(Length(2)), roll(Length(3)), roll(Length(4)), roll(Length(5)))
    assert names_of_lengths(calls[0], ROLL) == ("shifts",)
    assert str(calls[0]) == "default(f32[3,4], [a length of 2], [0])"


def test_what_torch_export_takes_for_fixed_is_no_length() -> None:
    """And neither is an axis, which has to be known."""
    assert of_roll(roll(1), roll(0), roll(-2)) == ()
    assert {call.positional[1:] for call in of_roll(roll(7, -1))[:1]} == {((Length(7), -1), (0, 1))}


def test_plain_samples_come_first_and_a_call_that_torch_refuses_is_none() -> None:
    half = roll(5, tensor=TensorSpec((3, 4), "float16"))
    assert {call.dtypes for call in of_roll(half, roll(2))} == {("float32",)}
    assert of_roll(half) != ()
    assert calls_with_lengths(ROLL, [roll(2)], lambda _: False) == ()


def test_each_argument_gets_lengths_and_then_all_at_once() -> None:
    plain = SampleSpec("", (X, TensorSpec((3, 4)), TensorSpec((4,))), (("beta", 2), ("alpha", 3)))
    names = {names_of_lengths(call, ADDMV) for call in calls_with_lengths(ADDMV, [plain], lambda _: True)}
    assert names == {("beta",), ("alpha",), ("beta", "alpha")}


def test_only_a_script_hands_on_a_number_that_is_declared_as_one() -> None:
    """It may be refused without a word: nobody expects an axis to be a length. But it is not taken for nothing."""
    axis = SampleSpec("", (X, (0,), (2,)))
    assert of_roll(axis) == ()
    calls = calls_with_lengths(ROLL, [axis], lambda _: True, is_scripted=True)
    assert {names_of_lengths(call, ROLL) for call in calls} == {("dims",)}
    assert refused_lengths([(calls[0], result(Verdict.REFUSED, "no"))], [ROLL]) == ()


def test_a_length_is_another_value_than_its_number() -> None:
    assert roll(Length(2)) != roll(2)
    assert sample_from_json(json.loads(json.dumps(sample_to_json(MEASURED)))) == MEASURED
    assert MEASURED.has_lengths
    assert MEASURED.tensors == (X,)
    assert MEASURED.with_lengths(lambda length: Length(length.number + 1)).inputs == (X, Length(3))


@pytest.mark.parametrize("target", Target)
def test_they_are_exported_with_dynamic_axes_and_apart_from_the_others(target: Target) -> None:
    task = VerifyTask(TASK.op, TASK.schemas, TASK.modules, TASK.opsets, target=target)
    samples = (roll(2), roll(1), *of_roll(roll(2)))
    measured = [case for case in cases_of(task, samples) if any(sample.has_lengths for sample in case.samples)]
    assert all(sample.has_lengths for case in measured for sample in case.samples)
    assert {case.label for case in measured} == {
        "scripted+dynamic" if target is Target.TORCHSCRIPT else "exported+dynamic"
    }
    assert not any(sample.has_lengths for sample in chosen_samples(task, samples))


def test_the_module_takes_lengths_from_further_inputs() -> None:
    call = make_call(OpName("aten", "roll"), [ROLL], MEASURED)
    assert [tuple(x.shape) for x in call.inputs] == [(3, 4), (2,)]
    assert len(call.tensors) == 1
    x, _ = call.inputs
    assert torch.equal(call.module()(x, torch.ones(3)), torch.roll(x, 3, 1))
    assert torch.equal(call.eager()[0], torch.roll(x, 2, 1))


def result(verdict: Verdict, detail: str = "") -> SampleResult:
    return SampleResult("roll", "float32", 18, "exported+dynamic", verdict, detail)


def test_a_refusal_is_told_apart_and_so_is_what_torchs_own_functions_stumble_over() -> None:
    refused, failed = result(Verdict.REFUSED, "shifts has to be known"), result(Verdict.EXPORT_ERROR)
    assert is_refused_length(MEASURED, refused, is_torchs=False)
    assert is_refused_length(MEASURED, failed, is_torchs=True)
    assert not is_refused_length(MEASURED, failed, is_torchs=False)
    assert not is_refused_length(MEASURED, result(Verdict.WRONG_VALUE), is_torchs=True)
    assert not is_refused_length(roll(2), refused, is_torchs=False)


def test_what_torch_export_refuses_is_not_the_translations() -> None:
    of_torch = result(Verdict.REFUSED, "torch.export: a guard"), result(Verdict.REFUSED, "the exporter fails in a pass")
    assert refused_lengths([(MEASURED, one) for one in of_torch], [ROLL]) == ()
    assert refused_lengths([(MEASURED, result(Verdict.REFUSED, "no"))], [ROLL]) == ("shifts",)


def test_arguments_are_named_together_only_where_none_is_refused_alone() -> None:
    tensors = (X, TensorSpec((3, 4)), TensorSpec((4,)))
    alone = SampleSpec("", tensors, (("beta", Length(2)), ("alpha", 3)))
    both = SampleSpec("", tensors, (("beta", Length(2)), ("alpha", Length(3))))
    refused = result(Verdict.REFUSED, "no")
    assert refused_lengths([(alone, refused), (both, refused)], [ADDMV]) == ("beta",)
    assert refused_lengths([(both, refused)], [ADDMV]) == ("beta and alpha",)


def test_a_function_that_says_so_is_proven_all_the_same(verified: Verified) -> None:
    seen = verified(modules.task_for("tril", modules.TRIL, first=14))
    assert seen.evidence.is_proof
    assert seen.evidence.refused_lengths == ("diagonal",)
    assert seen.evidence.refused == ()
    assert not any(sample.has_lengths for sample in (*seen.samples.samples, *seen.proven, *seen.refused))


@pytest.mark.parametrize(
    ("old", "new"),
    [('        raise errors.SymbolicValueError("diagonal has to be known at export", diagonal)', "        known = 0")],
    ids=["a length taken for none"],
)
def test_one_that_takes_a_length_for_something_else_is_not(verified: Verified, old: str, new: str) -> None:
    assert old in modules.TRIL
    evidence = verified(modules.task_for("tril", modules.TRIL.replace(old, new), first=14)).evidence
    assert {failure.verdict for failure in evidence.failures} == {Verdict.WRONG_VALUE}
    assert all("a length of" in failure.sample for failure in evidence.failures)


@pytest.mark.parametrize("mode", ["scripted+dynamic", "traced"])
def test_a_reproduction_takes_it_from_an_input(mode: str, tmp_path: Path) -> None:
    seen = SampleResult("s", "float32", 17, mode, Verdict.WRONG_VALUE)
    text = render_reproduction(Reproduction(OpName("aten", "tril"), SampleSpec("", (X, Length(2))), seen))
    assert "torch.ops.aten.tril(x0, x1.shape[0])" in text
    (tmp_path / "tril.py").write_text(text)
    done = subprocess.run([sys.executable, "-W", "ignore", "tril.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert argument_code(Length(2), str) == "2"
