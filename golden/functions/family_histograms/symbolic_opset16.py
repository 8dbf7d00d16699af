"""ONNX symbolic functions, right from opset 16 on."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import torch
from torch import _C
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import (
    _type_utils,
    jit_utils,
    registration,
    symbolic_helper,
)

__all__ = ["bincount"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=16, custom=True)


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: _known 07c1363a5c94cc6e
def _known(value: Any) -> Any:
    """The Python number, list of numbers, or text in a constant value; None where it is known only when the model runs."""
    if symbolic_helper._is_none(value):
        return None
    if isinstance(value, _C.Value) and symbolic_helper._is_packed_list(value):
        value = symbolic_helper._unpack_list(value)
    if isinstance(value, (list, tuple)):
        elements = [_known(element) for element in value]
        if None in elements:
            return None
        return [
            number for part in elements for number in (part if isinstance(part, list) else [part])
        ]
    if isinstance(value, _C.Value):
        value = (
            value.toIValue()
            if value.node().kind() == "prim::Constant"
            else symbolic_helper._maybe_get_const(value, "t")
        )
    if isinstance(value, torch.Tensor):
        return value.tolist()
    return value if isinstance(value, (int, float, str, list)) else None


# symgen: _ints 94b137551f16b0c3
def _ints(g: jit_utils.GraphContext, values: Any) -> _C.Value:
    """Integers, of which some may be graph values, as one int64 tensor of shape [n]."""
    if isinstance(values, _C.Value) and symbolic_helper._is_packed_list(values):
        values = symbolic_helper._unpack_list(values)
    known = _known(values)
    if known is not None:
        return g.op("Constant", value_t=torch.tensor(known, dtype=torch.int64).reshape(-1))
    if isinstance(values, _C.Value):
        # The exporter follows a length through Unsqueeze, not through Reshape.
        if symbolic_helper._get_tensor_rank(values) == 0:
            return _cast(g, symbolic_helper._unsqueeze_helper(g, values, [0]), torch.int64)
        shape = g.op("Constant", value_t=torch.tensor([-1]))
        return _cast(g, g.op("Reshape", values, shape), torch.int64)
    runs = itertools.groupby(values, key=lambda value: _known(value) is not None)
    parts = [part for is_known, run in runs for part in ([list(run)] if is_known else run)]
    return g.op("Concat", *[_ints(g, part) for part in parts], axis_i=0)


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _tallied c64e3b1718ab7b24
def _tallied(
    g: jit_utils.GraphContext, places: _C.Value, weights: _C.Value, count: _C.Value
) -> _C.Value:
    """For each of `count` places the sum of the weights that fall on it; `count` has the shape [1]."""
    zeros = g.op("ConstantOfShape", count, value_t=torch.tensor([0], dtype=_dtype(weights)))
    return g.op("ScatterElements", zeros, places, weights, axis_i=0, reduction_s="add")


# symgen: _static_numel 9d9f211f8b1cf1df
def _static_numel(value: _C.Value) -> int | None:
    """The number of elements where it is known at export, else None."""
    sizes = symbolic_helper._get_tensor_sizes(value)
    return None if sizes is None or None in sizes else math.prod(sizes)


# symgen: aten::bincount 621c1133654312b6
@_onnx_symbolic("aten::bincount")
@symbolic_helper.parse_args("v", "v", "v")
def bincount(
    g: jit_utils.GraphContext,
    input: _C.Value,
    weights: _C.Value | None = None,
    minlength: _C.Value = 0,
) -> _C.Value:
    """bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor

    How often each whole number occurs, or the sum of its weights.
    """
    places = _cast(g, input, torch.int64)
    count = g.op(
        "Add",
        g.op(
            "ReduceMax",
            g.op(
                "Concat",
                places,
                g.op(
                    "Sub",
                    _ints(g, minlength),
                    g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
                ),
                axis_i=0,
            ),
            keepdims_i=1,
        ),
        g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
    )
    if symbolic_helper._is_none(weights) or _static_numel(input) == 0:
        return _tallied(
            g,
            places,
            g.op("Expand", g.op("Constant", value_t=torch.tensor(1)), g.op("Shape", places)),
            count,
        )
    if _dtype(weights) != torch.float32:
        weights = _cast(g, weights, torch.float64)
    return _tallied(g, places, weights, count)
