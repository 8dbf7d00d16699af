"""ONNX symbolic functions, right from opset 14 on."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import _C, _prims_common
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import (
    _type_utils,
    jit_utils,
    registration,
    symbolic_helper,
)

__all__ = ["grid_sampler"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=14, custom=True)


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


# symgen: _reflected_between 6594c83d34070864
def _reflected_between(
    g: jit_utils.GraphContext, place: _C.Value, low: _C.Value, high: _C.Value
) -> _C.Value:
    """A coordinate reflected at two borders until it lies between them."""
    span = g.op("Sub", high, low)
    distance = g.op("Abs", g.op("Sub", place, low))
    flips = g.op("Floor", g.op("Div", distance, span))
    rest = g.op("Sub", distance, g.op("Mul", flips, span))
    half = _scalar(g, 0.5, place)
    is_even = g.op(
        "Equal", g.op("Mul", g.op("Floor", g.op("Mul", flips, half)), _scalar(g, 2.0, flips)), flips
    )
    reflected = g.op(
        "Where", is_even, g.op("Add", rest, low), g.op("Add", g.op("Sub", span, rest), low)
    )
    # Without room between the borders all falls on the first place.
    return g.op(
        "Where", g.op("Equal", span, _scalar(g, 0.0, place)), _scalar(g, 0.0, place), reflected
    )


# symgen: _padded_place e99bc14f52ef8f80
def _padded_place(
    g: jit_utils.GraphContext,
    place: _C.Value,
    size: _C.Value,
    padding_mode: int,
    align_corners: bool,
) -> _C.Value:
    """A coordinate brought inside, as the padding mode says; `size` is the length of the axis, in its dtype."""
    last = g.op("Sub", size, _scalar(g, 1, size))
    if padding_mode == 2:
        if align_corners:
            place = _reflected_between(g, place, _scalar(g, 0.0, place), last)
        else:
            place = _reflected_between(
                g, place, _scalar(g, -0.5, place), g.op("Add", last, _scalar(g, 0.5, last))
            )
    if padding_mode == 0:
        return place
    return g.op("Min", g.op("Max", place, _scalar(g, 0.0, place)), last)


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


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


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


# symgen: _tap_weights 7f64773ab31f0c89
def _tap_weights(
    g: jit_utils.GraphContext, fraction: _C.Value, interpolation_mode: int
) -> list[_C.Value]:
    """The weights of the neighbours of a point that lies this far behind the first, or second, of them."""
    if interpolation_mode == 1:
        return [_scalar(g, 1.0, fraction)]
    if interpolation_mode == 0:
        return [g.op("Sub", _scalar(g, 1.0, fraction), fraction), fraction]
    return [
        g.op(
            "Add",
            g.op(
                "Mul",
                g.op(
                    "Add",
                    g.op(
                        "Mul",
                        g.op(
                            "Add",
                            g.op("Mul", _scalar(g, c[3], fraction), fraction),
                            _scalar(g, c[2], fraction),
                        ),
                        fraction,
                    ),
                    _scalar(g, c[1], fraction),
                ),
                fraction,
            ),
            _scalar(g, c[0], fraction),
        )
        for c in [
            [0.0, -0.75, 1.5, -0.75],
            [1.0, 0.0, -2.25, 1.25],
            [0.0, 0.75, 1.5, -1.25],
            [0.0, 0.0, -0.75, 0.75],
        ]
    ]


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _nothing fc92b5f205330fa7
def _nothing(g: jit_utils.GraphContext, shape: _C.Value, dtype: torch.dtype) -> _C.Value:
    """A tensor without elements: where a length is 0, shape operators take it for another's."""
    return g.op("ConstantOfShape", shape, value_t=torch.tensor([0], dtype=dtype))


# symgen: _static_numel 9d9f211f8b1cf1df
def _static_numel(value: _C.Value) -> int | None:
    """The number of elements where it is known at export, else None."""
    sizes = symbolic_helper._get_tensor_sizes(value)
    return None if sizes is None or None in sizes else math.prod(sizes)


# symgen: _with_shape 2417d253dfe2ae88
def _with_shape(g: jit_utils.GraphContext, x: _C.Value, shape: _C.Value, rank: int) -> _C.Value:
    """The tensor in a shape of that rank, which is counted out; a 0 in it is a length."""
    return g.op("Reshape", x, shape, allowzero_i=1)


