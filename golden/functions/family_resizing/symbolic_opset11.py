"""ONNX symbolic functions, right from opset 11 on."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
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

__all__ = ["_upsample_nearest_exact1d"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=11, custom=True)


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


# symgen: _static_size 11ff0519ee8bff60
def _static_size(value: _C.Value, axis: int) -> int | None:
    """The length of an axis where it is known at export, else None."""
    known = symbolic_helper._get_tensor_dim_size(value, axis)
    if known is None and value.node().kind() == "onnx::Reshape":
        # Nodes that the exporter's own passes made have no inferred shapes.
        sizes = _known(list(value.node().inputs())[1])
        known = sizes[axis] if sizes is not None and sizes[axis] > 0 else None
    return known


# symgen: _rank 6d888dc2ea092ca6
def _rank(value: _C.Value) -> int:
    """The rank of a tensor; raises where the exporter does not know it."""
    rank = symbolic_helper._get_tensor_rank(value)
    if rank is None:
        raise errors.SymbolicValueError(
            f"the rank of {value.debugName()} is not known at export", value
        )
    return rank


# symgen: _size c55557e33fa7e33f
def _size(g: jit_utils.GraphContext, value: _C.Value, axis: int) -> _C.Value:
    """The length of an axis as an int64 tensor of shape [1], also where it is dynamic."""
    known = _static_size(value, axis)
    if known is not None:
        return g.op("Constant", value_t=torch.tensor([known], dtype=torch.int64))
    if axis < 0:
        axis += _rank(value)
    return g.op(
        "Gather", g.op("Shape", value), g.op("Constant", value_t=torch.tensor([axis])), axis_i=0
    )


# symgen: _cast_like 7ccf97423759ad9a
def _cast_like(g: jit_utils.GraphContext, value: _C.Value, like: _C.Value) -> _C.Value:
    """The tensor in the dtype of `like`, also where that is unknown at export."""
    known = _type_utils.JitScalarType.from_value(like, _type_utils.JitScalarType.UNDEFINED)
    if known != _type_utils.JitScalarType.UNDEFINED:
        return symbolic_helper._maybe_cast_to_type(g, value, known)
    if g.opset < 15:
        raise errors.SymbolicValueError(
            "a dtype that is unknown at export needs opset 15 (CastLike)", like
        )
    return g.op("CastLike", value, like)


# symgen: _scalar 9451145ccc11ca13
def _scalar(g: jit_utils.GraphContext, number: Any, like: _C.Value) -> _C.Value:
    """A constant of the dtype of `like`, also where that is unknown at export."""
    known = _type_utils.JitScalarType.from_value(like, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        return _cast_like(g, g.op("Constant", value_t=torch.tensor(number)), like)
    return g.op("Constant", value_t=torch.tensor(number, dtype=known.dtype()))


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: _nearest_along 47ad4dff576020c9
def _nearest_along(
    g: jit_utils.GraphContext,
    x: _C.Value,
    axis: int,
    length: _C.Value,
    factor: float | None,
    point: float,
) -> _C.Value:
    """Each element of the new axis is the one in which a point of its place falls: its start (0) or middle (0.5)."""
    size = _cast(g, _size(g, x, axis), torch.float32)
    step = g.op("Div", size, _cast(g, length, torch.float32))
    if factor and _rank(x) == 4 and (not point):
        # Of images torch has no use for the factor where an axis keeps its length or doubles it.
        is_plain = g.op(
            "Or",
            g.op("Equal", length, _size(g, x, axis)),
            g.op(
                "Equal",
                length,
                g.op(
                    "Mul",
                    _size(g, x, axis),
                    g.op("Constant", value_t=torch.tensor(2, dtype=torch.int64)),
                ),
            ),
        )
        step = g.op(
            "Where",
            is_plain,
            step,
            g.op(
                "Reciprocal", g.op("Constant", value_t=torch.tensor([factor], dtype=torch.float32))
            ),
        )
    elif factor:
        step = g.op(
            "Reciprocal", g.op("Constant", value_t=torch.tensor([factor], dtype=torch.float32))
        )
    numbers = _cast(
        g,
        g.op(
            "Range",
            _scalar(g, 0, length),
            symbolic_helper._squeeze_helper(g, length, [0]),
            _scalar(g, 1, length),
        ),
        torch.float32,
    )
    places = g.op(
        "Min",
        g.op(
            "Floor",
            g.op(
                "Mul",
                g.op(
                    "Add",
                    numbers,
                    g.op("Constant", value_t=torch.tensor(point, dtype=torch.float32)),
                ),
                step,
            ),
        ),
        g.op("Sub", size, g.op("Constant", value_t=torch.tensor(1.0, dtype=torch.float32))),
    )
    return g.op("Gather", x, _cast(g, places, torch.int64), axis_i=axis)


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


# symgen: _new_lengths 6de19426a02cefbc
def _new_lengths(
    g: jit_utils.GraphContext, x: _C.Value, output_size: _C.Value, factors: list[float | None]
) -> _C.Value:
    """The lengths of the last axes, as one int64 tensor."""
    if symbolic_helper._is_none(output_size):
        axes = range(2, _rank(x))
        grown = [
            g.op(
                "Mul",
                _cast(g, _size(g, x, axis), torch.float64),
                g.op("Constant", value_t=torch.tensor(factors[axis - 2], dtype=torch.float64)),
            )
            for axis in axes
        ]
        return _cast(g, g.op("Floor", g.op("Concat", *grown, axis_i=0)), torch.int64)
    return _ints(g, output_size)


# symgen: _scale_factors_of faf15a6d5c2e8b44
def _scale_factors_of(
    g: jit_utils.GraphContext, args: list[float], axes: int
) -> list[float | None]:
    """The factors by which the last axes grow, None where only the new length counts.

    An overload has them as one list, another as one number for each axis behind the new
    lengths.
    """
    known = [_known(value) for value in args]
    if len(known) == 1 and (axes > 1 or isinstance(known[0], list)):
        return [None] * axes if known[0] is None else known[0]
    return known


# symgen: _resized_to_nearest 366cd0c259206db4
def _resized_to_nearest(
    g: jit_utils.GraphContext, x: _C.Value, args: Sequence[_C.Value], point: float
) -> _C.Value:
    """The image with each new element the nearest old one, by a point of the places; see `nearest_along`."""
    factors = _scale_factors_of(g, args[1:], _rank(x) - 2)
    lengths = _new_lengths(g, x, args[0], factors)
    result = x
    for axis in range(2, _rank(x)):
        length = g.op(
            "Slice",
            lengths,
            g.op("Constant", value_t=torch.tensor([axis - 2], dtype=torch.int64)),
            g.op("Constant", value_t=torch.tensor([axis - 1], dtype=torch.int64)),
        )
        result = _nearest_along(g, result, axis, length, factors[axis - 2], point)
    return result


# symgen: aten::_upsample_nearest_exact1d 5cb0ec608aa15a11
@_onnx_symbolic("aten::_upsample_nearest_exact1d")
@symbolic_helper.quantized_args(True)
def _upsample_nearest_exact1d(
    g: jit_utils.GraphContext, input: _C.Value, *args: _C.Value
) -> _C.Value:
    """_upsample_nearest_exact1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor
    _upsample_nearest_exact1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor

    The nearest element, by the middles of the places
    """
    return _resized_to_nearest(g, input, args, 0.5)
