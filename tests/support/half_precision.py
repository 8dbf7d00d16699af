"""Models of half precision with large numbers, run by onnx's reference, which rounds every node's result to 16 bits.

ONNX Runtime's kernels for CPUs reckon whole chains of such nodes in 32 bits, so that they do not show where a model
runs over. The script runs beside a package; it prints as JSON the calls whose model differs from eager torch.
"""

from __future__ import annotations

import importlib
import io
import json
import sys

import onnx
import torch
from onnx.reference import ReferenceEvaluator
from torch.nn import functional

from call_module import Call, CallModule

Tensor = torch.Tensor

CALLS: dict[str, Call] = {
    "mean": lambda x: x.mean(),
    "mean of axes": lambda x: x.mean((1, 3), keepdim=True),
    "mean in half": lambda x: (x.float() * 20).mean(dtype=torch.float16),
    "var": lambda x: (x / 100).var((2, 3)),
    "std": lambda x: x.std(),
    "norm": lambda x: torch.linalg.vector_norm(x, 2, (2, 3)),
    "logsumexp": lambda x: x.logsumexp(1),
    "cosine_similarity": lambda x: torch.cosine_similarity(x, x.flip(1), 3),
    "pairwise_distance": lambda x: functional.pairwise_distance(x / 8, x.flip(1) / 8),
    "group_norm": lambda x: functional.group_norm(x, 2),
    "instance_norm": lambda x: functional.instance_norm(x),
    "layer_norm": lambda x: functional.layer_norm(x, (5,)),
    "rms_norm": lambda x: functional.rms_norm(x, (5,)),
    "mse_loss": lambda x: functional.mse_loss(x / 8, x.flip(1) / 8, reduction="mean"),
    "smooth_l1_loss": lambda x: functional.smooth_l1_loss(x, x.flip(1), reduction="mean"),
    "avg_pool2d": lambda x: functional.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
    "adaptive_avg_pool2d": lambda x: functional.adaptive_avg_pool2d(x, 1),
}


def difference(call: Call, opset: int, dynamic_axes: dict[str, dict[int, str]]) -> str:
    """What the reference finds of a model; empty where it agrees with eager torch to 1 in 200."""
    x = (torch.rand((2, 4, 5, 5), generator=torch.Generator().manual_seed(0)) * 1900 + 100).half()
    buffer = io.BytesIO()
    torch.onnx.export(
        CallModule(call),
        (x,),
        buffer,
        opset_version=opset,
        dynamo=False,
        input_names=["x"],
        dynamic_axes=dynamic_axes,
    )
    expected = call(x)
    (found,) = ReferenceEvaluator(onnx.load_from_string(buffer.getvalue())).run(None, {"x": x.numpy()})
    got = torch.as_tensor(found)
    assert expected.isfinite().all()
    is_like = got.dtype == expected.dtype and torch.allclose(got.float(), expected.float(), rtol=5e-3, atol=5e-3)
    return "" if is_like else f"{got.flatten()[:3].tolist()}, not {expected.flatten()[:3].tolist()}"


def main() -> None:
    """Runs all calls at the opset of the argument.

    With sizes that are known a mean is one node, of which the runtime says in what it sums.
    """
    sys.path.insert(0, ".")
    importlib.import_module("symbolics")
    dynamic = {"x": {0: "batch", 2: "height"}}
    found = {name: difference(call, int(sys.argv[1]), dynamic) for name, call in CALLS.items()}
    found |= {
        f"{name}, static": difference(call, int(sys.argv[1]), {}) for name, call in CALLS.items() if name != "mean"
    }
    print(json.dumps({"count": len(found), "wrong": {name: text for name, text in found.items() if text}}))


if __name__ == "__main__":
    main()
