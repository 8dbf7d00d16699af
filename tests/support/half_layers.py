"""Recurrent layers of half precision that take the batch first, run by ONNX Runtime in other sizes.

Of a transposition, a cast to 32 bits and a product with a constant its optimiser makes one node, and ends the process.
The script runs beside a package; it prints as JSON the layers whose model differs from eager torch.
"""

from __future__ import annotations

import importlib
import io
import json
import sys

import onnxruntime
import torch

LAYERS: dict[str, torch.nn.Module] = {
    "lstm": torch.nn.LSTM(4, 6, batch_first=True),
    "gru": torch.nn.GRU(4, 6, batch_first=True, bias=False),
    "tanh": torch.nn.RNN(4, 6, batch_first=True, num_layers=2, bidirectional=True),
    "relu": torch.nn.RNN(4, 6, batch_first=True, bias=False, nonlinearity="relu"),
}


def model_of(layer: torch.nn.Module, x: torch.Tensor, package: str) -> bytes:
    """The model of a layer in which the batch is dynamic, by the package for either exporter."""
    if package == "symbolics":
        buffer = io.BytesIO()
        axes = {"x": {0: "batch", 1: "steps"}}
        torch.onnx.export(layer, (x,), buffer, opset_version=17, dynamo=False, input_names=["x"], dynamic_axes=axes)
        return buffer.getvalue()
    program = torch.onnx.export(
        layer,
        (x,),
        opset_version=18,
        dynamo=True,
        verbose=False,
        dynamic_shapes=({0: torch.export.Dim.DYNAMIC},),
        custom_translation_table=importlib.import_module(package).translation_table(18),
    )
    assert program is not None
    model: bytes = program.model_proto.SerializeToString()
    return model


def main(package: str) -> None:
    sys.path.insert(0, ".")
    importlib.import_module(package)
    wrong = []
    for name, layer in LAYERS.items():
        layer.half().eval()
        model = model_of(layer, torch.randn(2, 3, 4).half(), package)
        session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
        for batch in (2, 5, 1):
            x = torch.randn(batch, 3, 4).half()
            found = session.run(None, {session.get_inputs()[0].name: x.numpy()})[0]
            if not torch.allclose(torch.as_tensor(found), layer(x)[0], rtol=1e-2, atol=1e-2):
                wrong.append(f"{name} of {batch}")
    print(json.dumps(wrong))


if __name__ == "__main__":
    main(sys.argv[1])