# symgen: _sampled 563f2ac11f33996e
def _sampled(
    g: jit_utils.GraphContext,
    input: _C.Value,
    grid: _C.Value,
    interpolation_mode: int,
    padding_mode: int,
    align_corners: bool,
) -> _C.Value:
    """The sum over the neighbours of each point, each element times its weight; elements outside are 0."""
    axes = _rank(input) - 2
    lengths = [_size(g, input, 0), _size(g, input, 1)] + [
        _size(g, grid, k + 1) for k in range(axes)
    ]
    if 0 in (_static_size(input, 0), _static_size(input, 1), _static_numel(grid)):
        return _nothing(g, _ints(g, lengths), _dtype(input))
    zero = _scalar(g, 0.0, grid)
    # How many points and elements there are is counted here: a model cannot infer it where there are none.
    points = g.op(
        "Slice",
        g.op("Shape", grid),
        g.op("Constant", value_t=torch.tensor([1])),
        g.op("Constant", value_t=torch.tensor([axes + 1], dtype=torch.int64)),
    )
    count = g.op("ReduceProd", points, axes_i=[0], keepdims_i=1)
    one_row = g.op(
        "Concat", _size(g, grid, 0), g.op("Constant", value_t=torch.tensor([1])), count, axis_i=0
    )
    indices, weights, masks = (
        [g.op("Constant", value_t=torch.tensor([0]))],
        [_scalar(g, [1.0], grid)],
        [g.op("Constant", value_t=torch.tensor([True], dtype=torch.bool))],
    )
    for k in range(axes):
        length = _size(g, input, k + 2)
        size = _cast_like(g, length, grid)
        coordinate = g.op(
            "Gather",
            grid,
            g.op("Constant", value_t=torch.tensor(axes - 1 - k, dtype=torch.int64)),
            axis_i=axes + 1,
        )
        coordinate = _with_shape(g, coordinate, one_row, 3)
        if align_corners:
            place = g.op(
                "Mul",
                g.op(
                    "Mul",
                    g.op("Add", coordinate, _scalar(g, 1.0, coordinate)),
                    _scalar(g, 0.5, coordinate),
                ),
                g.op("Sub", size, _scalar(g, 1, size)),
            )
        else:
            place = g.op(
                "Mul",
                g.op(
                    "Sub",
                    g.op("Mul", g.op("Add", coordinate, _scalar(g, 1.0, coordinate)), size),
                    _scalar(g, 1.0, coordinate),
                ),
                _scalar(g, 0.5, coordinate),
            )
        if interpolation_mode != 2:
            place = _padded_place(g, place, size, padding_mode, align_corners)
        # What is no number lies outside, or where padding brings it inside at the last element.
        nowhere = (
            _scalar(g, -2.0, place) if padding_mode == 0 else g.op("Sub", size, _scalar(g, 1, size))
        )
        place = g.op("Where", g.op("IsNaN", place), nowhere, place)
        first = g.op("Round", place) if interpolation_mode == 1 else g.op("Floor", place)
        offset = 1 if interpolation_mode == 2 else 0
        along = _tap_weights(g, g.op("Sub", place, first), interpolation_mode)
        new_indices, new_weights, new_masks = [], [], []
        for tap in range(len(along)):
            neighbour = g.op("Add", first, _scalar(g, tap - offset, first))
            if interpolation_mode == 2:
                neighbour = _padded_place(g, neighbour, size, padding_mode, align_corners)
            last = g.op("Sub", size, _scalar(g, 1, size))
            inside = g.op("Min", g.op("Max", neighbour, zero), last)
            is_inside = g.op("Equal", inside, neighbour)
            index = _cast(g, inside, torch.int64)
            for number in range(len(indices)):
                new_indices.append(g.op("Add", g.op("Mul", indices[number], length), index))
                new_weights.append(g.op("Mul", weights[number], along[tap]))
                new_masks.append(g.op("And", masks[number], is_inside))
        indices, weights, masks = new_indices, new_weights, new_masks
    batch = g.op(
        "Slice",
        g.op("Shape", input),
        g.op("Constant", value_t=torch.tensor([0])),
        g.op("Constant", value_t=torch.tensor([2])),
    )
    volume = g.op(
        "ReduceProd",
        g.op(
            "Slice",
            g.op("Shape", input),
            g.op("Constant", value_t=torch.tensor([2])),
            g.op("Constant", value_t=torch.tensor([axes + 2], dtype=torch.int64)),
        ),
        axes_i=[0],
        keepdims_i=1,
    )
    flat = _with_shape(g, input, g.op("Concat", batch, volume, axis_i=0), 3)
    where = g.op("Concat", *indices, axis_i=2)
    elements = g.op(
        "GatherElements",
        flat,
        g.op(
            "Expand",
            where,
            g.op("Concat", batch, g.op("Constant", value_t=torch.tensor([1])), axis_i=0),
        ),
        axis_i=2,
    )
    if interpolation_mode != 1:
        elements = g.op("Mul", elements, g.op("Concat", *weights, axis_i=2))
    products = g.op("Where", g.op("Concat", *masks, axis_i=2), elements, zero)
    by_tap = g.op(
        "Concat",
        batch,
        g.op("Constant", value_t=torch.tensor([len(indices)], dtype=torch.int64)),
        count,
        axis_i=0,
    )
    summed = symbolic_helper._reducesum_helper(
        g, _with_shape(g, products, by_tap, 4), axes_i=[2], keepdims_i=0
    )
    return _with_shape(g, summed, g.op("Concat", batch, points, axis_i=0), axes + 2)


