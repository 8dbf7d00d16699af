"""What people asked for, from the command to the exported model."""

from __future__ import annotations

from pathlib import Path

import pytest

from stories import Story, lay_out

GATE = '''\
import torch


class ErfcxGate(torch.autograd.Function):
    """Gate built on the scaled complementary error function."""

    @staticmethod
    def forward(ctx, signal, slope):
        ctx.save_for_backward(signal)
        ctx.slope = slope
        return signal * torch.special.erfcx(signal * slope)

    @staticmethod
    def backward(ctx, grad):
        (signal,) = ctx.saved_tensors
        return grad * torch.special.erfcx(signal * ctx.slope), None


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = torch.nn.Linear(4, 4)

    def forward(self, x):
        return ErfcxGate.apply(self.proj(x), 0.25).relu()


torch.manual_seed(0)
model = Net().eval()
inputs = (torch.randn(2, 4),)
'''
MASKED = """\
import torch


class MaskedScale(torch.autograd.Function):
    @staticmethod
    def forward(values, mask, factor=1.5, axes=(0, 1), tag=None):
        out = values * factor
        if mask is not None:
            out = out * mask
        return out

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.mask, ctx.factor, _, _ = inputs


class WithMask(torch.nn.Module):
    def forward(self, v, m):
        return MaskedScale.apply(v, m, 2.0, (1, 0), "a")


class WithoutMask(torch.nn.Module):
    def forward(self, v):
        return MaskedScale.apply(v, None, 2.0, (1, 0), None)


v = torch.randn(3, 5)
m = (torch.rand(3, 5) > 0.5).float()
with_mask, without_mask = (WithMask(), (v, m)), (WithoutMask(), (v,))
"""
ROWS = """\
import torch


class TopRows(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, keep):
        idx = torch.argsort(scores.norm(dim=1), descending=True)[:keep]
        return scores[idx], idx
{symbolic}

class Net(torch.nn.Module):
    def forward(self, x):
        rows, idx = TopRows.apply(x, 2)
        return rows + 1, idx


model = Net().eval()
inputs = (torch.randn(5, 3),)
"""
OWN_SYMBOLIC = """
    @staticmethod
    def symbolic(g, scores, keep):
        return g.op("rowlib::TopRows", scores, keep_i=keep)
"""
BLEND = """\
from typing import List, Optional, Tuple

import torch


@torch.library.custom_op("imgkit::shift_blend", mutates_args=())
def shift_blend(
    image: torch.Tensor,
    offsets: List[int],
    mode: str = "wrap",
    other: Optional[torch.Tensor] = None,
    weight: float = 0.5,
    clamp: bool = False,
) -> Tuple[torch.Tensor, torch.Tensor]:
    moved = torch.roll(image, tuple(offsets), dims=tuple(range(-len(offsets), 0)))
    out = (image if other is None else other) * (1 - weight) + moved * weight
    return (out.clamp(0, 1) if clamp else out), moved.amax(dim=(-2, -1))


@shift_blend.register_fake
def _(image, offsets, mode="wrap", other=None, weight=0.5, clamp=False):
    return torch.empty_like(image), image.new_empty(image.shape[:-2])


class Net(torch.nn.Module):
    def forward(self, x, y=None):
        a, peak = torch.ops.imgkit.shift_blend(x, [1, 2], other=y, clamp=True)
        return a.mean(-1), peak.unsqueeze(-1)


model = Net().eval()
x = torch.rand(2, 4, 6)
inputs = (x,)
"""
STUB = """\
from typing import List, Optional, Tuple
from torch import Tensor

def shift_blend(
    image: Tensor, offsets: List[int], mode: str = "wrap", other: Optional[Tensor] = None, weight: float = 0.5,
    clamp: bool = False,
) -> Tuple[Tensor, Tensor]: ...
"""
FLOAT = 1
INT64 = 7


def test_a_class_becomes_one_node_with_its_option_as_attribute(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {"user_mod.py": GATE})
    printed = story.symgen("new", "user_mod:ErfcxGate", "--domain", "my.domain", "--version", "3")
    assert 'custom_opsets={"my.domain": 3}' in printed
    lines = iter(story.read().splitlines())
    assert all(line in lines for line in GATE.splitlines()), "a line was changed"
    exported = story.export({"my.domain": 3})
    assert exported.of("my.domain") == [("ErfcxGate", [True], 1, {"slope": 0.25})]
    assert exported.outputs == [[FLOAT, [2, 4]]]
    assert exported.domains["my.domain"] == 3
    after = story.read()
    story.symgen("new", "user_mod:ErfcxGate", "--domain", "my.domain", "--version", "3")
    assert story.read() == after


