"""ONNX symbolic functions, right from opset 11 on."""

from __future__ import annotations

import functools
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
    utils,
)

__all__ = ["embedding_bag"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=11, custom=True)


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


# symgen: _smaller_of 61321cb84fb467ef
def _smaller_of(g: jit_utils.GraphContext, a: _C.Value, b: _C.Value) -> _C.Value:
    """The smaller of two tensors, nan passed on (Min takes integers from opset 12 on)."""
    if _dtype(a).is_floating_point:
        return g.op("Min", a, b)
    return g.op("Where", g.op("Less", a, b), a, b)


# symgen: _combined 22374f8a7a315328
def _combined(g: jit_utils.GraphContext, a: _C.Value, b: _C.Value, how: str) -> _C.Value:
    """Two tensors element by element: "add", "mul", "max" or "min"."""
    if how == "add":
        return g.op("Add", a, b)
    if how == "mul":
        return g.op("Mul", a, b)
    return _larger_of(g, a, b) if how == "max" else _smaller_of(g, a, b)


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


# symgen: _turns d19b39b03201a61e
def _turns(
    g: jit_utils.GraphContext,
    count: _C.Value,
    going_on: _C.Value,
    body: Callable[..., tuple[_C.Value, Any]],
    state: Sequence[_C.Value],
) -> _C.Value | tuple[_C.Value, ...]:
    """An ONNX Loop of up to `count` turns; `body(g, i, *state)` gives whether to go on and the next state."""
    outputs, (inner,), _ = jit_utils.add_op_with_blocks(
        g, "Loop", count, going_on, *state, outputs=len(state), n_blocks=1
    )
    iteration = utils._add_input_to_block(inner.block)
    iteration.inferTypeFrom(torch.tensor(0))
    utils._add_input_to_block(inner.block).inferTypeFrom(torch.tensor(True))
    arguments = []
    for value in state:
        argument = utils._add_input_to_block(inner.block)
        argument.setType(value.type())
        arguments.append(argument)
    goes_on, results = body(inner, iteration, *arguments)
    utils._add_output_to_block(inner.block, goes_on)
    for result in results if isinstance(results, tuple) else (results,):
        utils._add_output_to_block(inner.block, result)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    for output, value in zip(outputs, state):
        output.setType(value.type())
    return outputs[0] if len(state) == 1 else tuple(outputs)


# symgen: _loop b001a3c6ef55919b
def _loop(
    g: jit_utils.GraphContext, count: _C.Value, body: Callable[..., Any], *state: _C.Value
) -> _C.Value | tuple[_C.Value, ...]:
    """`state = body(g, i, *state)` for i from 0 to count - 1, as an ONNX Loop."""

    def turn(
        inner: jit_utils.GraphContext, iteration: _C.Value, *arguments: _C.Value
    ) -> tuple[_C.Value, Any]:
        return inner.op("Constant", value_t=torch.tensor(True)), body(inner, iteration, *arguments)

    going_on = g.op("Constant", value_t=torch.tensor(True))
    count = symbolic_helper._reshape_helper(
        g, count, g.op("Constant", value_t=torch.tensor([], dtype=torch.int64))
    )
    return _turns(g, count, going_on, turn, state)


# symgen: _scattered ff4276c5ef9c733c
def _scattered(
    g: jit_utils.GraphContext,
    x: _C.Value,
    axis: int,
    indices: _C.Value,
    updates: _C.Value,
    how: str,
) -> _C.Value:
    """The tensor with updates combined with what is at their places; a place named twice gets both."""

    def next_updates(g: jit_utils.GraphContext, k: _C.Value, result: _C.Value) -> _C.Value:
        # Within one slice of the updates no place is named twice.
        place = symbolic_helper._unsqueeze_helper(g, k, [0])
        chosen = g.op("Gather", indices, place, axis_i=axis)
        update = g.op("Gather", updates, place, axis_i=axis)
        there = g.op("GatherElements", result, chosen, axis_i=axis)
        return g.op(
            "ScatterElements", result, chosen, _combined(g, there, update, how), axis_i=axis
        )

    return _loop(g, _size(g, indices, axis), next_updates, x)


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


