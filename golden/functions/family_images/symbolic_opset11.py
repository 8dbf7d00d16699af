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

__all__ = ["_upsample_bilinear2d_aa"]

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


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _larger_of 4a3a680c3802dbe9
def _larger_of(g: jit_utils.GraphContext, a: _C.Value, b: _C.Value) -> _C.Value:
    """The larger of two tensors, nan passed on (Max takes integers from opset 12 on)."""
    if _dtype(a).is_floating_point:
        return g.op("Max", a, b)
    return g.op("Where", g.op("Greater", a, b), a, b)


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


# symgen: _smaller_of 61321cb84fb467ef
def _smaller_of(g: jit_utils.GraphContext, a: _C.Value, b: _C.Value) -> _C.Value:
    """The smaller of two tensors, nan passed on (Min takes integers from opset 12 on)."""
    if _dtype(a).is_floating_point:
        return g.op("Min", a, b)
    return g.op("Where", g.op("Less", a, b), a, b)


# symgen: _added_in_order ab2f7c439c198a64
def _added_in_order(g: jit_utils.GraphContext, x: _C.Value, axis: int) -> _C.Value:
    """The sum along an axis, from its start to its end: in another order the last places would be others."""
    return g.op(
        "Gather",
        g.op("CumSum", x, g.op("Constant", value_t=torch.tensor(axis, dtype=torch.int64))),
        g.op("Constant", value_t=torch.tensor(-1, dtype=torch.int64)),
        axis_i=axis,
    )


# symgen: _windowed_along 97fffa9e50efd74c
def _windowed_along(
    g: jit_utils.GraphContext,
    x: _C.Value,
    axis: int,
    first: _C.Value,
    count: _C.Value,
    weights: _C.Value,
) -> _C.Value:
    """The sum over each window along an axis, each element times its weight, also of 0; what is outside has none."""
    last = g.op(
        "Sub", _size(g, x, axis), g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64))
    )
    turns = symbolic_helper._unsqueeze_helper(
        g,
        g.op(
            "Range",
            g.op("Constant", value_t=torch.tensor(0, dtype=torch.int64)),
            symbolic_helper._squeeze_helper(g, _size(g, weights, 1), [0]),
            g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
        ),
        [0],
    )
    places = _larger_of(
        g,
        _smaller_of(g, g.op("Add", symbolic_helper._unsqueeze_helper(g, first, [1]), turns), last),
        g.op("Constant", value_t=torch.tensor([0])),
    )
    others = [other for other in range(_rank(x) + 1) if other not in (axis, axis + 1)]
    products = g.op(
        "Mul",
        g.op("Gather", x, places, axis_i=axis),
        symbolic_helper._unsqueeze_helper(g, weights, others),
    )
    is_held = symbolic_helper._unsqueeze_helper(
        g, g.op("Less", turns, symbolic_helper._unsqueeze_helper(g, count, [1])), others
    )
    return _added_in_order(g, g.op("Where", is_held, products, _scalar(g, 0.0, x)), axis + 1)


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: _bytes_along 744e7a91a83943e9
def _bytes_along(
    g: jit_utils.GraphContext,
    x: _C.Value,
    axis: int,
    first: _C.Value,
    count: _C.Value,
    weights: _C.Value,
    largest: _C.Value,
) -> _C.Value:
    """The sum over each window as torch has it of bytes: weights are whole numbers of 16 bits, as large as they may."""
    powers = [2.0**digits for digits in range(23)]
    is_small = g.op(
        "Less",
        g.op(
            "Floor",
            g.op(
                "Add",
                g.op(
                    "Mul",
                    largest,
                    g.op("Constant", value_t=torch.tensor(powers[1:], dtype=torch.float64)),
                ),
                _scalar(g, 0.5, largest),
            ),
        ),
        _scalar(g, 32768.0, largest),
    )
    digits = symbolic_helper._reducesum_helper(g, _cast(g, is_small, torch.int64), keepdims_i=0)
    unit = g.op(
        "Gather",
        g.op("Constant", value_t=torch.tensor(powers, dtype=torch.float64)),
        digits,
        axis_i=0,
    )
    scaled = g.op("Mul", weights, unit)
    whole = g.op(
        "Where",
        g.op("Less", scaled, _scalar(g, 0.0, scaled)),
        g.op("Ceil", g.op("Sub", scaled, _scalar(g, 0.5, scaled))),
        g.op("Floor", g.op("Add", scaled, _scalar(g, 0.5, scaled))),
    )
    total = _windowed_along(g, x, axis, first, count, whole)
    return _larger_of(
        g,
        _smaller_of(
            g,
            g.op(
                "Floor",
                g.op(
                    "Div",
                    g.op(
                        "Add",
                        total,
                        g.op(
                            "Mul",
                            unit,
                            g.op("Constant", value_t=torch.tensor(0.5, dtype=torch.float64)),
                        ),
                    ),
                    unit,
                ),
            ),
            _scalar(g, 255.0, total),
        ),
        _scalar(g, 0.0, total),
    )


