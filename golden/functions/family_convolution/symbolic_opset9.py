"""ONNX symbolic functions, right from opset 9 on."""

from __future__ import annotations

import functools
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

__all__ = ["conv_tbc"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9, custom=True)


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


# symgen: _taken_along 248e5cdad6c7d473
def _taken_along(g: jit_utils.GraphContext, x: _C.Value, axis: int, places: _C.Value) -> _C.Value:
    """The elements at those places of an axis, in whose stead the two axes of the places are; 0 beyond its ends."""
    # 1 for a place that has an element, else 0.
    inside = _cast(
        g,
        g.op(
            "And",
            g.op("Greater", places, _scalar(g, -1, places)),
            g.op("Less", places, _size(g, x, axis)),
        ),
        torch.int64,
    )
    others = [other for other in range(_rank(x) + 1) if other not in (axis, axis + 1)]
    return g.op(
        "Mul",
        g.op("Gather", x, g.op("Mul", places, inside), axis_i=axis),
        symbolic_helper._unsqueeze_helper(g, inside, others),
    )


# symgen: _windows_taken 69deab2595e7fd05
def _windows_taken(g: jit_utils.GraphContext, x: _C.Value, places: Sequence[_C.Value]) -> _C.Value:
    """The windows over the last axes: (batch, channels, places in a window …, windows …) of int64."""
    axes = len(places)
    windows = _cast(g, x, torch.int64)
    for axis in reversed(range(axes)):
        windows = _taken_along(g, windows, axis + 2, places[axis])
    inside = [2 + 2 * axis for axis in range(axes)]
    return g.op("Transpose", windows, perm_i=[0, 1, *inside, *[axis + 1 for axis in inside]])


# symgen: _product_of 6307983a50dfc087
def _product_of(g: jit_utils.GraphContext, lengths: Sequence[_C.Value]) -> _C.Value:
    """The product of lengths, as one int64 element."""
    product = g.op("Constant", value_t=torch.tensor([1]))
    for length in lengths:
        product = g.op("Mul", product, length)
    return product


# symgen: _weighted_windows 2bccd8d80e21204b
def _weighted_windows(
    g: jit_utils.GraphContext,
    x: _C.Value,
    weight: _C.Value,
    bias: _C.Value,
    places: Sequence[_C.Value],
    groups: int,
) -> _C.Value:
    """Σ over each window of elements times weights, (out, in a group, places in a window …), and the bias of each."""
    axes = len(places)
    windows = _windows_taken(g, x, places)
    width = _product_of(g, [_size(g, weight, axis) for axis in range(1, axes + 2)])
    lengths = [_size(g, windows, axes + 2 + axis) for axis in range(axes)]
    batch, parts, out = (
        g.op("Constant", value_t=torch.tensor([-1])),
        g.op("Constant", value_t=torch.tensor([groups], dtype=torch.int64)),
        _size(g, weight, 0),
    )
    columns = g.op(
        "Reshape", windows, g.op("Concat", batch, parts, width, _product_of(g, lengths), axis_i=0)
    )
    rows = g.op(
        "Reshape",
        _cast(g, weight, torch.int64),
        g.op("Concat", parts, g.op("Div", out, parts), width, axis_i=0),
    )
    y = g.op(
        "Reshape", g.op("MatMul", rows, columns), g.op("Concat", batch, out, *lengths, axis_i=0)
    )
    return (
        y
        if symbolic_helper._is_none(bias)
        else g.op(
            "Add",
            y,
            symbolic_helper._unsqueeze_helper(
                g, _cast(g, bias, torch.int64), list(range(1, axes + 1))
            ),
        )
    )


# symgen: _counted_to 38b918ac41b468e1
def _counted_to(g: jit_utils.GraphContext, length: _C.Value) -> _C.Value:
    """0, 1 … length − 1 as a row; `length` is one int64 element."""
    return g.op("NonZero", g.op("ConstantOfShape", length, value_t=torch.tensor([1])))