# symgen: _into_bags 1786aecdbb536b99
def _into_bags(
    g: jit_utils.GraphContext,
    rows: _C.Value,
    bags: _C.Value,
    count: _C.Value,
    start: _C.Value,
    how: str,
) -> _C.Value:
    """The rows of each bag, combined with a number to start with; those of bag `count` are left out."""
    base = g.op(
        "Expand",
        start,
        g.op("Concat", g.op("Add", count, _scalar(g, 1, count)), _size(g, rows, 1), axis_i=0),
    )
    places = g.op("Expand", symbolic_helper._unsqueeze_helper(g, bags, [1]), g.op("Shape", rows))
    combined = _scattered(g, base, 0, places, rows, how)
    return g.op("Slice", combined, _scalar(g, [0], count), count, _scalar(g, [0], count))


# symgen: _nearest_places fd24e62a0643ca10
def _nearest_places(
    g: jit_utils.GraphContext, places: _C.Value, bags: _C.Value, count: _C.Value, length: _C.Value
) -> _C.Value:
    """The smallest of the places that each bag has, for every column; `length` of an empty bag."""
    base = g.op(
        "Expand",
        symbolic_helper._unsqueeze_helper(g, length, [1]),
        g.op("Concat", g.op("Add", count, _scalar(g, 1, count)), _size(g, places, 1), axis_i=0),
    )
    kept = g.op("Expand", symbolic_helper._unsqueeze_helper(g, bags, [1]), g.op("Shape", places))
    return g.op(
        "Slice",
        _scattered(g, base, 0, kept, places, "min"),
        _scalar(g, [0], count),
        count,
        _scalar(g, [0], count),
    )


# symgen: _places_along dd91dc33e7428d59
def _places_along(g: jit_utils.GraphContext, x: _C.Value, axis: int) -> _C.Value:
    """0, 1 … n − 1 for an axis of length n."""
    size = _static_size(x, axis)
    if size is not None:
        return g.op("Constant", value_t=torch.tensor(list(range(size)), dtype=torch.int64))
    return g.op(
        "Range",
        g.op("Constant", value_t=torch.tensor(0, dtype=torch.int64)),
        symbolic_helper._squeeze_helper(g, _size(g, x, axis), [0]),
        g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
    )


# symgen: _largest_of_bags 1eb3ffcd10e6cd7a
def _largest_of_bags(
    g: jit_utils.GraphContext, rows: _C.Value, indices: _C.Value, bags: _C.Value, count: _C.Value
) -> tuple[_C.Value, ...]:
    """(The largest rows of bags, in which rows of the table they are); 0 of an empty bag.

    As torch goes through a bag, a nan stays where it comes first, and is passed over
    behind another number.
    """
    length = _size(g, rows, 0)
    places = g.op(
        "Expand",
        symbolic_helper._unsqueeze_helper(g, _places_along(g, rows, 0), [1]),
        g.op("Shape", rows),
    )
    lowest = _scalar(g, -math.inf, rows)
    numbers = g.op("Where", g.op("IsNaN", rows), lowest, rows)
    largest = _into_bags(g, numbers, bags, count, _scalar(g, -math.inf, numbers), "max")
    last = symbolic_helper._unsqueeze_helper(g, length, [1])
    first = _nearest_places(g, places, bags, count, length)
    is_empty = g.op("Equal", first, last)
    # A row behind the others is what an empty bag reads.
    behind = g.op(
        "Expand",
        _scalar(g, 0.0, rows),
        g.op("Concat", g.op("Constant", value_t=torch.tensor([1])), _size(g, rows, 1), axis_i=0),
    )
    leading = g.op("GatherElements", g.op("Concat", rows, behind, axis_i=0), first, axis_i=0)
    of_place = g.op("Gather", g.op("Concat", largest, behind, axis_i=0), bags, axis_i=0)
    attaining = g.op(
        "Where",
        g.op("Equal", numbers, of_place),
        places,
        g.op("Expand", last, g.op("Shape", places)),
    )
    best = _nearest_places(g, attaining, bags, count, length)
    starts_with_nan = g.op("IsNaN", leading)
    chosen = g.op("Where", starts_with_nan, first, best)
    values = g.op("Where", starts_with_nan, leading, largest)
    table = g.op("Concat", indices, g.op("Constant", value_t=torch.tensor([0])), axis_i=0)
    zero = _scalar(g, 0.0, rows)
    return (g.op("Where", is_empty, zero, values), g.op("Gather", table, chosen, axis_i=0))