def test_absent_tensors_and_options_are_left_out(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {"user_mod.py": MASKED})
    story.symgen("new", "user_mod:MaskedScale", "--domain", "msk")
    given = story.export({"msk": 1}, model="story.with_mask")
    assert given.of("msk") == [("MaskedScale", [True, True], 1, {"factor": 2.0, "axes": [1, 0], "tag": "a"})]
    absent = story.export({"msk": 1}, model="story.without_mask")
    assert absent.of("msk") == [("MaskedScale", [True], 1, {"factor": 2.0, "axes": [1, 0]})]
    assert given.outputs == absent.outputs == [[FLOAT, [3, 5]]]
    axes = story.export(
        {"msk": 1}, model="story.without_mask", options={"input_names": ["v"], "dynamic_axes": {"v": [0]}}
    )
    assert axes.outputs[0][1][0] != 3, "a dynamic axis became fixed"


def test_two_results_have_their_types_and_a_symbolic_of_the_users_is_left_alone(tmp_path: Path) -> None:
    own = ROWS.format(symbolic=OWN_SYMBOLIC)
    story = lay_out(tmp_path, {"user_mod.py": own})
    assert "TopRows.symbolic is there already" in story.symgen(
        "new", "user_mod:TopRows", "--domain", "rowlib", status=1
    )
    assert story.read() == own
    story = lay_out(tmp_path, {"user_mod.py": ROWS.format(symbolic="")})
    story.symgen("new", "user_mod:TopRows", "--domain", "rowlib")
    exported = story.export({"rowlib": 1})
    assert exported.of("rowlib") == [("TopRows", [True], 2, {"keep": 2})]
    assert exported.outputs == [[FLOAT, [2, 3]], [INT64, [2]]]


def test_what_was_written_is_taken_out_again(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {"user_mod.py": GATE, "ops.pyi": STUB})
    own = ["user_mod:ErfcxGate", "imgkit::shift_blend"]
    story.symgen("new", *own, "--pyi", "ops.pyi", "--domain", "d.e", "--no-verify")
    assert "def shift_blend" in story.read("symbolics/imgkit.py")
    story.symgen("new", "--remove", *own)
    assert story.read() == GATE
    assert "def shift_blend" not in story.read("symbolics/imgkit.py")


def test_a_callable_is_refused_by_the_parameters_name(tmp_path: Path) -> None:
    text = (
        "import torch\n\n\nclass Rerun(torch.autograd.Function):\n    @staticmethod\n"
        "    def forward(ctx, block, keep_rng, *tensors):\n        return block(*tensors)\n"
    )
    story = lay_out(tmp_path, {"user_mod.py": text})
    assert "parameter block of Rerun" in story.symgen("new", "user_mod:Rerun", "--domain", "d", status=1)
    assert story.read() == text


def test_a_class_that_may_not_be_edited_gets_its_function_in_the_package(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {"user_mod.py": ROWS.format(symbolic="")})
    story.symgen("new", "user_mod:TopRows", "--domain", "rowlib", "--no-edit")
    assert story.read() == ROWS.format(symbolic="")
    exported = story.export({"rowlib": 1}, package=True)
    assert exported.of("rowlib") == [("TopRows", [True], 2, {"keep": 2})]


def test_a_class_called_in_a_scripted_branch_is_left_as_it_is(tmp_path: Path) -> None:
    text = ROWS.format(symbolic="") + (
        "\n\ntraced = torch.jit.trace(model, inputs)\n\n\nclass Branch(torch.nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.inner = traced\n\n"
        "    def forward(self, x, use: bool):\n        if use:\n            x = self.inner(x)[0]\n        return x\n"
        "\n\nbranch = torch.jit.script(Branch())\n"
    )
    story = lay_out(tmp_path, {"user_mod.py": text})
    assert "scripted branch or loop of branch" in story.symgen("new", "user_mod:TopRows", "--domain", "d", status=1)
    assert story.read() == text


def test_without_a_domain_forward_is_translated_and_what_torch_lacks_is_written_too(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {"user_mod.py": GATE})
    printed = story.symgen("new", "user_mod:ErfcxGate")
    assert "aten::special_erfcx: verified" in printed
    exported = story.export({}, package=True)
    assert {domain for domain, *_ in exported.nodes} == {""}
    assert story.run(_COMPARE).split()[-1] == "close"


