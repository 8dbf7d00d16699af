"""Numbers beside half precision, some of which it has no number for; run beside packages of functions.

Eager torch multiplies by a number, and divides by it, before it rounds. The argument is the exporter; the script prints
as JSON how many calls there are, and those whose result differs.
"""

from __future__ import annotations

import importlib
import io
import json
import sys

import onnxruntime
import torch

from call_module import Call, CallModule

TENSOR = torch.tensor([[30.0, -50000.0, 1.0, 0.001]]).half()
LARGE, SMALL = 80000.0, 1e-8
CALLS: dict[str, Call] = {
    "mul": lambda x: x * LARGE,
    "mul, whole number": lambda x: x * 80000,
    "mul, length": lambda x: x * (x.shape[1] * 20000),
    "mul, small": lambda x: x * SMALL,
    "mul, 0-d": lambda x: x * torch.tensor(LARGE),
    "mul, 0-d whole": lambda x: x * torch.tensor(80000),
    "mul, 0-d first": lambda x: torch.mul(torch.tensor(LARGE), x),
    "div": lambda x: x / LARGE,
    "div, length": lambda x: x / (x.shape[1] * 20000),
    "div, 0-d": lambda x: x / torch.tensor(LARGE),
    "div, trunc": lambda x: torch.div(x, SMALL, rounding_mode="trunc"),
    "div, floor": lambda x: torch.div(x, SMALL, rounding_mode="floor"),
    "true_divide": lambda x: torch.true_divide(x, LARGE),
    "floor_divide": lambda x: torch.floor_divide(x, SMALL),
    "a number that is rounded in the model": lambda x: x / torch.scalar_tensor(x.shape[1] * 20000, dtype=torch.float16),
    "a tensor that is rounded": lambda x: x * torch.tensor([LARGE]).half(),
}


def exported(call: Call, exporter: str) -> bytes:
    """The model of one call, with an axis that is dynamic."""
    if exporter == "torchlib":
        table = importlib.import_module("torchlib_ops").translation_table(18)
        axes = ({1: torch.export.Dim.AUTO},)
        program = torch.onnx.export(
            CallModule(call),
            (TENSOR,),
            dynamo=True,
            dynamic_shapes=axes,
            opset_version=18,
            custom_translation_table=table,
        )
        assert program is not None
        data: bytes = program.model_proto.SerializeToString()
        return data
    importlib.import_module("symbolics")
    buffer = io.BytesIO()
    torch.onnx.export(
        CallModule(call),
        (TENSOR,),
        buffer,
        dynamo=False,
        opset_version=17,
        input_names=["x"],
        dynamic_axes={"x": {1: "n"}},
    )
    return buffer.getvalue()


def main() -> None:
    """Exports and runs each call by itself."""
    sys.path.insert(0, ".")
    wrong = {}
    for name, call in CALLS.items():
        session = onnxruntime.InferenceSession(exported(call, sys.argv[1]))
        (found,) = session.run(None, {session.get_inputs()[0].name: TENSOR.numpy()})
        expected = call(TENSOR)
        if not torch.equal(torch.as_tensor(found), expected):
            wrong[name] = f"{found.tolist()}, not {expected.tolist()}"
    print(json.dumps({"count": len(CALLS), "wrong": wrong}))


if __name__ == "__main__":
    main()
