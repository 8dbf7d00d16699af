"""ONNX symbolic functions, right from opset 11 on."""

from __future__ import annotations

import functools
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

__all__ = ["ormqr"]

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


# symgen: _multiplied_by_reflections 6e69dbb2b0695e59
def _multiplied_by_reflections(
    g: jit_utils.GraphContext, tails: _C.Value, taus: _C.Value, right: _C.Value, is_transposed: bool
) -> _C.Value:
    """H₁ · H₂ … · right, or … H₂ · H₁ · right, where the tails of the reflections stand below a diagonal."""
    rows = _row_numbers(g, tails)
    count = _size(g, taus, -1)
    last = symbolic_helper._squeeze_helper(
        g, g.op("Sub", count, g.op("Constant", value_t=torch.tensor(1, dtype=torch.int64))), [0]
    )

    def step(g: jit_utils.GraphContext, i: _C.Value, right: _C.Value) -> _C.Value:
        k = i if is_transposed else g.op("Sub", last, i)
        here = symbolic_helper._unsqueeze_helper(g, k, [0])
        column, tau = (
            g.op("Gather", tails, here, axis_i=-1),
            symbolic_helper._unsqueeze_helper(g, g.op("Gather", taus, here, axis_i=-1), [-1]),
        )
        zero, one = _scalar(g, 0, tails), _scalar(g, 1, tails)
        vector = g.op(
            "Where",
            g.op("Equal", rows, k),
            one,
            g.op("Where", g.op("Greater", rows, k), column, zero),
        )
        return g.op(
            "Sub",
            right,
            g.op(
                "Mul",
                vector,
                g.op(
                    "Mul",
                    tau,
                    symbolic_helper._reducesum_helper(
                        g, g.op("Mul", vector, right), axes_i=[-2], keepdims_i=1
                    ),
                ),
            ),
        )

    return _loop(g, count, step, right)


# symgen: _swap_last_axes 98dda34671a0f2bb
def _swap_last_axes(g: jit_utils.GraphContext, matrix: _C.Value) -> _C.Value:
    """The transposed matrices."""
    rank = _rank(matrix)
    return g.op("Transpose", matrix, perm_i=[*range(rank - 2), rank - 1, rank - 2])


# symgen: aten::ormqr db3b74934e578cef
@_onnx_symbolic("aten::ormqr")
@symbolic_helper.parse_args("v", "v", "v", "b", "b")
def ormqr(
    g: jit_utils.GraphContext,
    input: _C.Value,
    input2: _C.Value,
    input3: _C.Value,
    left: bool = True,
    transpose: bool = False,
) -> _C.Value:
    """ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor

    Q · C, Qᵀ · C, C · Q or C · Qᵀ, where Q = H₁ · H₂ …
    """
    if left:
        return _multiplied_by_reflections(g, input, input2, input3, transpose)
    flipped = _multiplied_by_reflections(
        g, input, input2, _swap_last_axes(g, input3), not transpose
    )
    return _swap_last_axes(g, flipped)
