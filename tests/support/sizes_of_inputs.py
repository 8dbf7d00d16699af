"""Calls whose numbers are the sizes of an input, as models write them; run beside a package of functions.

All are exported with dynamic axes, run on other sizes, and compared with eager torch. The arguments are the exporter
and the opset. The script prints as JSON how many calls there are, and those whose result differs.
"""

from __future__ import annotations

import importlib
import io
import json
import sys

import onnxruntime
import torch
from torch.nn import functional

from call_module import Call, CallModule

Tensor = torch.Tensor


def of_maps(call: Call) -> Call:
    """A call on images of one channel."""
    return lambda x: call(x.unsqueeze(1))


def in_double_size(mode: str) -> Call:
    """Images resized by their own size."""
    return of_maps(lambda x: functional.interpolate(x, size=(x.shape[2] * 2, x.shape[3] + 3), mode=mode))


def blocks_put_back(x: Tensor) -> Tensor:
    """Blocks taken out of images and added up, by sizes that differ along the axes."""
    blocks = functional.unfold(x, (2, 2), dilation=(2, 1), padding=(1, 0), stride=(1, 2))
    return functional.fold(blocks, (x.shape[2], x.shape[3]), (2, 2), dilation=(2, 1), padding=(1, 0), stride=(1, 2))


CALLS: dict[str, Call] = {
    "view, rows": lambda x: x.view(x.shape[0], -1),
    "view, heads": lambda x: x.view(x.shape[0], x.shape[1], 2, 2).transpose(1, 2),
    "reshape": lambda x: x.transpose(0, 1).reshape(x.shape[0] * x.shape[1], -1),
    "unflatten": lambda x: x.flatten(0, 1).unflatten(0, (x.shape[0], x.shape[1])),
    "expand": lambda x: x[:, :1].expand(x.shape[0], x.shape[1], -1),
    "repeat": lambda x: x[:1, :1].repeat(x.shape[0], x.shape[1], 1),
    "slice": lambda x: x[:, x.shape[1] // 2 :],
    "index_select": lambda x: x.index_select(1, torch.arange(x.shape[1] - 1, -1, -1)),
    "index": lambda x: x[torch.arange(x.shape[0] - 1, -1, -1)],
    "tril": lambda x: torch.tril(x, x.shape[1] - 4),
    "triu": lambda x: torch.triu(x, x.shape[1] - 5),
    "roll": lambda x: torch.roll(x, (x.shape[1] // 2, 1), (1, 2)),
    "nearest": in_double_size("nearest"),
    "nearest-exact": in_double_size("nearest-exact"),
    "bilinear": in_double_size("bilinear"),
    "bicubic": in_double_size("bicubic"),
    "linear": lambda x: functional.interpolate(x, size=x.shape[2] + x.shape[0], mode="linear"),
    "layer_norm": lambda x: functional.layer_norm(x.transpose(1, 2), (x.shape[1],)),
    "rms_norm": lambda x: functional.rms_norm(x, x.shape[1:]),
    "native_group_norm": lambda x: torch.native_group_norm(x, None, None, x.shape[0], x.shape[1], 4, 1, 1e-5)[0],
    "bincount": lambda x: torch.bincount(x[0, 0].long() * 0, minlength=x.shape[1]),
    "repeat_interleave": lambda x: torch.repeat_interleave(
        x, torch.full((x.shape[1],), 2), 1, output_size=x.shape[1] * 2
    ),
    "repeat_interleave, number": lambda x: x.repeat_interleave(x.shape[0], 1),
    "randint": lambda x: torch.randint(0, 1, (x.shape[0], 3)),
    "randint, limits": lambda x: torch.randint(x.shape[0], x.shape[0] + 1, (2, x.shape[1])) * torch.randint(1, 2, (1,)),
    "normal": lambda x: torch.normal(0.0, 1.0, (x.shape[0], x.shape[1])).isfinite(),
    "affine_grid": lambda x: functional.affine_grid(x[:, :2, :3], [x.shape[0], 1, 4, 5], align_corners=True),
    "fold": of_maps(blocks_put_back),
}
OF_DYNAMO = ("fold",)
"""What torch.export keeps as it is and traces don't: their exporter says that it has to be known."""
SIZES = ((3, 5, 4), (2, 7, 4), (4, 6, 4))


class Calls(torch.nn.Module):
    """All calls on one input."""

    def __init__(self, calls: dict[str, Call]) -> None:
        """Keeps the calls."""
        super().__init__()
        self.calls = torch.nn.ModuleList(map(CallModule, calls.values()))

    def forward(self, x: Tensor) -> list[Tensor]:
        """Makes the calls."""
        return [call(x) for call in self.calls]


def exported(model: Calls, exporter: str, opset: int) -> bytes:
    """The model with two axes that are dynamic."""
    x = torch.randn(SIZES[0])
    if exporter == "torchlib":
        table = importlib.import_module("torchlib_ops").translation_table(opset)
        axes = ({0: torch.export.Dim("batch"), 1: torch.export.Dim("length")},)
        program = torch.onnx.export(
            model, (x,), dynamo=True, opset_version=opset, dynamic_shapes=axes, custom_translation_table=table
        )
        assert program is not None
        program.model_proto.graph.input[0].name = "x"
        data: bytes = program.model_proto.SerializeToString()
        return data
    importlib.import_module("symbolics")
    buffer = io.BytesIO()
    dynamic = {"x": {0: "batch", 1: "length"}}
    torch.onnx.export(model, (x,), buffer, dynamo=False, opset_version=opset, input_names=["x"], dynamic_axes=dynamic)
    return buffer.getvalue()


def main() -> None:
    """Exports all calls in one model."""
    sys.path.insert(0, ".")
    exporter, opset = sys.argv[1], int(sys.argv[2])
    calls = {name: call for name, call in CALLS.items() if exporter == "torchlib" or name not in OF_DYNAMO}
    session = onnxruntime.InferenceSession(exported(Calls(calls), exporter, opset))
    wrong = {}
    for size in SIZES:
        x = torch.randn(size, generator=torch.Generator().manual_seed(0))
        found = session.run(None, {session.get_inputs()[0].name: x.numpy()})
        for (name, call), got in zip(calls.items(), map(torch.as_tensor, found), strict=True):
            expected = call(x)
            if got.dtype != expected.dtype or got.shape != expected.shape:
                wrong[name] = f"{got.dtype} {tuple(got.shape)}, not {expected.dtype} {tuple(expected.shape)}"
            elif not torch.allclose(got, expected, rtol=1e-4, atol=1e-5):
                wrong[name] = f"{got.flatten()[:3].tolist()}, not {expected.flatten()[:3].tolist()}"
    print(json.dumps({"count": len(calls), "wrong": wrong}))


if __name__ == "__main__":
    main()