# symgen: _filtered 1b7c3a67a6e68401
def _filtered(g: jit_utils.GraphContext, distance: _C.Value, taps: int, a: float) -> _C.Value:
    """The weight of an element by its distance from a place: a triangle (2 taps), or Keys' cubic convolution (4)."""
    x = g.op("Abs", distance)
    one, two, zero = [_scalar(g, number, x) for number in (1.0, 2.0, 0.0)]
    if taps == 2:
        return g.op("Where", g.op("Less", x, one), g.op("Sub", _scalar(g, 1.0, x), x), zero)
    # In the order in which torch reckons, by which elements at whole distances weigh 1 and 0.
    near = g.op(
        "Add",
        g.op(
            "Mul",
            g.op(
                "Mul",
                g.op("Sub", g.op("Mul", _scalar(g, a + 2.0, x), x), _scalar(g, a + 3.0, x)),
                x,
            ),
            x,
        ),
        _scalar(g, 1.0, x),
    )
    far = g.op(
        "Sub",
        g.op(
            "Mul",
            g.op(
                "Add",
                g.op(
                    "Mul", g.op("Sub", g.op("Mul", _scalar(g, a, x), x), _scalar(g, 5.0 * a, x)), x
                ),
                _scalar(g, 8.0 * a, x),
            ),
            x,
        ),
        _scalar(g, 4.0 * a, x),
    )
    return g.op("Where", g.op("Less", x, one), near, g.op("Where", g.op("Less", x, two), far, zero))


# symgen: _antialiased_windows 2b6adaad17d604cc
def _antialiased_windows(
    g: jit_utils.GraphContext,
    like: _C.Value,
    size: _C.Value,
    length: _C.Value,
    step: _C.Value,
    exact: _C.Value,
    taps: int,
) -> list[_C.Value]:
    """(The first element of each new element's window, how many it holds, their weights); wider where images shrink.

    What torch reckons in double precision and what in that of the image decides where
    windows end, and which weights are 0 or negative, as an infinite element tells. All
    others are made of the exact step: what they lose in the precision of the image
    shows in sums that are small beside their terms.
    """
    wide = _larger_of(g, step, _scalar(g, 1.0, step))
    support = g.op("Mul", wide, _scalar(g, 0.5 * taps, wide))
    numbers = _cast(
        g,
        g.op(
            "Range",
            _scalar(g, 0, length),
            symbolic_helper._squeeze_helper(g, length, [0]),
            _scalar(g, 1, length),
        ),
        torch.float64,
    )
    centre = _cast_like(
        g,
        g.op(
            "Mul",
            _cast(g, step, torch.float64),
            g.op("Add", numbers, g.op("Constant", value_t=torch.tensor(0.5, dtype=torch.float64))),
        ),
        like,
    )
    start = _cast(
        g,
        g.op(
            "Floor",
            g.op(
                "Add",
                _cast(g, g.op("Sub", centre, support), torch.float64),
                g.op("Constant", value_t=torch.tensor(0.5, dtype=torch.float64)),
            ),
        ),
        torch.int64,
    )
    end = _cast(
        g,
        g.op(
            "Floor",
            g.op(
                "Add",
                _cast(g, g.op("Add", centre, support), torch.float64),
                g.op("Constant", value_t=torch.tensor(0.5, dtype=torch.float64)),
            ),
        ),
        torch.int64,
    )
    nothing = g.op("Constant", value_t=torch.tensor([0]))
    first = _larger_of(g, start, nothing)
    most = g.op(
        "Add",
        g.op(
            "Mul",
            _cast(g, g.op("Ceil", support), torch.int64),
            g.op("Constant", value_t=torch.tensor(2, dtype=torch.int64)),
        ),
        g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
    )
    count = _larger_of(
        g, _smaller_of(g, g.op("Sub", _smaller_of(g, end, size), first), most), nothing
    )
    turns = symbolic_helper._unsqueeze_helper(
        g,
        g.op(
            "Range",
            g.op("Constant", value_t=torch.tensor(0, dtype=torch.int64)),
            symbolic_helper._squeeze_helper(g, most, [0]),
            g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
        ),
        [0],
    )
    behind = g.op(
        "Sub",
        _cast_like(g, g.op("Add", symbolic_helper._unsqueeze_helper(g, first, [1]), turns), like),
        symbolic_helper._unsqueeze_helper(g, centre, [1]),
    )
    distance = g.op(
        "Mul",
        g.op(
            "Add",
            _cast(g, behind, torch.float64),
            g.op("Constant", value_t=torch.tensor(0.5, dtype=torch.float64)),
        ),
        _cast(g, g.op("Reciprocal", wide), torch.float64),
    )
    rounded = _cast(g, _filtered(g, _cast_like(g, distance, like), taps, -0.5), torch.float64)
    behind = g.op(
        "Sub",
        _cast(
            g, g.op("Add", symbolic_helper._unsqueeze_helper(g, first, [1]), turns), torch.float64
        ),
        symbolic_helper._unsqueeze_helper(
            g,
            g.op(
                "Mul",
                exact,
                g.op(
                    "Add", numbers, g.op("Constant", value_t=torch.tensor(0.5, dtype=torch.float64))
                ),
            ),
            [1],
        ),
    )
    weights = _filtered(
        g,
        g.op(
            "Div",
            g.op("Add", behind, g.op("Constant", value_t=torch.tensor(0.5, dtype=torch.float64))),
            _larger_of(g, exact, _scalar(g, 1.0, exact)),
        ),
        taps,
        -0.5,
    )
    weights = g.op(
        "Where", g.op("Equal", g.op("Sign", weights), g.op("Sign", rounded)), weights, rounded
    )
    zero, one = (
        g.op("Constant", value_t=torch.tensor(0.0, dtype=torch.float64)),
        g.op("Constant", value_t=torch.tensor(1.0, dtype=torch.float64)),
    )
    weights = g.op(
        "Where",
        g.op("Less", turns, symbolic_helper._unsqueeze_helper(g, count, [1])),
        weights,
        zero,
    )
    total = symbolic_helper._unsqueeze_helper(g, _added_in_order(g, weights, 1), [1])
    return (
        first,
        count,
        _cast_like(
            g, g.op("Div", weights, g.op("Where", g.op("Equal", total, zero), one, total)), like
        ),
    )


