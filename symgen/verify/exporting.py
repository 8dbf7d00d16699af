"""The export of a round trip through torch's dynamo exporter. Generated tests carry a copy of these functions.

Only torch and onnx are needed here, and each function stands alone but for the others in this file.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import onnx
import torch


def export_program(
    module: torch.nn.Module,
    tensors: Sequence[torch.Tensor],
    opset: int,
    dynamic: bool,
    table: Mapping[Callable[..., Any], Callable[..., Any]],
) -> bytes:
    """Exports with the dynamo exporter and has the checker look at the model; the inputs are x0, x1 and so on.

    Dynamic axes are those longer than 1 that torch.export does not have to fix. `table` is the translation table.
    """
    free = torch.export.Dim.AUTO
    axes = tuple({axis: free for axis, size in enumerate(x.shape) if size > 1} for x in tensors)
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            module.eval(),
            tuple(x.clone() for x in tensors),
            dynamo=True,
            opset_version=opset,
            input_names=[f"x{place}" for place in range(len(tensors))],
            dynamic_shapes=(axes,) if dynamic and tensors else None,
            custom_translation_table=dict(table),
            verbose=False,
        )
    assert program is not None
    data: bytes = program.model_proto.SerializeToString()
    onnx.checker.check_model(data, full_check=True)
    return data


def fits(model: bytes, shapes: Sequence[Sequence[int]]) -> bool:
    """Whether tensors of these shapes can be given to a model: its axes are fixed, or equal where their names are."""
    wanted = {f"x{place}": shape for place, shape in enumerate(shapes)}
    known: dict[str, int] = {}
    for value in onnx.load_from_string(model).graph.input:
        for axis, size in zip(value.type.tensor_type.shape.dim, wanted[value.name], strict=True):
            if not axis.dim_param:
                if axis.dim_value != size:
                    return False
            # An axis that is free was longer than 1 in the export, and torch relies on that.
            elif size < 2 or known.setdefault(axis.dim_param, size) != size:
                return False
    return True
