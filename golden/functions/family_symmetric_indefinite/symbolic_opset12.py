"""ONNX symbolic functions, right from opset 12 on."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import _C
from torch.onnx import errors
from torch.onnx._internal.torchscript_exporter import (
    _type_utils,
    jit_utils,
    registration,
    symbolic_helper,
    utils,
)

__all__ = ["linalg_ldl_solve"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=12, custom=True)


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


# symgen: _counting decb757d6866fe64
def _counting(g: jit_utils.GraphContext, count: _C.Value) -> _C.Value:
    """0, 1 … count − 1 as int64; `count` has the shape [1]."""
    return g.op(
        "Range",
        _scalar(g, 0, count),
        symbolic_helper._squeeze_helper(g, count, [0]),
        _scalar(g, 1, count),
    )


# symgen: _row_numbers 59223ac12a4a4095
def _row_numbers(g: jit_utils.GraphContext, matrix: _C.Value) -> _C.Value:
    """The number of each row, in the shape [m, 1]."""
    return symbolic_helper._unsqueeze_helper(g, _counting(g, _size(g, matrix, -2)), [1])


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


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: _rows_exchanged 3e5fbf029b051f87
def _rows_exchanged(
    g: jit_utils.GraphContext,
    matrix: _C.Value,
    numbers: _C.Value,
    first: _C.Value,
    second: _C.Value,
) -> _C.Value:
    """The rows of matrices with two of them exchanged; `numbers` are those of the rows, in the shape [n, 1]."""
    order = g.op(
        "Where",
        g.op("Equal", numbers, first),
        second,
        g.op("Where", g.op("Equal", numbers, second), first, numbers),
    )
    return g.op("GatherElements", matrix, g.op("Expand", order, g.op("Shape", matrix)), axis_i=-2)


# symgen: _through_lower_factor 9dd5db2e9dfeb423
def _through_lower_factor(
    g: jit_utils.GraphContext, factors: _C.Value, pivots: _C.Value, right: _C.Value
) -> tuple[_C.Value, ...]:
    """Y in L · D · Y = right, with the rows exchanged on the way; `pivots` have the shape [..., 1, n]."""
    rows, size = _row_numbers(g, factors), _size(g, factors, -1)
    last = symbolic_helper._squeeze_helper(
        g, g.op("Sub", size, g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64))), [0]
    )
    zero, one = _scalar(g, 0, factors), _scalar(g, 1, factors)
    is_second = g.op(
        "Not",
        g.op(
            "Equal",
            g.op(
                "Slice",
                pivots,
                g.op("Constant", value_t=torch.tensor([0])),
                g.op("Constant", value_t=torch.tensor([1])),
                g.op("Constant", value_t=torch.tensor([-1])),
            ),
            g.op(
                "Slice",
                pivots,
                g.op("Constant", value_t=torch.tensor([0])),
                g.op("Constant", value_t=torch.tensor([1])),
                g.op("Constant", value_t=torch.tensor([-1])),
            ),
        ),
    )

    def step(
        g: jit_utils.GraphContext, k: _C.Value, x: _C.Value, is_second: _C.Value
    ) -> tuple[_C.Value, ...]:
        here, behind = (
            symbolic_helper._unsqueeze_helper(g, k, [0]),
            symbolic_helper._unsqueeze_helper(
                g, g.op("Min", g.op("Add", k, _scalar(g, 1, k)), last), [0]
            ),
        )
        pivot = g.op("Gather", pivots, here, axis_i=-1)
        is_pair = g.op("And", g.op("Less", pivot, _scalar(g, 0, pivot)), g.op("Not", is_second))
        place = g.op("Add", k, _cast(g, is_pair, torch.int64))
        turned = _rows_exchanged(
            g, x, rows, place, g.op("Sub", g.op("Abs", pivot), _scalar(g, 1, pivot))
        )
        column, following = (
            g.op("Gather", factors, here, axis_i=-1),
            g.op("Gather", factors, behind, axis_i=-1),
        )
        own, beyond = (
            g.op("Gather", turned, here, axis_i=-2),
            g.op("Gather", turned, behind, axis_i=-2),
        )
        is_left = g.op("Greater", rows, place)
        reduced = g.op("Sub", turned, g.op("Mul", g.op("Where", is_left, column, zero), own))
        reduced = g.op(
            "Sub",
            reduced,
            g.op("Mul", g.op("Where", g.op("And", is_left, is_pair), following, zero), beyond),
        )
        pivot_value = g.op("Gather", column, here, axis_i=-2)
        scale = g.op("Where", is_pair, g.op("Gather", column, behind, axis_i=-2), one)
        above, below = (
            g.op("Div", pivot_value, scale),
            g.op("Div", g.op("Gather", following, behind, axis_i=-2), scale),
        )
        divisor = g.op(
            "Mul", g.op("Where", is_pair, g.op("Sub", g.op("Mul", above, below), one), one), scale
        )
        found = g.op(
            "Where",
            is_pair,
            g.op("Div", g.op("Sub", g.op("Mul", below, own), beyond), divisor),
            g.op("Div", own, pivot_value),
        )
        found_next = g.op("Div", g.op("Sub", g.op("Mul", above, beyond), own), divisor)
        changed = g.op("Where", g.op("Equal", rows, k), found, reduced)
        changed = g.op(
            "Where",
            g.op("And", is_pair, g.op("Equal", rows, g.op("Add", k, _scalar(g, 1, k)))),
            found_next,
            changed,
        )
        return (g.op("Where", is_second, x, changed), is_pair)

    solution, _ = _loop(g, size, step, right, is_second)
    return solution


# symgen: _swap_last_axes 98dda34671a0f2bb
def _swap_last_axes(g: jit_utils.GraphContext, matrix: _C.Value) -> _C.Value:
    """The transposed matrices."""
    rank = _rank(matrix)
    return g.op("Transpose", matrix, perm_i=[*range(rank - 2), rank - 1, rank - 2])


# symgen: _through_upper_factor 5b52802663803200
def _through_upper_factor(
    g: jit_utils.GraphContext, factors: _C.Value, pivots: _C.Value, right: _C.Value
) -> tuple[_C.Value, ...]:
    """X in Lᵀ · X = right, with the rows exchanged back; `pivots` have the shape [..., 1, n]."""
    rows, size = _row_numbers(g, factors), _size(g, factors, -1)
    last = symbolic_helper._squeeze_helper(
        g, g.op("Sub", size, g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64))), [0]
    )
    zero = _scalar(g, 0, factors)
    is_first = g.op(
        "Not",
        g.op(
            "Equal",
            g.op(
                "Slice",
                pivots,
                g.op("Constant", value_t=torch.tensor([0])),
                g.op("Constant", value_t=torch.tensor([1])),
                g.op("Constant", value_t=torch.tensor([-1])),
            ),
            g.op(
                "Slice",
                pivots,
                g.op("Constant", value_t=torch.tensor([0])),
                g.op("Constant", value_t=torch.tensor([1])),
                g.op("Constant", value_t=torch.tensor([-1])),
            ),
        ),
    )

    def step(
        g: jit_utils.GraphContext, i: _C.Value, x: _C.Value, is_first: _C.Value
    ) -> tuple[_C.Value, ...]:
        k = g.op("Sub", last, i)
        here, before = (
            symbolic_helper._unsqueeze_helper(g, k, [0]),
            symbolic_helper._unsqueeze_helper(
                g,
                g.op(
                    "Max",
                    g.op("Sub", k, g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64))),
                    g.op("Constant", value_t=torch.tensor(0, dtype=torch.int64)),
                ),
                [0],
            ),
        )
        pivot = g.op("Gather", pivots, here, axis_i=-1)
        is_pair = g.op("And", g.op("Less", pivot, _scalar(g, 0, pivot)), g.op("Not", is_first))
        is_left = g.op("Greater", rows, k)
        column = g.op("Where", is_left, g.op("Gather", factors, here, axis_i=-1), zero)
        previous = g.op(
            "Where", g.op("And", is_left, is_pair), g.op("Gather", factors, before, axis_i=-1), zero
        )
        found = g.op("Sub", x, g.op("MatMul", _swap_last_axes(g, column), x))
        found_before = g.op("Sub", x, g.op("MatMul", _swap_last_axes(g, previous), x))
        changed = g.op(
            "Where",
            g.op("Equal", rows, k),
            found,
            g.op(
                "Where",
                g.op(
                    "Equal",
                    rows,
                    g.op("Sub", k, g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64))),
                ),
                found_before,
                x,
            ),
        )
        changed = _rows_exchanged(
            g, changed, rows, k, g.op("Sub", g.op("Abs", pivot), _scalar(g, 1, pivot))
        )
        return (g.op("Where", is_first, x, changed), is_pair)

    solution, _ = _loop(g, size, step, right, is_first)
    return solution


# symgen: _batch_shape a97e53c83eb4792f
def _batch_shape(g: jit_utils.GraphContext, matrix: _C.Value) -> _C.Value:
    """The lengths of all axes before the last two."""
    return g.op(
        "Slice",
        g.op("Shape", matrix),
        g.op("Constant", value_t=torch.tensor([0])),
        g.op("Constant", value_t=torch.tensor([-2])),
    )


# symgen: _like_batch_of 25bff54ff353b3d6
def _like_batch_of(g: jit_utils.GraphContext, matrix: _C.Value, other: _C.Value) -> _C.Value:
    """The matrices repeated so that they go with each of another batch."""
    rank = _rank(other)
    if rank <= 2:
        return matrix
    sizes = [_static_size(other, axis) for axis in range(rank - 2)]
    if None not in sizes and sizes == [
        _static_size(matrix, axis) for axis in range(_rank(matrix) - 2)
    ]:
        return matrix
    own_shape = g.op(
        "Slice",
        g.op("Shape", matrix),
        g.op("Constant", value_t=torch.tensor([-2])),
        g.op("Constant", value_t=torch.tensor([9223372036854775807])),
    )
    return g.op("Expand", matrix, g.op("Concat", _batch_shape(g, other), own_shape, axis_i=0))


# symgen: _static_numel 9d9f211f8b1cf1df
def _static_numel(value: _C.Value) -> int | None:
    """The number of elements where it is known at export, else None."""
    sizes = symbolic_helper._get_tensor_sizes(value)
    return None if sizes is None or None in sizes else math.prod(sizes)


# symgen: aten::linalg_ldl_solve e645778dbfec8e5c
@_onnx_symbolic("aten::linalg_ldl_solve")
@symbolic_helper.parse_args("v", "v", "v", "none")
def linalg_ldl_solve(
    g: jit_utils.GraphContext,
    LD: _C.Value,
    pivots: _C.Value,
    B: _C.Value,
    hermitian: _C.Value | None = False,
) -> _C.Value:
    """linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor

    X in A · X = B from the factors of A
    """
    if _static_numel(B) == 0:
        return g.op("Identity", B)
    factors, right = _like_batch_of(g, LD, B), _like_batch_of(g, B, LD)
    numbers = _like_batch_of(
        g, symbolic_helper._unsqueeze_helper(g, _cast(g, pivots, torch.int64), [-2]), B
    )
    return _through_upper_factor(
        g, factors, numbers, _through_lower_factor(g, factors, numbers, right)
    )
