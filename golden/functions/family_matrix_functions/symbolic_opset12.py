"""ONNX symbolic functions, right from opset 12 on."""

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

__all__ = ["vander"]

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


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


# symgen: _doublings d934513bcd3e5087
def _doublings(g: jit_utils.GraphContext, x: _C.Value, axis: int) -> _C.Value:
    """How often 1 has to be doubled to reach the length of an axis."""
    length = _static_size(x, axis)
    if length is not None:
        return g.op(
            "Constant", value_t=torch.tensor(max(length - 1, 0).bit_length(), dtype=torch.int64)
        )
    is_short = g.op(
        "Less",
        g.op("Constant", value_t=torch.tensor([2**n for n in range(62)], dtype=torch.int64)),
        _size(g, x, axis),
    )
    return symbolic_helper._reducesum_helper(g, _cast(g, is_short, torch.int64), keepdims_i=0)


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


# symgen: _dtype 703fc209c14fd932
def _dtype(value: _C.Value) -> torch.dtype:
    """The dtype of a value; raises where the exporter does not know it."""
    known = _type_utils.JitScalarType.from_value(value, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        raise errors.SymbolicValueError(
            f"the dtype of {value.debugName()} is not known at export", value
        )
    return known.dtype()


# symgen: _powers 298d6857e4197d4a
def _powers(
    g: jit_utils.GraphContext, x: _C.Value, count: _C.Value, is_increasing: bool
) -> tuple[_C.Value, ...]:
    """1, x, x² … along a new last axis, or in reverse order; `count` has the shape [1]."""
    exponents = _counting(g, count)
    if not is_increasing:
        exponents = g.op("Sub", g.op("Sub", count, _scalar(g, 1, count)), exponents)
    base = symbolic_helper._unsqueeze_helper(g, x, [-1])
    if _dtype(x).is_floating_point:
        return g.op("Pow", base, _cast_like(g, exponents, x))
    # The runtime takes powers of whole numbers in floating point, which is not exact: by repeated squaring then.
    base = _cast(g, base, torch.int64)
    ones = g.op(
        "Expand",
        g.op("Constant", value_t=torch.tensor(1)),
        g.op("Concat", g.op("Shape", x), count, axis_i=0),
    )

    def multiply(
        g: jit_utils.GraphContext, i: _C.Value, product: _C.Value, square: _C.Value, rest: _C.Value
    ) -> tuple[_C.Value, ...]:
        is_odd = g.op("Equal", g.op("Mod", rest, _scalar(g, 2, rest)), _scalar(g, 1, rest))
        return (
            g.op("Where", is_odd, g.op("Mul", product, square), product),
            g.op("Mul", square, square),
            g.op("Div", rest, _scalar(g, 2, rest)),
        )

    product, _, _ = _loop(g, _doublings(g, exponents, 0), multiply, ones, base, exponents)
    return product


# symgen: aten::vander 279f93f9e5a4fe77
@_onnx_symbolic("aten::vander")
@symbolic_helper.parse_args("v", "i", "b")
def vander(
    g: jit_utils.GraphContext, x: _C.Value, N: int | None = None, increasing: bool = False
) -> _C.Value:
    """vander(Tensor x, int? N=None, bool increasing=False) -> Tensor

    … x², x, 1 along a new last axis, or in reverse order
    """
    return _powers(
        g,
        x,
        _size(g, x, -1)
        if N is None
        else g.op("Constant", value_t=torch.tensor([N], dtype=torch.int64)),
        increasing,
    )
