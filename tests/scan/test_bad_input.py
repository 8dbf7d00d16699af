"""Models, inputs and files that can't be used: one line that says why, and never a traceback."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

from scans import Scans, function
from stories import lay_out
from symgen.cli import main
from symgen.model.scan import Kind
from symgen.pipeline.scanning import UnusableModelError

MODELS = """\
import os
import signal
import time


class Net(nn.Module):
    def __init__(self, act):
        super().__init__()
        self.act = act

    def forward(self, x):
        y = x + 1
        return self.act(y)


good = Net(nn.Linear(3, 3))
fails = Net(lambda y: y @ torch.ones(7, 7))
crashes = Net(lambda y: os.kill(os.getpid(), signal.SIGSEGV))
leaves = Net(lambda y: os._exit(3))
number = 3


def raising():
    raise KeyError("nope")


def demanding(argument):
    return good


inputs = (torch.randn(2, 3),)
"""


@pytest.mark.parametrize(
    ("name", "inputs", "said"),
    [
        ("fails", (), r"the model itself fails at scanned_\d+.py:22: RuntimeError: .* \(its inputs: float32\[2,3\]\)"),
        ("good", ("float32[2,5]",), r"RuntimeError: .*2x5 and 3x3.*float32\[2,5\]"),
        ("good", ("int64[2,3]",), "same dtype"),
        ("good", ("float32[2,3]", "float32[2,3]"), r"TypeError: .*its inputs: float32\[2,3\], float32\[2,3\]"),
        ("crashes", (), "running the model: the child process ended early: SIGSEGV"),
        ("leaves", (), "exit status 3"),
        ("raising", (), "cannot be loaded .*KeyError: 'nope'"),
        ("demanding", (), "TypeError: demanding"),
        ("number", (), "is no torch.nn.Module"),
        ("nothing", (), "has no nothing"),
    ],
)
def test_models_that_cannot_be_used(scans: Scans, name: str, inputs: tuple[str, ...], said: str) -> None:
    with pytest.raises(UnusableModelError, match=said):
        scans.scan(MODELS, name=name, inputs=inputs)


def test_a_model_without_inputs(scans: Scans) -> None:
    with pytest.raises(UnusableModelError, match="say --input"):
        scans.scan("model = nn.Linear(3, 3)\n")


def test_inputs_that_a_function_makes(scans: Scans) -> None:
    text = "model = nn.Linear(3, 3)\n\n\ndef inputs():\n    return torch.ones(1, 3)\n"
    assert not scans.scan(text).findings


def test_a_module_that_cannot_be_imported(scans: Scans) -> None:
    with pytest.raises(UnusableModelError, match=r"cannot be imported \(scanned_\d+.py:6\): ZeroDivisionError"):
        scans.scan("1 / 0\n")


def test_a_crash_of_the_exporter_is_a_finding_beside_what_the_graph_showed(scans: Scans) -> None:
    text = (
        "import os\nfrom torch.onnx import register_custom_op_symbolic\n"
        "register_custom_op_symbolic('aten::frac', lambda g, x: os.abort(), 9)\n\n\n"
        + function("return torch.frac(torch.hypot(x, x))")
    )
    report = scans.scan(text)
    assert [finding.op for finding in report.findings if finding.kind is Kind.MISSING] == ["aten::hypot"]
    (failure,) = (finding for finding in report.findings if finding.kind is Kind.EXPORTER)
    assert "SIGABRT" in failure.reason


class Bomb:
    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("ran",)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all kinds of files, which is the current one."""
    torch.save(torch.nn.Linear(3, 3).state_dict(), tmp_path / "state.pt")
    torch.save((torch.ones(2, 3),), tmp_path / "tensors.pt")
    torch.save({"a": Bomb()}, tmp_path / "bomb.pt")
    torch.save(torch.nn.Linear(3, 3), tmp_path / "pickled.pt")
    torch.jit.save(torch.jit.trace(torch.nn.Linear(3, 3), torch.ones(1, 3)), tmp_path / "traced.pt")
    (tmp_path / "cut.pt").write_bytes((tmp_path / "traced.pt").read_bytes()[:-400])
    (tmp_path / "text.pt").write_text("hello", "utf-8")
    (tmp_path / "mod.py").write_text("def f():\n    pass\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["state.pt"], "is a state_dict, or other tensors: weights without a model (say package.module:NAME"),
        (["tensors.pt"], "weights without a model"),
        (["bomb.pt"], "is a pickle that calls posix.mkdir: loading it runs whatever code it holds (say --trust"),
        (["pickled.pt"], "torch.nn.modules.linear.Linear"),
        (["traced.pt", "--inputs", "bomb.pt"], "bomb.pt: is a pickle that calls"),
        (["cut.pt"], "cut.pt: cannot be read, it may be cut off"),
        (["text.pt"], "neither an archive of torch's nor a pickle"),
        (["absent.pt"], "neither a file nor package.module:NAME"),
        (["nowhere.mod:f"], "there is no module nowhere"),
        (["mod:f", "--input", "float32[2"], "is not an input"),
        (["mod:f", "--input", "float32[2]", "--inputs", "tensors.pt"], "both"),
        (["mod:f", "--opset", "99"], "out of range"),
        (["mod:f:g"], "neither a file"),
        ([], "Missing argument"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_wrong_is_said_in_a_line(
    files: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["scan", *arguments]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert len(printed.err.strip().splitlines()) == 1
    assert not printed.out
    assert not (files / "ran").exists()


def test_what_is_trusted_is_loaded(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "pickled.pt", "--trust", "--input", "float32[1,3]"]) == 0
    assert "no problems" in capsys.readouterr().out


def test_a_pickle_of_a_class_of_the_users_own(tmp_path: Path) -> None:
    text = "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x + 1\n"
    story = lay_out(tmp_path, {"user_mod.py": text})
    story.run("import torch, user_mod; torch.save(user_mod.Net(), 'own.pt')")
    assert "no problems" in story.symgen("scan", "own.pt", "--trust", "--input", "float32[3]")


def test_what_torchscript_says_of_a_failure(scans: Scans) -> None:
    text = function("return x @ torch.ones(7, 7)").replace("model = Net()", "model = torch.jit.script(Net())")
    with pytest.raises(UnusableModelError, match=r"fails at scanned_\d+.py:8: RuntimeError: mat1 and mat2 shapes"):
        scans.scan(text)


def test_a_hang_ends_after_the_time_given(tmp_path: Path) -> None:
    text = "import time, torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        time.sleep(600)\n"
    story = lay_out(tmp_path, {"user_mod.py": text + "\n\nmodel, inputs = Net(), (torch.ones(2),)\n"})
    printed = story.symgen("scan", "user_mod:model", "--timeout", "2", status=2)
    assert "running the model: the child process ended early: no end within 2 s" in printed


@pytest.mark.slow
def test_a_graph_of_fifty_thousand_nodes(scans: Scans) -> None:
    body = "for _ in range(10_000):\n    x = torch.special.erfcx(torch.sin(x) + 0.5).relu() * x\nreturn x"
    report = scans.scan(function(body))
    assert report.nodes >= 50_000
    (finding,) = report.findings
    assert (finding.op, finding.count) == ("aten::special_erfcx", 10_000)
