"""Orthogonal polynomials at the edges of their algorithm, through exported models; run beside a package of functions.

The arguments are the exporter and the opset. The script prints as JSON how many results there are, and those that
differ from eager torch.
"""

from __future__ import annotations

import importlib
import io
import json
import math
import sys

import onnxruntime
import torch

Tensor = torch.Tensor
CHEBYSHEV = tuple(f"special_{shifted}chebyshev_polynomial_{kind}" for shifted in ("", "shifted_") for kind in "tuvw")
HERMITE = ("special_hermite_polynomial_h", "special_hermite_polynomial_he")
OTHERS = ("special_laguerre_polynomial_l", "special_legendre_polynomial_p")
OPS = (*CHEBYSHEV, *HERMITE, *OTHERS)
DEGREES = (-2.0, -0.5, 0.0, 1.0, 2.9, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 12.0, 40.0, math.nan, math.inf, -math.inf, 1e19)
HUGE = {
    # Waves and ends have no need of counting, and what overflows ends; further out no cosine is like another.
    **dict.fromkeys(CHEBYSHEV, (257.0, 1000.0)),
    **dict.fromkeys(HERMITE, (127.0, 128.0, 129.0, 511.0, 512.0, 513.0, 1e9)),
    **dict.fromkeys(OTHERS, (300.0,)),
}


class Polynomial(torch.nn.Module):
    """An operator of two tensors."""

    def __init__(self, name: str) -> None:
        """Keeps the operator."""
        super().__init__()
        self.function = getattr(torch.ops.aten, name)

    def forward(self, x: Tensor, n: Tensor) -> Tensor:
        """Applies it."""
        result: Tensor = self.function(x, n)
        return result


def places(dtype: torch.dtype) -> Tensor:
    """The ends, their neighbours, both sides of them, numbers without end and none; one a row."""
    ends = torch.tensor([-1.0, 0.0, 1.0], dtype=dtype)
    above, below = (torch.nextafter(ends, torch.full_like(ends, far)) for far in (9.0, -9.0))
    some = torch.tensor([-0.0, -0.7, 0.3, 0.5, 0.85, 1.4, -2.5, 30.0, 1e30, math.inf, -math.inf, math.nan], dtype=dtype)
    return torch.cat([ends, above, below, some]).unsqueeze(1)


def expected_of(model: Polynomial, x: Tensor, n: Tensor) -> Tensor:
    """What torch has, but nan of nan: from the degree 2 on some of its kernels return what they never wrote."""
    result: Tensor = model(x, n)
    is_counted = (n >= 2) & (n < 2.0**63)
    return torch.where(x.isnan() & is_counted, math.nan, result)


def exported(model: Polynomial, arguments: tuple[Tensor, Tensor], exporter: str, opset: int) -> bytes:
    """The bytes of the model."""
    if exporter == "torchlib":
        table = importlib.import_module("torchlib_ops").translation_table(opset)
        program = torch.onnx.export(
            model, arguments, dynamo=True, opset_version=opset, custom_translation_table=table, verbose=False
        )
        assert program is not None
        data: bytes = program.model_proto.SerializeToString()
        return data
    importlib.import_module("symbolics")
    buffer = io.BytesIO()
    torch.onnx.export(model, arguments, buffer, dynamo=False, opset_version=opset)
    return buffer.getvalue()


def main() -> None:
    """Compares every operator in both precisions."""
    sys.path.insert(0, ".")
    exporter, opset = sys.argv[1], int(sys.argv[2])
    wrong, count = [], 0
    for name in OPS:
        model = Polynomial(name)
        for dtype in (torch.float32, torch.float64):
            x, n = places(dtype), torch.tensor([*DEGREES, *HUGE[name]], dtype=dtype)
            session = onnxruntime.InferenceSession(exported(model, (x, n), exporter, opset))
            feeds = dict(zip((one.name for one in session.get_inputs()), (x.numpy(), n.numpy()), strict=True))
            got = torch.from_numpy(session.run(None, feeds)[0])
            expected = expected_of(model, x, n)
            count += expected.numel()
            close = torch.isclose(got, expected, rtol=1e-4 if dtype == torch.float32 else 1e-9, equal_nan=True)
            for row, column in (~close).nonzero().tolist():
                of = f"{name} {dtype} of {x[row].item()!r}, {n[column].item()!r}"
                wrong.append(f"{of}: {got[row, column].item()}, not {expected[row, column].item()}")
    print(json.dumps({"count": count, "wrong": wrong}))


if __name__ == "__main__":
    main()
