"""What people asked `symgen scan`, from the command to the exported model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stories import lay_out

LOOPS = """\
import torch


@torch.jit.script
def sampler(x, n: int, hot: bool):
    total = torch.zeros_like(x)
    for i in range(n):
        if bool(total.sum() > 0):
            total = total + torch.special.bessel_j0(x)
        else:
            total = torch.nextafter(x, total)
    if hot:
        total = torch.special.zeta(total + 2.0, total + 1.0)
    return total.relu_()


class Sharpen(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.special.ndtri(torch.sigmoid(x))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.act = torch.nn.ReLU(inplace=True)
        self.bn = torch.nn.BatchNorm1d(3)

    def forward(self, x):
        y = self.act(self.bn(x))
        y = sampler(y, y.shape[0], False)
        return Sharpen.apply(y) + torch.special.bessel_j0(y).clamp_(min=0)


torch.manual_seed(0)
model = Net().eval()
inputs = (torch.randn(2, 3),)
"""
SIMPLE = """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)

    def forward(self, x, y):
        return torch.logaddexp(self.linear(x), y)


def make():
    torch.manual_seed(0)
    return Net()


def pair():
    return make(), (torch.randn(2, 3), torch.randn(2, 3))
"""
BOTH = ("--input", "float32[batch=2,3]", "--input", "float32[batch=2,3]")


def test_one_run_lists_what_stands_in_loops_branches_and_functions(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {"user_mod.py": LOOPS})
    printed = story.symgen("scan", "user_mod:model", "--opset", "17", status=1)
    problems = [line.split()[1:3] for line in printed.splitlines() if line.startswith("user_mod.py:")]
    assert problems[:3] == [
        ["missing", "aten::special_bessel_j0"],
        ["missing", "aten::nextafter"],
        ["missing", "aten::special_ndtri,"],
    ]
    assert "called by user_mod:Sharpen" in printed
    for name in ("relu", "clamp", "batch_norm", "zeros_like", "sum", "gt"):
        assert f"aten::{name}" not in printed
    report = json.loads(story.symgen("scan", "user_mod:model", "--opset", "17", "--json", status=1))
    assert (report["target"], report["opset"], report["exporter"]) == ("user_mod:model", 17, "torchscript")
    first = report["findings"][0]
    assert (first["op"], first["count"], first["path"], first["line"]) == (
        "aten::special_bessel_j0", 2, "user_mod.py", 9
    )  # fmt: skip


def test_from_a_model_that_does_not_export_to_one_that_does(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {"pkg/__init__.py": "", "pkg/mod.py": SIMPLE})
    printed = story.symgen("scan", "pkg.mod:make", *BOTH, "--opset", "17", "--new", "--export", "out.onnx")
    assert "aten::logaddexp: verified" in printed
    assert "out.onnx: right" in printed
    assert "import torch, symbolics" in printed
    assert "dynamic_axes={'x': {0: 'batch'}, 'y': {0: 'batch'}}" in printed
    assert (tmp_path / "symbolics" / "symbolic_opset17.py").exists()
    call = next(line for line in printed.splitlines() if "torch.onnx.export(" in line)
    story.run(f"import torch, symbolics, pkg.mod\nmodel, args = pkg.mod.pair()\n{call.strip()}")
    assert (tmp_path / "model.onnx").exists()


@pytest.mark.slow
def test_a_custom_operator_and_a_function_are_scaffolded_with_the_rest(tmp_path: Path) -> None:
    text = (
        "import torch\n\n\n@torch.library.custom_op('scankit::twice', mutates_args=())\n"
        "def twice(x: torch.Tensor, by: float = 2.0) -> torch.Tensor:\n    return x * by\n\n\n"
        "@twice.register_fake\ndef _(x, by=2.0):\n    return torch.empty_like(x)\n\n\n"
        "class Net(torch.nn.Module):\n    def forward(self, x):\n"
        "        return torch.ops.scankit.twice(x, 3.0) + 1\n\n\nmodel, inputs = Net(), (torch.randn(2, 3),)\n"
    )
    story = lay_out(tmp_path, {"user_mod.py": text})
    arguments = ("--opset", "17", "--new", "--domain", "scan.kit", "--version", "2", "--export", "out.onnx")
    printed = story.symgen("scan", "user_mod:model", *arguments)
    assert "out.onnx: not compared" in printed
    assert 'custom_opsets={"scan.kit": 2}' in printed
    exported = story.export({"scan.kit": 2}, package=True)
    assert exported.of("scan.kit") == [("Twice", [True], 1, {"by": 3.0})]
    assert "other-domain scan.kit::Twice" in story.symgen("scan", "user_mod:model", "--opset", "17")


def test_a_wrong_export_is_taken_apart_to_the_first_wrong_operator(tmp_path: Path) -> None:
    text = (
        "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n"
        "        y = torch.tanh(x)\n        return torch.relu(y.unfold(-1, 4, 2) * 2)\n\n\n"
        "model, inputs = Net(), (torch.randn(2, 10),)\n"
    )
    story = lay_out(tmp_path, {"user_mod.py": text})
    printed = story.symgen("scan", "user_mod:model", "--opset", "17", "--export", "out.onnx", status=1)
    assert "user_mod.py:7: wrong-result aten::unfold" in printed
    assert "symgen fix aten::unfold" in printed
    shown = story.run(story.read("out_unfold.py"))
    assert "PyTorch:" in shown
    assert "ONNX Runtime:" in shown


@pytest.mark.slow
def test_what_torch_gets_wrong_is_corrected_on_the_way(tmp_path: Path) -> None:
    text = (
        "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n"
        "        return torch.hypot(x.unfold(-1, 4, 2), torch.ones(4))\n\n\n"
        "model, inputs = Net(), (torch.randn(2, 10),)\n"
    )
    story = lay_out(tmp_path, {"user_mod.py": text})
    printed = story.symgen("scan", "user_mod:model", "--opset", "17", "--new", "--export", "out.onnx")
    assert "aten::unfold: verified" in printed
    assert "out.onnx: right" in printed


@pytest.mark.slow
def test_what_shows_only_behind_what_was_missing_is_written_in_the_same_run(tmp_path: Path) -> None:
    text = (
        "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n"
        "        return torch.ops.aten.elu(torch.special.erfcx(x), 1.0, 2.0)\n\n\n"
        "model, inputs = torch.jit.script(Net()), (torch.randn(2, 10),)\n"
    )
    story = lay_out(tmp_path, {"user_mod.py": text})
    printed = story.symgen("scan", "user_mod:model", "--opset", "17", "--new", "--export", "out.onnx")
    assert "aten::special_erfcx: verified" in printed
    assert "aten::elu: verified" in printed
    assert "out.onnx: right" in printed
