"""Quantised operators give what eager torch gives, within one step."""

from __future__ import annotations

from pathlib import Path

import pytest

from stories import lay_out

MODEL = """
import warnings

import torch

warnings.filterwarnings("ignore")


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.quant = torch.ao.quantization.QuantStub()
        self.fc = torch.nn.Linear(6, 4)
        self.act = torch.nn.ELU(alpha=0.7)
        self.dequant = torch.ao.quantization.DeQuantStub()

    def forward(self, x):
        return self.dequant(self.act(self.fc(self.quant(x))))


torch.manual_seed(0)
# Of 7 bits on x86, as products of 8 bits run over in ONNX Runtime where the processor adds two of them in 16.
engines = torch.backends.quantized.supported_engines
torch.backends.quantized.engine = next(engine for engine in ("fbgemm", "qnnpack") if engine in engines)
_float = Net().eval()
_float.qconfig = torch.ao.quantization.get_default_qconfig(torch.backends.quantized.engine)
_prepared = torch.ao.quantization.prepare(_float)
for _ in range(4):
    _prepared(torch.randn(8, 6))
model = torch.ao.quantization.convert(_prepared)
inputs = (torch.randn(2, 6),)
"""
COMPARE = """
import io, warnings
warnings.filterwarnings("ignore")
import onnxruntime, symbolics, torch, user_mod
for opset in (13, 17):
    buffer = io.BytesIO()
    torch.onnx.export(user_mod.model, user_mod.inputs, buffer, dynamo=False, opset_version=opset, input_names=["x"])
    session = onnxruntime.InferenceSession(buffer.getvalue())
    for x in (user_mod.inputs[0], torch.randn(2, 6)):
        got = torch.from_numpy(session.run(None, {"x": x.numpy()})[0])
        torch.testing.assert_close(got, user_mod.model(x), rtol=0, atol=float(user_mod.model.act.scale) * 1.001)
print("close")
"""


def test_a_quantised_model_with_elu(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {"user_mod.py": MODEL})
    assert "verified" in story.symgen("new", "quantized::elu")
    nodes = story.export({}, package=True, opset=13).nodes
    kinds = [kind for _, kind, *_ in nodes if kind in ("Elu", "DequantizeLinear", "QuantizeLinear")]
    place = kinds.index("Elu")
    assert (kinds.count("Elu"), kinds[place - 1], kinds[place + 1]) == (1, "DequantizeLinear", "QuantizeLinear")
    (attributes,) = [attributes for _, kind, _, _, attributes in nodes if kind == "Elu"]
    assert attributes == {"alpha": pytest.approx(0.7)}
    assert story.run(COMPARE).split()[-1] == "close"


def test_an_operator_that_torch_has_right_is_left_to_it(tmp_path: Path) -> None:
    story = lay_out(tmp_path, {})
    assert "torch's own function, from opset 10 on, is right" in story.symgen("new", "quantized::sigmoid")
    assert not (tmp_path / "symbolics").exists()
