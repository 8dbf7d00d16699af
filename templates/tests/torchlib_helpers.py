"""What the tests of the torchlib target have beside the functions of a round trip; each function becomes a definition."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
import torch


def exported_round_trip(
    op: Any, dtype: torch.dtype, template: Any, opset: int, table: Any, same: Any = None, **tolerance: float
) -> None:
    """Exports the call with dynamic axes, runs the model on two sets of values, and in another size where it fits."""
    first, second = built(template, dtype, 0), built(template, dtype, 1000)
    calls = [first, second]
    larger = built(template, dtype, 0, more=2)
    with contextlib.suppress(RuntimeError, IndexError):  # not every call can be made in another size
        calls += [larger] if len(called(op, larger)) == len(called(op, first)) else []
    written = "!" in str(op._schema.arguments[0].alias_info)
    module = call_module(op, *first, written=written, carried=False)
    model = export_program(module, tensors_in(first), opset, True, table)
    run, _ = load(model)
    for call in calls:
        if fits(model, [real_view(x).shape for x in tensors_in(call)]):
            assert_same(tensors_in(call), called(op, call), run(tensors_in(call)), same, **tolerance)


def exported_refuse(op: Any, dtype: torch.dtype, template: Any, opset: int, table: Any) -> None:
    """The function says that it does not take the arguments; it does not give a wrong model."""
    call = built(template, dtype, 0)
    with pytest.raises(torch.onnx.errors.OnnxExporterError):
        export_program(call_module(op, *call, carried=False), tensors_in(call), opset, True, table)