# symgen: _starts_of_windows 0e7e718e587ad404
def _starts_of_windows(
    g: jit_utils.GraphContext,
    x: _C.Value,
    axis: int,
    reach: _C.Value,
    stride: int,
    front: int,
    behind: _C.Value,
) -> _C.Value:
    """A row of where each window along an axis starts, below 0 in the padding; its last place is `reach` behind."""
    room = g.op(
        "Sub",
        g.op(
            "Sub",
            g.op(
                "Add",
                g.op("Add", _size(g, x, axis), behind),
                g.op("Constant", value_t=torch.tensor(front, dtype=torch.int64)),
            ),
            reach,
        ),
        g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
    )
    return g.op(
        "Sub",
        g.op(
            "Mul",
            _counted_to(
                g,
                g.op(
                    "Div",
                    g.op(
                        "Add",
                        room,
                        g.op("Constant", value_t=torch.tensor(stride, dtype=torch.int64)),
                    ),
                    g.op("Constant", value_t=torch.tensor([stride], dtype=torch.int64)),
                ),
            ),
            g.op("Constant", value_t=torch.tensor(stride, dtype=torch.int64)),
        ),
        g.op("Constant", value_t=torch.tensor(front, dtype=torch.int64)),
    )


# symgen: _places_within e20ee8b5a592b9b8
def _places_within(g: jit_utils.GraphContext, kernel: _C.Value, dilation: int) -> _C.Value:
    """How far the places in a window stand behind its start, as a column."""
    return g.op(
        "Mul",
        g.op("Transpose", _counted_to(g, kernel), perm_i=[1, 0]),
        g.op("Constant", value_t=torch.tensor(dilation, dtype=torch.int64)),
    )


# symgen: _whole_convolved 3944c7f6644f732d
def _whole_convolved(
    g: jit_utils.GraphContext,
    x: _C.Value,
    weight: _C.Value,
    bias: _C.Value,
    stride: list[int],
    pads: list[int],
    dilation: list[int],
    groups: int,
) -> _C.Value:
    """The convolution of whole numbers with a batch axis, as int64; pads are those in front, then those behind."""
    axes, places = len(stride), []
    for axis in range(axes):
        kernel, behind = (
            _size(g, weight, axis + 2),
            g.op("Constant", value_t=torch.tensor([pads[axis + axes]], dtype=torch.int64)),
        )
        reach = g.op(
            "Mul",
            g.op("Sub", kernel, g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64))),
            g.op("Constant", value_t=torch.tensor(dilation[axis], dtype=torch.int64)),
        )
        starts = _starts_of_windows(g, x, axis + 2, reach, stride[axis], pads[axis], behind)
        places.append(g.op("Add", starts, _places_within(g, kernel, dilation[axis])))
    return _weighted_windows(g, x, weight, bias, places, groups)


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _as_single 0cc2ff2143414345
def _as_single(g: jit_utils.GraphContext, x: _C.Value) -> _C.Value:
    """Whole numbers and half precision as float32."""
    return _cast(g, x, torch.float64 if _dtype(x) == torch.float64 else torch.float32)


# symgen: aten::conv_tbc 591e43dd4ba9c830
@_onnx_symbolic("aten::conv_tbc")
@symbolic_helper.parse_args("v", "v", "v", "i")
def conv_tbc(
    g: jit_utils.GraphContext, input: _C.Value, weight: _C.Value, bias: _C.Value, pad: int = 0
) -> _C.Value:
    """conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor

    A convolution along the first axis, (time, batch, channels), with weights (kernel,
    in, out)
    """
    dtype = _dtype(input)
    if not dtype.is_floating_point:
        windowed, turned = (
            g.op("Transpose", input, perm_i=[1, 2, 0]),
            g.op("Transpose", weight, perm_i=[2, 1, 0]),
        )
        y = _whole_convolved(g, windowed, turned, bias, [1], [pad, pad], [1], 1)
        return _cast(g, g.op("Transpose", y, perm_i=[2, 0, 1]), dtype)
    x = g.op("Transpose", _as_single(g, input), perm_i=[1, 2, 0])
    w = g.op("Transpose", _cast_like(g, weight, x), perm_i=[2, 1, 0])
    y = g.op("Conv", x, w, _cast_like(g, bias, x), pads_i=[pad, pad])
    return _cast(g, g.op("Transpose", y, perm_i=[2, 0, 1]), dtype)