# symgen: _unsaid 26918032b23e260f
def _unsaid(g: jit_utils.GraphContext, x: _C.Value, numbers: _C.Value) -> _C.Value:
    """The tensor, with a length that only the run tells: what traces see of it is not what the kernel gives."""
    return g.op(
        "Slice",
        x,
        g.op("Constant", value_t=torch.tensor([0], dtype=torch.int64)),
        g.op(
            "Add",
            _size(g, x, 0),
            symbolic_helper._reducesum_helper(
                g, g.op("Mul", numbers, _scalar(g, 0, numbers)), keepdims_i=1
            ),
        ),
        g.op("Constant", value_t=torch.tensor([0], dtype=torch.int64)),
    )


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: _as_single 0cc2ff2143414345
def _as_single(g: jit_utils.GraphContext, x: _C.Value) -> _C.Value:
    """Whole numbers and half precision as float32."""
    return _cast(g, x, torch.float64 if _dtype(x) == torch.float64 else torch.float32)


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


# symgen: _bags_of e292f01343d415a7
def _bags_of(g: jit_utils.GraphContext, places: _C.Value, starts: _C.Value) -> _C.Value:
    """To which bag each place belongs: the last that starts there or before; −1 before the first."""
    has_started = g.op(
        "Not",
        g.op(
            "Greater",
            symbolic_helper._unsqueeze_helper(g, starts, [0]),
            symbolic_helper._unsqueeze_helper(g, places, [1]),
        ),
    )
    return g.op(
        "Sub",
        symbolic_helper._reducesum_helper(
            g, _cast(g, has_started, torch.int64), axes_i=[1], keepdims_i=0
        ),
        g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64)),
    )


# symgen: _part_of b4ee55713ce8dd52
def _part_of(
    g: jit_utils.GraphContext, x: _C.Value, axis: int, start: int, end: int | None
) -> _C.Value:
    """x[start:end] along an axis; negative places count from the end."""
    return g.op(
        "Slice",
        x,
        g.op("Constant", value_t=torch.tensor([start], dtype=torch.int64)),
        g.op(
            "Constant",
            value_t=torch.tensor([9223372036854775807 if end is None else end], dtype=torch.int64),
        ),
        g.op("Constant", value_t=torch.tensor([axis], dtype=torch.int64)),
    )


