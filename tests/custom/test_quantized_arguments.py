"""Operators of torch's own that take quantised tensors too: computed in float, and quantised as they came."""

from __future__ import annotations

from pathlib import Path

import pytest

from stories import lay_out

MODEL = """
import torch


class Net(torch.nn.Module):
    def __init__(self, change):
        super().__init__()
        self.change = change

    def forward(self, x):
        quantised = torch.quantize_per_tensor(x, 0.05, 60, torch.quint8)
        return self.change(quantised).dequantize()


shuffled = Net(lambda x: torch.channel_shuffle(x, 2))
resized = Net(lambda x: torch.nn.functional.interpolate(x, size=(5, 7), mode="nearest-exact"))
inputs = (torch.randn(2, 4, 3, 5),)
"""
COMPARE = """
import io, warnings
warnings.filterwarnings("ignore")
import onnx, onnxruntime, symbolics, torch, user_mod
for opset in (11, 13, 17):
    buffer = io.BytesIO()
    model = user_mod.{model}
    torch.onnx.export(model, user_mod.inputs, buffer, dynamo=False, opset_version=opset, input_names=["x"])
    onnx.checker.check_model(onnx.load_from_string(buffer.getvalue()), full_check=True)
    session = onnxruntime.InferenceSession(buffer.getvalue())
    for x in (user_mod.inputs[0], torch.randn(2, 4, 3, 5)):
        got = torch.from_numpy(session.run(None, {{"x": x.numpy()}})[0])
        torch.testing.assert_close(got, model(x), rtol=0, atol=0.0501)
print("close")
"""


@pytest.mark.parametrize("options", [[], ["--as-function"]])
@pytest.mark.parametrize(
    ("op", "model"), [("aten::channel_shuffle", "shuffled"), ("aten::_upsample_nearest_exact2d", "resized")]
)
def test_within_one_step_of_eager_torch(tmp_path: Path, op: str, model: str, options: list[str]) -> None:
    story = lay_out(tmp_path, {"user_mod.py": MODEL})
    story.symgen("new", op, "--no-verify", *options)
    assert story.run(COMPARE.format(model=model)).split()[-1] == "close"
    kinds = [kind for _, kind, *_ in story.export({}, package=True, model=f"story.{model}, story.inputs").nodes]
    assert (kinds.count("QuantizeLinear"), kinds.count("DequantizeLinear")) in ((2, 2), (1, 1))
