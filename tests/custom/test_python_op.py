"""Classes that no import finds: a handler of `prim::PythonOp` translates them, and inlines all others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stories import lay_out
from symgen.errors import UnknownNameError
from symgen.introspect.autograd_classes import load_function_class

NET = """\
import torch


class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.reshape(x.shape[0] * x.shape[1]).cos() / 2


class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return Half.apply(x) * factor, x


def make():
    class Gate(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, slope):
            return torch.sigmoid(x * slope)

    return Gate


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = make()

    def forward(self, x):
        halves, same = Both.apply(self.gate.apply(x, 0.5), 3.0)
        return halves + 1, same


model, inputs = Net(), (torch.randn(3, 4),)
"""
MAIN = """

if __name__ == "__main__":
    import io

    import onnx
    import symbolics

    buffer = io.BytesIO()
    torch.onnx.export(model, inputs, buffer, dynamo=False, custom_opsets={"my.domain": 1})
    print("nodes", *(node.op_type for node in onnx.load_from_string(buffer.getvalue()).graph.node if node.domain))
"""
COMPARE = """
import io, warnings
warnings.filterwarnings("ignore")
import onnx, onnxruntime, symbolics, torch, user_mod
for opset in (9, 13, 17, 20):
    buffer, axes = io.BytesIO(), {"x": {0: "rows"}}
    torch.onnx.export(
        user_mod.model, user_mod.inputs, buffer, dynamo=False, opset_version=opset, input_names=["x"], dynamic_axes=axes
    )
    onnx.checker.check_model(onnx.load_from_string(buffer.getvalue()), full_check=True)
    session = onnxruntime.InferenceSession(buffer.getvalue())
    for rows in (3, 6):
        x = torch.randn(rows, 4)
        results = session.run(None, {"x": x.numpy()})
        torch.testing.assert_close(tuple(map(torch.from_numpy, results)), user_mod.model(x))
print("close")
"""
PAIR = """\
import other_mod
import torch
import user_mod


class Pair(torch.nn.Module):
    def forward(self, x):
        halves, same = user_mod.model(x)
        return halves, *other_mod.model(same)


model, inputs = Pair(), (torch.randn(3, 4),)
"""
NAMES = ("user_mod:make.Gate", "user_mod:make.<locals>.Gate")


@pytest.mark.parametrize("name", NAMES)
def test_a_local_class_is_found_by_either_name(tmp_path: Path, name: str) -> None:
    lay_out(tmp_path, {"user_mod.py": NET})
    owner = load_function_class(name, tmp_path)
    assert owner.qualname == "make.<locals>.Gate"
    assert (owner.name, owner.identifier, owner.is_local) == ("Gate", "make_Gate", True)
    assert [parameter.name for parameter in owner.parameters] == ["x", "slope"]


@pytest.mark.parametrize("name", ["user_mod:make", "user_mod:make.Other", "user_mod:Net.forward.Gate"])
def test_what_a_function_does_not_make_is_unknown(tmp_path: Path, name: str) -> None:
    lay_out(tmp_path, {"user_mod.py": NET})
    with pytest.raises(UnknownNameError):
        load_function_class(name, tmp_path)


def test_a_class_that_a_method_makes(tmp_path: Path) -> None:
    text = NET.replace("def make():", "class Maker:\n  def make(self):").replace(
        "self.gate = make()", "self.gate = None"
    )
    lay_out(tmp_path, {"user_mod.py": text})
    assert load_function_class("user_mod:Maker.make.Gate", tmp_path).qualname == "Maker.make.<locals>.Gate"


def test_one_is_translated_and_the_others_are_inlined(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {"user_mod.py": NET})
    printed = story.symgen("new", "user_mod:make.Gate")
    assert "user_mod:make.<locals>.Gate: verified" in printed
    assert "the exporter inlines the class already" in printed
    assert story.read() == NET
    assert story.run(COMPARE).split()[-1] == "close"
    story.symgen("check", "symbolics")


def test_one_is_a_node_and_the_others_are_inlined(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {"user_mod.py": NET})
    assert "verified" in story.symgen("new", "user_mod:make.Gate", "--domain", "my.domain")
    exported = story.export({"my.domain": 1}, package=True)
    assert exported.of("my.domain") == [("Gate", [True], 1, {"slope": 0.5})]
    assert {"Cos", "Div"} <= {name for domain, name, *_ in exported.nodes if not domain}
    assert exported.outputs == [[1, [12]], [1, [3, 4]]]
    story.symgen("check", "symbolics")
    story.symgen("new", "--remove", "user_mod:make.Gate")
    assert "Gate" not in story.read("symbolics/user_mod.py")


def test_classes_of_two_modules_are_handled_side_by_side(tmp_path: Path) -> None:
    other = NET.replace("class Gate", "class Door").replace("return Gate", "return Door")
    story = lay_out(tmp_path, {"user_mod.py": NET, "other_mod.py": other, "pair.py": PAIR})
    names = ["user_mod:make.Gate", "other_mod:make.Door"]
    story.symgen("new", *names, "--domain", "my.domain", "--no-verify")
    exported = story.export({"my.domain": 1}, package=True, module="pair")
    assert [name for name, *_ in exported.of("my.domain")] == ["Gate", "Door"]
    assert [name for _, name, *_ in exported.nodes].count("Cos") == 2


def test_a_class_that_nothing_has_made_yet_is_written_without_proof(tmp_path: Path) -> None:
    text = NET.replace("model, inputs = Net(), (torch.randn(3, 4),)\n", "")
    story = lay_out(tmp_path, {"user_mod.py": text})
    assert "no call was found" in story.symgen("new", "user_mod:make.Gate", "--domain", "my.domain")
    assert "can't be compared" in story.symgen("new", "user_mod:make.Gate", "--force", status=1)


def test_a_script_is_not_imported_a_second_time(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {"user_mod.py": NET + MAIN})
    story.symgen("new", "user_mod:make.Gate", "user_mod:Half", "--domain", "my.domain", "--no-edit")
    assert "import user_mod" not in story.read("symbolics/user_mod.py")
    done = subprocess.run([sys.executable, "user_mod.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["nodes Gate Half"]


def test_a_scan_names_it_as_new_takes_it(tmp_path: Path) -> None:
    text = NET.replace("return torch.sigmoid(x * slope)", "return torch.from_numpy((x * slope).detach().numpy())")
    story = lay_out(tmp_path, {"user_mod.py": text})
    printed = story.symgen("scan", "user_mod:model", status=1)
    assert "symgen new user_mod:make.Gate --domain DOMAIN" in printed