# symgen: _stand_in 87d9265a9ee6e3b4
def _stand_in(value: _C.Value) -> Any:
    """What counts for promotion: a Python number for a constant that was one, else a tensor of the dtype and rank."""
    dtype = _dtype(value)
    rank = symbolic_helper._get_tensor_rank(value)
    if rank == 0 and value.node().kind() == "onnx::Constant":
        # The exporter turns Python numbers into constants of the widest dtype.
        number = {torch.float64: 1.0, torch.int64: 1, torch.bool: True}.get(dtype)
        if number is not None:
            return number
    return torch.empty((1,) * (1 if rank is None else rank), dtype=dtype, device="meta")


# symgen: _common_dtype f9b4d831f9ab90b3
def _common_dtype(values: Sequence[Any], kind: str) -> torch.dtype:
    """The dtype to which eager PyTorch casts the arguments."""
    tensors = [
        tensor for value in values for tensor in (value if isinstance(value, list) else [value])
    ]
    if kind == "BY_DTYPE":
        return functools.reduce(torch.promote_types, [_dtype(tensor) for tensor in tensors])
    stand_ins = [_stand_in(tensor) for tensor in tensors if not symbolic_helper._is_none(tensor)]
    rule = kind if kind in ("INT_TO_FLOAT", "BOOL_TO_LONG") else "DEFAULT"
    kinds = _prims_common.ELEMENTWISE_TYPE_PROMOTION_KIND
    return _prims_common.elementwise_dtypes(*stand_ins, type_promotion_kind=kinds[rule])[1]


# symgen: _result_dtypes 4412215f334896e2
def _result_dtypes(
    values: Sequence[Any], kind: str, widen: bool, precise: bool = False
) -> tuple[torch.dtype, torch.dtype]:
    """The dtype to compute in and the dtype of the result, by PyTorch's own promotion."""
    if kind == "DOUBLE":
        return torch.float64, torch.float64
    common = _common_dtype(values, kind)
    if kind == "COMMON":
        return common, common
    result = (
        torch.bool
        if kind == "ALWAYS_BOOL"
        else _dtype(values[0])
        if kind == "LIKE_FIRST"
        else common
    )
    if precise and common.is_floating_point:
        return torch.float64, result
    # Few ONNX operators take bfloat16, and few integers of less than 32 bits.
    if common == torch.bfloat16 or (common == torch.float16 and widen):
        return torch.float32, result
    if common in (torch.bool, torch.uint8, torch.int8, torch.int16):
        return torch.int32, result
    return common, result


# symgen: _as_float 0538c9471ff7f181
def _as_float(g: jit_utils.GraphContext, value: _C.Value) -> _C.Value:
    """A tensor of whole numbers or bools in float32; any other as it is."""
    return value if _dtype(value).is_floating_point else _cast(g, value, torch.float32)


# symgen: _cast_all a39edfd3acb89e95
def _cast_all(g: jit_utils.GraphContext, value: Any, dtype: torch.dtype) -> Any:
    """Cast a tensor, or each tensor of a list; an absent one stays absent."""
    if isinstance(value, list):
        return [_cast(g, element, dtype) for element in value]
    return value if symbolic_helper._is_none(value) else _cast(g, value, dtype)


# symgen: _cast_back fa3185a9c5cc60f2
def _cast_back(
    g: jit_utils.GraphContext, output: Any, compute: torch.dtype, result: torch.dtype
) -> Any:
    """Cast what was computed to the dtype of the result; an output of another dtype (indices, a mask) stays."""
    if isinstance(output, list):
        return [_cast_back(g, element, compute, result) for element in output]
    if symbolic_helper._is_packed_list(output):
        elements = _cast_back(g, symbolic_helper._unpack_list(output), compute, result)
        return g.op("prim::ListConstruct", *elements)
    actual = _type_utils.JitScalarType.from_value(output, _type_utils.JitScalarType.UNDEFINED)
    if actual == _type_utils.JitScalarType.UNDEFINED or actual.dtype() == compute:
        return _cast(g, output, result)
    return output