# symgen: _elements_before 83df18587fe6a04c
def _elements_before(
    g: jit_utils.GraphContext, places: _C.Value, size: _C.Value
) -> tuple[_C.Value, ...]:
    """(The number of the last element before each place along an axis of a length, how far behind it the place lies)"""
    # Torch rounds down in single precision.
    low = _smaller_of(
        g,
        _cast_like(g, g.op("Floor", _cast(g, places, torch.float32)), places),
        g.op("Sub", _cast_like(g, size, places), _scalar(g, 1.0, places)),
    )
    return (
        low,
        _larger_of(
            g,
            _smaller_of(g, g.op("Sub", places, low), _scalar(g, 1.0, places)),
            _scalar(g, 0.0, places),
        ),
    )


# symgen: _plain_windows 4594c958b296b8f2
def _plain_windows(
    g: jit_utils.GraphContext,
    size: _C.Value,
    length: _C.Value,
    step: _C.Value,
    taps: int,
    aligns_corners: bool,
) -> list[_C.Value]:
    """(The first element of each new element's window, how many it holds, their weights, the largest on the way).

    What would lie outside the image is counted to the element at its border.
    """
    numbers = _cast(
        g,
        g.op(
            "Range",
            _scalar(g, 0, length),
            symbolic_helper._squeeze_helper(g, length, [0]),
            _scalar(g, 1, length),
        ),
        torch.float64,
    )
    places = (
        g.op("Mul", numbers, step)
        if aligns_corners
        else g.op(
            "Sub",
            g.op(
                "Mul",
                g.op(
                    "Add", numbers, g.op("Constant", value_t=torch.tensor(0.5, dtype=torch.float64))
                ),
                step,
            ),
            g.op("Constant", value_t=torch.tensor(0.5, dtype=torch.float64)),
        )
    )
    if taps == 2 and (not aligns_corners):
        places = g.op(
            "Max", places, g.op("Constant", value_t=torch.tensor(0.0, dtype=torch.float64))
        )
    low, share = _elements_before(g, places, size)
    start = g.op(
        "Sub",
        _cast(g, low, torch.int64),
        g.op("Constant", value_t=torch.tensor(taps // 2 - 1, dtype=torch.int64)),
    )
    first = _larger_of(g, start, g.op("Constant", value_t=torch.tensor([0])))
    count = g.op(
        "Sub",
        _smaller_of(
            g,
            g.op("Add", start, g.op("Constant", value_t=torch.tensor(taps, dtype=torch.int64))),
            size,
        ),
        first,
    )
    zero = g.op("Constant", value_t=torch.tensor(0.0, dtype=torch.float64))
    weights, largest = (
        g.op("Constant", value_t=torch.tensor([[0.0] * taps], dtype=torch.float64)),
        zero,
    )
    for tap in range(taps):
        weight = _filtered(
            g, g.op("Sub", _scalar(g, tap + 1.0 - taps // 2, share), share), taps, -0.75
        )
        turn = g.op(
            "Sub",
            _larger_of(
                g,
                _smaller_of(
                    g,
                    g.op(
                        "Add", start, g.op("Constant", value_t=torch.tensor(tap, dtype=torch.int64))
                    ),
                    g.op("Sub", size, _scalar(g, 1, size)),
                ),
                g.op("Constant", value_t=torch.tensor([0])),
            ),
            first,
        )
        is_its = g.op(
            "Equal",
            symbolic_helper._unsqueeze_helper(g, turn, [1]),
            g.op("Constant", value_t=torch.tensor([list(range(taps))], dtype=torch.int64)),
        )
        weights = g.op(
            "Add",
            weights,
            g.op("Where", is_its, symbolic_helper._unsqueeze_helper(g, weight, [1]), zero),
        )
        largest = g.op("Max", largest, g.op("ReduceMax", weights, keepdims_i=0))
    return (first, count, weights, largest)


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


# symgen: _step_along 4075fb36e2514b6d
def _step_along(
    g: jit_utils.GraphContext,
    like: _C.Value,
    size: _C.Value,
    length: _C.Value,
    factor: float | None,
    aligns_corners: bool,
) -> _C.Value:
    """How far apart the places of a new axis lie in the old one, of which the lengths are given."""
    size, count = _cast_like(g, size, like), _cast_like(g, length, like)
    if aligns_corners:
        return g.op(
            "Div",
            g.op(
                "Mul",
                g.op("Sub", size, _scalar(g, 1.0, size)),
                _smaller_of(g, g.op("Sub", count, _scalar(g, 1.0, count)), _scalar(g, 1.0, count)),
            ),
            _larger_of(g, g.op("Sub", count, _scalar(g, 1.0, count)), _scalar(g, 1.0, count)),
        )
    if factor and factor > 0.0:
        return _scalar(g, [1.0 / factor], like)
    return g.op("Div", size, count)


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


# symgen: _resized_by_windows 96d4574e49be96d9
def _resized_by_windows(
    g: jit_utils.GraphContext,
    input: _C.Value,
    args: Sequence[_C.Value],
    taps: int,
    is_antialiased: bool,
) -> _C.Value:
    """The image resized along its last axis, then along the one before; an axis that keeps its length stays."""
    factors = _scale_factors_of(g, args[2:], 2)
    lengths = _new_lengths(g, input, args[0], factors)
    aligns_corners, is_bytes = bool(_known(args[1])), _dtype(input) == torch.uint8
    x = _cast(g, input, torch.float64) if is_bytes else input
    for axis in (3, 2):
        size, length = (
            _size(g, input, axis),
            g.op(
                "Slice",
                lengths,
                g.op("Constant", value_t=torch.tensor([axis - 2], dtype=torch.int64)),
                g.op("Constant", value_t=torch.tensor([axis - 1], dtype=torch.int64)),
            ),
        )
        step = _step_along(g, x, size, length, factors[axis - 2], aligns_corners)
        if is_antialiased:
            exact = _step_along(
                g,
                g.op("Constant", value_t=torch.tensor(0.0, dtype=torch.float64)),
                size,
                length,
                factors[axis - 2],
                aligns_corners,
            )
            first, count, weights = _antialiased_windows(g, x, size, length, step, exact, taps)
            largest = g.op("ReduceMax", weights, keepdims_i=0) if is_bytes else None
        else:
            first, count, weights, largest = _plain_windows(
                g, size, length, step, taps, aligns_corners
            )
        is_kept = g.op("Equal", length, size)
        first = g.op(
            "Where",
            is_kept,
            g.op(
                "Range",
                g.op("Constant", value_t=torch.tensor(0, dtype=torch.int64)),
                symbolic_helper._squeeze_helper(g, length, [0]),
                g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
            ),
            first,
        )
        count = g.op("Where", is_kept, g.op("Constant", value_t=torch.tensor([1])), count)
        weights = g.op("Where", is_kept, _scalar(g, 1.0, x), weights)
        if is_bytes:
            x = _bytes_along(g, x, axis, first, count, weights, largest)
        else:
            x = _windowed_along(g, x, axis, first, count, weights)
    return _cast_like(g, x, input)


# symgen: aten::_upsample_bilinear2d_aa 4230dc8a0528abc3
@_onnx_symbolic("aten::_upsample_bilinear2d_aa")
def _upsample_bilinear2d_aa(
    g: jit_utils.GraphContext, input: _C.Value, *args: _C.Value
) -> _C.Value:
    """_upsample_bilinear2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor
    _upsample_bilinear2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor

    The elements around each place, by their distance; where the image shrinks, of as
    many as fall together
    """
    return _resized_by_windows(g, input, args, 2, True)