# symgen: aten::embedding_bag d4fa6426c4b32593
@_onnx_symbolic("aten::embedding_bag")
@symbolic_helper.parse_args("v", "v", "v", "none", "i", "none", "v", "b", "i")
def embedding_bag(
    g: jit_utils.GraphContext,
    weight: _C.Value,
    indices: _C.Value,
    offsets: _C.Value,
    scale_grad_by_freq: _C.Value | None,
    mode: int,
    sparse: _C.Value | None,
    per_sample_weights: _C.Value | None,
    include_last_offset: bool,
    padding_idx: int | None = None,
) -> tuple[_C.Value, ...]:
    """embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)
    embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)

    The sums, means or maxima of the rows of each bag; to which bag each index belongs;
    sizes; where maxima are
    """
    dtype = _common_dtype([indices, offsets], "DEFAULT")
    wanted, bounds = _cast(g, indices, torch.int64), _cast(g, offsets, torch.int64)
    starts = _part_of(g, bounds, 0, 0, -1) if include_last_offset else bounds
    count = _size(g, starts, 0)
    places = _places_along(g, wanted, 0)
    of_place = _bags_of(g, places, starts)
    # A table without columns is given one, as the runtime scatters nothing.
    is_void = _static_size(weight, 1) == 0
    lines = (
        g.op(
            "Expand",
            _scalar(g, 0.0, weight),
            g.op(
                "Concat", _size(g, weight, 0), g.op("Constant", value_t=torch.tensor([1])), axis_i=0
            ),
        )
        if is_void
        else weight
    )
    rows = _as_single(g, g.op("Gather", lines, wanted, axis_i=0))
    if not symbolic_helper._is_none(per_sample_weights):
        rows = g.op(
            "Mul",
            rows,
            symbolic_helper._unsqueeze_helper(g, _cast_like(g, per_sample_weights, rows), [1]),
        )
    # What is before the first bag is counted to one behind the last, which is left out.
    bags = g.op(
        "Where",
        g.op("Less", of_place, g.op("Constant", value_t=torch.tensor(0, dtype=torch.int64))),
        count,
        of_place,
    )
    if padding_idx is not None:
        padding = (
            g.op("Constant", value_t=torch.tensor([padding_idx], dtype=torch.int64))
            if padding_idx >= 0
            else g.op(
                "Add",
                _size(g, weight, 0),
                g.op("Constant", value_t=torch.tensor(padding_idx, dtype=torch.int64)),
            )
        )
        bags = g.op("Where", g.op("Equal", wanted, padding), count, bags)
    ones = _cast(
        g,
        g.op(
            "Expand",
            g.op("Constant", value_t=torch.tensor([[1]], dtype=torch.int64)),
            g.op(
                "Concat", _size(g, wanted, 0), g.op("Constant", value_t=torch.tensor([1])), axis_i=0
            ),
        ),
        torch.int64,
    )
    sizes = symbolic_helper._squeeze_helper(
        g,
        _into_bags(
            g,
            ones,
            bags,
            count,
            g.op("Constant", value_t=torch.tensor(0, dtype=torch.int64)),
            "add",
        ),
        [1],
    )
    if mode == 2:
        values, found = _largest_of_bags(g, rows, wanted, bags, count)
        further = [of_place, sizes, _part_of(g, found, 1, 0, 0) if is_void else found]
        total = values
    else:
        # Torch's fast kernel, for single and half precision without padding, ends the last bag where the offsets say.
        is_fast = padding_idx is None and _dtype(weight) != torch.float64
        summed = bags
        if is_fast and include_last_offset:
            summed = g.op(
                "Where", g.op("Less", places, _part_of(g, bounds, 0, -1, None)), bags, count
            )
        total = _into_bags(g, rows, summed, count, _scalar(g, 0.0, rows), "add")
        # Of a sum torch says no sizes, and the fast kernel no bags.
        # Traces see bags of bfloat16, so that only the run tells that there are none.
        none = g.op(
            "Slice",
            of_place,
            g.op("Constant", value_t=torch.tensor([0], dtype=torch.int64)),
            symbolic_helper._reducesum_helper(
                g,
                g.op("Mul", bounds, g.op("Constant", value_t=torch.tensor(0, dtype=torch.int64))),
                keepdims_i=1,
            ),
            g.op("Constant", value_t=torch.tensor([0], dtype=torch.int64)),
        )
        known = none if is_fast and mode == 0 else of_place
        further = [known] + [
            g.op("Mul", bounds, g.op("Constant", value_t=torch.tensor(0, dtype=torch.int64)))
            if mode == 0
            else sizes
        ] * 2
    if mode == 1:
        total = g.op(
            "Div",
            total,
            g.op(
                "Max",
                _cast_like(g, symbolic_helper._unsqueeze_helper(g, sizes, [1]), total),
                _scalar(g, 1.0, total),
            ),
        )
    if is_void:
        total = _part_of(g, total, 1, 0, 0)
    if include_last_offset:
        # Each in its own way: traces see two lengths, so that the exporter may not make one tensor of both.
        further = [further[0], _unsaid(g, further[1], bounds), _unsaid(g, further[2], wanted)]
    results = [_cast(g, g.op("Identity", value), dtype) for value in further]
    return (_cast_like(g, total, weight), results[0], results[1], results[2])
