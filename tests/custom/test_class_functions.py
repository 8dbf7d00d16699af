"""Classes that are one node of a domain whose meaning stands in the model, as a local function."""

from __future__ import annotations

from pathlib import Path

from stories import Story, lay_out

NET = """\
import torch


class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.reshape(x.shape[0] * x.shape[1]).cos() / 2


class Entropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, signal, slope, mask=None):
        out = torch.special.entr(signal * slope)
        return (out if mask is None else out * mask), signal + 1

    @staticmethod
    def backward(ctx, *grads):
        return None, None, None


class Around(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return Half.apply(x) + 1


class Net(torch.nn.Module):
    def forward(self, x):
        one, same = Entropy.apply(x, 0.25, x)
        other, _ = Entropy.apply(same, 0.25, None)
        last, _ = Entropy.apply(x * 2, 0.25, None)
        return one + other + last, Around.apply(x)


class Both(torch.nn.Module):
    def forward(self, x):
        return Half.apply(x), Around.apply(x)


model, inputs = Net(), (torch.rand(3, 4),)
"""
COMPARE = """
import io, warnings
warnings.filterwarnings("ignore")
import onnx, onnxruntime, symbolics, torch, user_mod
for opset, domains in ((11, None), (17, {{"my.domain": {version}}})):
    buffer, axes = io.BytesIO(), {{"x": {{0: "rows"}}}}
    torch.onnx.export(
        user_mod.model, user_mod.inputs, buffer, dynamo=False, opset_version=opset, input_names=["x"],
        dynamic_axes=axes, custom_opsets=domains,
    )
    model = onnx.load_from_string(buffer.getvalue())
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(buffer.getvalue())
    for rows in (3, 6):
        x = torch.rand(rows, 4)
        results = session.run(None, {{"x": x.numpy()}})
        torch.testing.assert_close(tuple(map(torch.from_numpy, results)), user_mod.model(x))
    print(*(node.op_type for node in model.graph.node if node.domain), "of", *(one.name for one in model.functions))
"""


def _seen(story: Story, version: int = 1) -> list[str]:
    return story.run(COMPARE.format(version=version)).splitlines()


def test_a_node_has_its_meaning_in_the_model(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {"user_mod.py": NET})
    printed = story.symgen("new", "user_mod:Entropy", "--domain", "my.domain", "--version", "3", "--as-function")
    assert "user_mod:Entropy: verified" in printed
    assert "aten::special_entr: verified" in printed
    assert 'custom_opsets={"my.domain": 3}' in printed
    assert story.read() == NET
    assert '@_as_function("my.domain::Entropy", 3)' in story.read("symbolics/user_mod.py")
    assert _seen(story, 3) == ["Entropy Entropy_2 Entropy_2 of Entropy Entropy_2"] * 2


def test_what_a_function_calls_stands_inside_of_it(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {"user_mod.py": NET.replace("= Net()", "= Both()")})
    names = ["user_mod:Half", "user_mod:Around"]
    printed = story.symgen("new", *names, "--domain", "my.domain", "--as-function")
    assert "only a node of its own needs this" in printed
    assert _seen(story) == ["Half Around of Half Around"] * 2


def test_what_the_exporter_cannot_look_into_has_no_function(tmp_path: Path) -> None:
    text = NET.replace("return Half.apply(x) + 1", "return torch.from_numpy(x.numpy() + 1)")
    story = lay_out(tmp_path, {"user_mod.py": text})
    arguments = ["user_mod:Around", "--domain", "my.domain", "--as-function"]
    assert "leave --as-function out" in story.symgen("new", *arguments, status=1)
    assert not (tmp_path / "symbolics").exists()


def test_a_method_that_comes_first_is_taken_out_before(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {"user_mod.py": NET})
    own = ["user_mod:Half", "--domain", "my.domain", "--no-verify"]
    story.symgen("new", *own)
    assert "symgen new --remove user_mod:Half" in story.symgen("new", *own, "--as-function", status=1)
    story.symgen("new", "--remove", "user_mod:Half")
    assert story.read() == NET
    story.symgen("new", *own, "--as-function")