def test_where_there_is_no_translation_a_domain_is_asked_for(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {"user_mod.py": ROWS.format(symbolic="")})
    assert "say --domain" in story.symgen("new", "user_mod:TopRows", status=1)
    assert story.read() == ROWS.format(symbolic="")


@pytest.mark.parametrize("source", [("--import", "user_mod"), ("--pyi", "ops.pyi")])
def test_a_custom_operator_becomes_one_node(tmp_path: Path, source: tuple[str, str]) -> None:
    story = lay_out(tmp_path, {"user_mod.py": BLEND, "ops.pyi": STUB})
    printed = story.symgen("new", "imgkit::shift_blend", *source, "--domain", "imgkit.ops", "--version", "2")
    assert 'custom_opsets={"imgkit.ops": 2}' in printed
    assert 'custom_opsets={"imgkit.ops": 2}' in story.read("symbolics/imgkit.py")
    exported = story.export({"imgkit.ops": 2}, package=True)
    attributes = {"offsets": [1, 2], "mode": "wrap", "weight": 0.5, "clamp": 1}
    assert exported.of("imgkit.ops") == [("ShiftBlend", [True], 2, attributes)]
    assert exported.outputs == [[FLOAT, [2, 4]], [FLOAT, [2, 1]]]
    assert exported.domains["imgkit.ops"] == 2
    both = story.export({"imgkit.ops": 2}, package=True, model="story.model, (story.x, story.x + 1)")
    assert both.of("imgkit.ops") == [("ShiftBlend", [True, True], 2, attributes)]
    _passes(story, "tests/test_imgkit.py")


def test_what_names_and_files_say_is_never_run_or_written_as_code(tmp_path: Path) -> None:
    text = repr("'''" + '"' * 3 + "); import os#")
    stub = "from torch import Tensor\nimport os\nos.system('touch ran')\n"
    stub += f"def f(x: Tensor, s: str = {text}) -> Tensor: ...\n"
    story = lay_out(tmp_path, {"ops.pyi": stub})
    story.symgen("new", "ns::f", "--pyi", "ops.pyi", "--domain", "d.e")
    assert not (tmp_path / "ran").exists()
    compile(story.read("symbolics/ns.py"), "ns.py", "exec")
    for name in ("ns::f'", "ns::f;x", "ns::../f", "a b::f"):
        story.symgen("new", name, "--pyi", "ops.pyi", "--domain", "d.e", status=2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ns::f", "--domain", "d"], "say --pyi FILE"),
        (["ns::f", "--pyi", "ops.pyi"], "say --domain"),
        (["ns::g", "--pyi", "ops.pyi", "--domain", "d"], "no operator ns::g"),
        (["ns::twice", "--pyi", "ops.pyi", "--domain", "d"], "declared 2 times"),
        (["ns::f", "--import", "nowhere", "--domain", "d"], "cannot be imported"),
        (["ns::f", "--pyi", "ops.pyi", "--domain", "ai.onnx"], "not free"),
        (["aten::hypot", "--domain", "d"], "--domain is for"),
        (["mod:Nothing", "--domain", "d"], "no module mod"),
    ],
)
def test_what_is_missing_is_said_before_anything_is_written(tmp_path: Path, arguments: list[str], said: str) -> None:
    stub = "from torch import Tensor\ndef f(x: Tensor) -> Tensor: ...\n"
    stub += "def twice(x: Tensor) -> Tensor: ...\ndef twice(x: Tensor, y: Tensor) -> Tensor: ...\n"
    story = lay_out(tmp_path, {"ops.pyi": stub})
    assert said in story.symgen("new", *arguments, status=2)
    assert [path.name for path in tmp_path.iterdir()] == ["ops.pyi"]


def _passes(story: Story, test: str) -> None:
    story.run(f"import sys, pytest; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', {test!r}]))")


_COMPARE = """
import io, warnings
warnings.filterwarnings("ignore")
import onnxruntime, symbolics, torch, user_mod
buffer = io.BytesIO()
torch.onnx.export(user_mod.model, user_mod.inputs, buffer, dynamo=False, opset_version=17, input_names=["x"])
session = onnxruntime.InferenceSession(buffer.getvalue())
for x in (user_mod.inputs[0], torch.randn(2, 4)):
    torch.testing.assert_close(torch.from_numpy(session.run(None, {"x": x.numpy()})[0]), user_mod.model(x).detach())
print("close")
"""