# symgen: _keeping_double ea72d6f96587264a
def _keeping_double(g: jit_utils.GraphContext) -> jit_utils.GraphContext:
    """The context, but in which 0-d float64 stays what it is: the exporter takes it for a Python number of float32."""

    def dtypes_of(values: Sequence[Any]) -> set[str]:
        return {value.type().scalarType() for value in values if isinstance(value, _C.Value)} - {
            "Bool"
        }

    class Context(jit_utils.GraphContext):
        def op(self, opname: str, *raw_args: Any, outputs: int = 1, **kwargs: Any) -> Any:
            is_double = dtypes_of(raw_args) == {"Double"}
            if is_double and opname in (
                "Equal",
                "Greater",
                "Less",
                "GreaterOrEqual",
                "LessOrEqual",
            ):
                if all(symbolic_helper._get_tensor_rank(value) == 0 for value in raw_args):
                    first = symbolic_helper._unsqueeze_helper(self, raw_args[0], [0])
                    return symbolic_helper._squeeze_helper(
                        self, super().op(opname, first, raw_args[1]), [0]
                    )
            result = super().op(opname, *raw_args, outputs=outputs, **kwargs)
            if is_double and opname in (
                "Add",
                "Sub",
                "Mul",
                "Div",
                "Pow",
                "Mod",
                "Max",
                "Min",
                "Where",
                "Sum",
            ):
                result.setType(result.type().with_dtype(torch.float64))
            return result

    return Context(**{field.name: getattr(g, field.name) for field in dataclasses.fields(g)})


# symgen: _unpacked b814708eb7f41339
def _unpacked(value: Any) -> Any:
    """The tensors of a list; any other value as it is."""
    is_list = isinstance(value, _C.Value) and symbolic_helper._is_packed_list(value)
    return symbolic_helper._unpack_list(value) if is_list else value


# symgen: _promoted 8a0bc3373a986882
def _promoted(
    *names: str,
    kind: str = "DEFAULT",
    widen: bool = True,
    precise: bool = False,
    as_float: Sequence[str] = (),
    unrounded: Sequence[str] = (),
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Cast the named arguments to their common dtype, as eager PyTorch promotes them, and the results back.

    With `widen`, half precision is computed in float32, with `precise` all floating point in float64. Integers that
    ONNX operators do not take, and bool, are computed in int32. Whole numbers in `as_float` count as float32. Numbers
    and 0-d tensors in `unrounded` meet half precision as they are.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        parameters = list(inspect.signature(function).parameters)[1:]
        positions = [parameters.index(name) for name in names]

        @functools.wraps(function)
        def wrapper(g: jit_utils.GraphContext, *args: Any, **kwargs: Any) -> Any:
            present = [position for position in positions if position < len(args)]
            cast = [
                _unpacked(value) if position in positions else value
                for position, value in enumerate(args)
            ]
            for position in map(parameters.index, as_float):
                cast[position] = _as_float(g, cast[position])
            values = [cast[position] for position in present]
            compute, result = _result_dtypes(values, kind, widen, precise)
            common = compute if kind == "DOUBLE" else _common_dtype(values, kind)
            for position in present:
                is_kept = parameters[position] in unrounded and compute.is_floating_point
                if not (is_kept and symbolic_helper._get_tensor_rank(cast[position]) == 0):
                    cast[position] = _cast_all(g, cast[position], common)
                cast[position] = _cast_all(g, cast[position], compute)
            outputs = function(
                _keeping_double(g) if compute == torch.float64 else g, *cast, **kwargs
            )
            several = outputs if isinstance(outputs, tuple) else (outputs,)
            several = tuple(_cast_back(g, output, compute, result) for output in several)
            return several if isinstance(outputs, tuple) else several[0]

        return wrapper

    return decorate


# symgen: aten::grid_sampler 9f5bcc8db82b02cb
@_onnx_symbolic("aten::grid_sampler")
@symbolic_helper.parse_args("v", "v", "i", "i", "b")
@_promoted("input", "grid")
def grid_sampler(
    g: jit_utils.GraphContext,
    input: _C.Value,
    grid: _C.Value,
    interpolation_mode: int,
    padding_mode: int,
    align_corners: bool,
) -> _C.Value:
    """grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor

    The input at the points of a grid: interpolated linearly or cubically, or the
    nearest element

    Outside the input stand zeros, its border, or its reflection.
    """
    return _sampled(g, input, grid, interpolation_mode, padding_mode, align_corners)
