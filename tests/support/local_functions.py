"""Exports models of operators that are local functions, as a script beside their package; prints what they became."""

from __future__ import annotations

import io
import json
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import onnx
import onnxruntime
import torch

OPERATORS = ("aten::elu", "aten::hypot", "aten::logsumexp", "aten::frexp", "aten::_to_cpu")
X, Y = "x", "y"


MODELS: dict[str, Callable[..., Any]] = {
    "an attribute": lambda x, y: torch.nn.functional.elu(x, 0.5),
    "attributes that differ": lambda x, y: torch.nn.functional.elu(x, 0.5) + torch.nn.functional.elu(y, 0.7),
    "the same twice": lambda x, y: torch.hypot(x, y) + torch.hypot(y, x),
    "a number among tensors": lambda x, y: torch.hypot(x, torch.tensor(2.0)) + y,
    "another dtype": lambda x, y: torch.hypot(x, y) + torch.hypot(x.double(), y),
    "reductions": lambda x, y: (torch.logsumexp(x, (0, 1), keepdim=True), torch.logsumexp(x, 1), torch.logsumexp(y, 0)),
    "several results": lambda x, y: torch.frexp(x * y),
    "a result that is not used": lambda x, y: torch.frexp(x * y)[1],
    "one after the other": lambda x, y: torch.nn.functional.elu(torch.hypot(torch.logsumexp(x, 0), y)),
    "from a constant": lambda x, y: torch.hypot(torch.tensor([3.0, 4.0, 5.0, 6.0]), y) + x,
    "a list": lambda x, y: torch._to_cpu([x, y])[1],
}


class Model(torch.nn.Module):
    """One of the models."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> Any:
        """What the function does."""
        return self._function(x, y)


def exported(name: str, opset: int) -> onnx.ModelProto:
    """The model with a dynamic first axis; the checker has seen it."""
    buffer = io.BytesIO()
    torch.onnx.export(
        Model(MODELS[name]), arguments(3), buffer, dynamo=False, opset_version=opset,
        input_names=[X, Y], dynamic_axes={X: {0: "rows"}},
    )  # fmt: skip
    model = onnx.load_from_string(buffer.getvalue())
    onnx.checker.check_model(model, full_check=True)
    return model


def arguments(rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Arguments of a model, with as many rows."""
    torch.manual_seed(rows)
    return torch.randn(rows, 4), torch.randn(4)


def fault(model: onnx.ModelProto, name: str) -> str:
    """How ONNX Runtime's results differ, for rows that were exported and for more of them; empty where they don't."""
    session = onnxruntime.InferenceSession(model.SerializeToString())
    taken = {value.name for value in session.get_inputs()}
    for rows in (3, 5):
        given = arguments(rows)
        feed = {key: value.numpy() for key, value in zip((X, Y), given, strict=True) if key in taken}
        expected = MODELS[name](*given)
        several: Sequence[torch.Tensor] = (expected,) if isinstance(expected, torch.Tensor) else tuple(expected)
        try:
            torch.testing.assert_close([torch.from_numpy(out) for out in session.run(None, feed)], list(several))
        except AssertionError as error:
            return str(error)
    return ""


def described(model: onnx.ModelProto, name: str) -> dict[str, Any]:
    """What a reader of the model sees."""
    calls = [node for node in model.graph.node if node.domain]
    return {
        "calls": [[node.domain, node.op_type] for node in calls],
        "attributes": [{a.name: onnx.helper.get_attribute_value(a) for a in node.attribute} for node in calls],
        "functions": {f.name: [list(f.input), list(f.output), len(f.node)] for f in model.functions},
        "fault": fault(model, name),
    }


if __name__ == "__main__":
    sys.path.insert(0, ".")
    import symbolics  # type: ignore[import-not-found]  # noqa: F401

    warnings.simplefilter("ignore", DeprecationWarning)
    opsets = [int(text) for text in sys.argv[1:]]
    print(json.dumps({f"{name} at {n}": described(exported(name, n), name) for name in MODELS for n in opsets}))
