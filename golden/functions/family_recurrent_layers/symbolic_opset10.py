"""ONNX symbolic functions, right from opset 10 on."""

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

__all__ = ["gru", "lstm", "rnn_relu"]

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=10, custom=True)


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


# symgen: _gates_of 71d2ce4aa9a0b528
def _gates_of(g: jit_utils.GraphContext, x: _C.Value, size: _C.Value, count: int) -> list[_C.Value]:
    """Parts of that size along the last axis, each one gate."""
    return [
        g.op(
            "Slice",
            x,
            g.op("Mul", size, _scalar(g, k, size)),
            g.op("Mul", size, _scalar(g, k + 1, size)),
            _scalar(g, [-1], size),
        )
        for k in range(count)
    ]


# symgen: _lstm_step 2dc981d61c4bbfc1
def _lstm_step(g: jit_utils.GraphContext, gates: _C.Value, cell: _C.Value) -> tuple[_C.Value, ...]:
    """(The hidden state, the cell's): σ(o) · tanh(c) with c = σ(f) · before + σ(i) · tanh(g), the gates in one."""
    parts = _gates_of(g, gates, _size(g, cell, -1), 4)
    kept = g.op("Mul", g.op("Sigmoid", parts[1]), cell)
    cell = g.op("Add", kept, g.op("Mul", g.op("Sigmoid", parts[0]), g.op("Tanh", parts[2])))
    return (g.op("Mul", g.op("Sigmoid", parts[3]), g.op("Tanh", cell)), cell)


# symgen: _place_of_step 2b44f3e3fb78dbf2
def _place_of_step(
    g: jit_utils.GraphContext, step: _C.Value, steps: _C.Value, is_reversed: bool
) -> _C.Value:
    """Where in the sequence a step reads, which may go backwards."""
    return g.op("Sub", g.op("Sub", steps, _scalar(g, 1, steps)), step) if is_reversed else step


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


# symgen: _affine ede0c3897586d63c
def _affine(g: jit_utils.GraphContext, x: _C.Value, weight: _C.Value, bias: _C.Value) -> _C.Value:
    """x · weightᵀ + bias; the bias may be absent."""
    product = g.op("MatMul", x, g.op("Transpose", weight, perm_i=[1, 0]))
    return product if symbolic_helper._is_none(bias) else g.op("Add", product, bias)


# symgen: _with_step bda7c7bfaca0bf9a
def _with_step(
    g: jit_utils.GraphContext, outputs: _C.Value, state: _C.Value, is_reversed: bool
) -> _C.Value:
    """The outputs with one more, behind the others or in front of them."""
    output = symbolic_helper._unsqueeze_helper(g, state, [0])
    return (
        g.op("Concat", output, outputs, axis_i=0)
        if is_reversed
        else g.op("Concat", outputs, output, axis_i=0)
    )


# symgen: _lstm_direction d061cfd1faa3a1e8
def _lstm_direction(
    g: jit_utils.GraphContext,
    x: _C.Value,
    hidden: _C.Value,
    cell: _C.Value,
    weights: Sequence[_C.Value],
    has_biases: bool,
    is_reversed: bool,
) -> tuple[_C.Value, ...]:
    """(The hidden state after each step, the last one, the last cell state); a projection is the last weight."""
    b_ih, b_hh = (weights[2], weights[3]) if has_biases else (None, None)
    inputs = _affine(g, x, weights[0], b_ih)
    steps = symbolic_helper._squeeze_helper(g, _size(g, x, 0), [0])

    def step(
        g: jit_utils.GraphContext, k: _C.Value, hidden: _C.Value, cell: _C.Value, outputs: _C.Value
    ) -> tuple[_C.Value, ...]:
        of_input = g.op("Gather", inputs, _place_of_step(g, k, steps, is_reversed), axis_i=0)
        hidden, cell = _lstm_step(
            g, g.op("Add", of_input, _affine(g, hidden, weights[1], b_hh)), cell
        )
        if len(weights) % 2 == 1:
            hidden = _affine(g, hidden, weights[-1], None)
        return (hidden, cell, _with_step(g, outputs, hidden, is_reversed))

    nothing = g.op(
        "Slice",
        symbolic_helper._unsqueeze_helper(g, hidden, [0]),
        g.op("Constant", value_t=torch.tensor([0])),
        g.op("Constant", value_t=torch.tensor([0])),
        g.op("Constant", value_t=torch.tensor([0])),
    )
    hidden, cell, outputs = _loop(g, steps, step, hidden, cell, nothing)
    return (outputs, hidden, cell)


# symgen: _gru_step 2911c302200045d2
def _gru_step(
    g: jit_utils.GraphContext, of_input: _C.Value, of_state: _C.Value, hidden: _C.Value
) -> _C.Value:
    """(1 − z) · n + z · h with the gates r, z and the candidate n, of which the parts of input and state are given."""
    size = _size(g, hidden, -1)
    inputs, states = _gates_of(g, of_input, size, 3), _gates_of(g, of_state, size, 3)
    reset = g.op("Sigmoid", g.op("Add", inputs[0], states[0]))
    update = g.op("Sigmoid", g.op("Add", inputs[1], states[1]))
    candidate = g.op("Tanh", g.op("Add", inputs[2], g.op("Mul", reset, states[2])))
    return g.op("Add", candidate, g.op("Mul", update, g.op("Sub", hidden, candidate)))


# symgen: _one_state_direction 98e2012fbcd04bc3
def _one_state_direction(
    g: jit_utils.GraphContext,
    x: _C.Value,
    hidden: _C.Value,
    weights: Sequence[_C.Value],
    kind: str,
    has_biases: bool,
    is_reversed: bool,
) -> tuple[_C.Value, ...]:
    """(The hidden state after each step, the last one), of a layer of kind gru, tanh or relu."""
    b_ih, b_hh = (weights[2], weights[3]) if has_biases else (None, None)
    inputs = _affine(g, x, weights[0], b_ih)
    steps = symbolic_helper._squeeze_helper(g, _size(g, x, 0), [0])

    def step(
        g: jit_utils.GraphContext, k: _C.Value, hidden: _C.Value, outputs: _C.Value
    ) -> tuple[_C.Value, ...]:
        of_input = g.op("Gather", inputs, _place_of_step(g, k, steps, is_reversed), axis_i=0)
        of_state = _affine(g, hidden, weights[1], b_hh)
        if kind == "gru":
            hidden = _gru_step(g, of_input, of_state, hidden)
        elif kind == "tanh":
            hidden = g.op("Tanh", g.op("Add", of_input, of_state))
        else:
            # A nan is not below 0, and stays.
            total = g.op("Add", of_input, of_state)
            hidden = g.op(
                "Where", g.op("Less", total, _scalar(g, 0.0, total)), _scalar(g, 0.0, total), total
            )
        return (hidden, _with_step(g, outputs, hidden, is_reversed))

    nothing = g.op(
        "Slice",
        symbolic_helper._unsqueeze_helper(g, hidden, [0]),
        g.op("Constant", value_t=torch.tensor([0])),
        g.op("Constant", value_t=torch.tensor([0])),
        g.op("Constant", value_t=torch.tensor([0])),
    )
    hidden, outputs = _loop(g, steps, step, hidden, nothing)
    return (outputs, hidden)


# symgen: _layered 96794d0433b82444
def _layered(
    g: jit_utils.GraphContext,
    x: _C.Value,
    states: Sequence[_C.Value],
    weights: Sequence[_C.Value],
    kind: str,
    layers: int,
    directions: int,
    has_biases: bool,
) -> list[_C.Value]:
    """The hidden states of the last layer; behind them the last states of each direction of each layer in turn."""
    count = len(weights) // (layers * directions)
    lasts = []
    for layer in range(layers):
        results = []
        for direction in range(directions):
            place = layer * directions + direction
            first = [
                g.op(
                    "Gather",
                    state,
                    g.op("Constant", value_t=torch.tensor(place, dtype=torch.int64)),
                    axis_i=0,
                )
                for state in states
            ]
            own = weights[place * count : (place + 1) * count]
            if kind == "lstm":
                outputs, hidden, cell = _lstm_direction(
                    g, x, first[0], first[1], own, has_biases, direction == 1
                )
                lasts.append(hidden)
                lasts.append(cell)
            else:
                outputs, hidden = _one_state_direction(
                    g, x, first[0], own, kind, has_biases, direction == 1
                )
                lasts.append(hidden)
            results.append(outputs)
        x = g.op("Concat", *results, axis_i=2) if directions == 2 else results[0]
    return [x, *lasts]


# symgen: _cast f58c1c65d5d5a043
def _cast(g: jit_utils.GraphContext, value: _C.Value, dtype: torch.dtype) -> _C.Value:
    """The tensor in that dtype; no node where it has it already, a new constant for a constant number."""
    target = _type_utils.JitScalarType.from_dtype(dtype)
    if value.node().kind() == "onnx::Constant":
        return g.op("Constant", value_t=symbolic_helper._node_get(value.node(), "value").to(dtype))
    return symbolic_helper._maybe_cast_to_type(g, value, target)


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


# symgen: _told e5944999b92174c6
def _told(value: Any, name: str) -> Any:
    """The number, list of numbers, or text in a constant value, None where the argument is absent."""
    known = _known(value)
    if known is None and not symbolic_helper._is_none(value):
        raise errors.SymbolicValueError(f"{name} has to be known at export", value)
    return known


# symgen: _stacked_states 1c5cc30c5b4eb3b1
def _stacked_states(g: jit_utils.GraphContext, states: Sequence[_C.Value]) -> _C.Value:
    """States of all layers and directions as one tensor."""
    return g.op(
        "Concat", *[symbolic_helper._unsqueeze_helper(g, state, [0]) for state in states], axis_i=0
    )


# symgen: _one_state_layers f84a52dd110a5fd7
def _one_state_layers(
    g: jit_utils.GraphContext,
    input: _C.Value,
    state: _C.Value,
    params: _C.Value,
    batch_sizes: _C.Value,
    flags: Sequence[_C.Value],
    kind: str,
) -> tuple[_C.Value, ...]:
    """(The hidden states of the last layer, the last ones of all layers), of layers of kind gru, tanh or relu."""
    if _known(batch_sizes) not in (True, False):
        raise errors.SymbolicValueError(
            "batch_sizes, of a packed sequence, has no translation", input
        )
    has_biases, layers, dropout, train, bidirectional, batch_first = [
        _told(value, "each number and flag") for value in flags
    ]
    if train and dropout > 0 and (layers > 1):
        raise errors.SymbolicValueError("dropout has no translation in training", input)
    single = _as_single(g, input)
    x = g.op("Transpose", single, perm_i=[1, 0, 2]) if batch_first else single
    weights = [_cast_like(g, weight, x) for weight in symbolic_helper._unpack_list(params)]
    directions = 2 if bidirectional else 1
    if len(weights) // (layers * directions) != (4 if has_biases else 2):
        raise errors.SymbolicValueError("params have to be those of num_layers layers", input)
    found = _layered(
        g, x, [_cast_like(g, state, x)], weights, kind, layers, directions, bool(has_biases)
    )
    outputs = g.op("Transpose", found[0], perm_i=[1, 0, 2]) if batch_first else found[0]
    return (_cast_like(g, outputs, input), _cast_like(g, _stacked_states(g, found[1:]), input))


# symgen: aten::gru 1cf22a00f0a313d4
@_onnx_symbolic("aten::gru")
def gru(g: jit_utils.GraphContext, input: _C.Value, *args: _C.Value) -> tuple[_C.Value, ...]:
    """gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)
    gru.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)

    The hidden states of the last layer, and the last ones of all layers
    """
    return _one_state_layers(g, input, args[0], args[1], args[2], args[2:], "gru")


# symgen: aten::lstm 97c647094ca986fd
@_onnx_symbolic("aten::lstm")
def lstm(g: jit_utils.GraphContext, input: _C.Value, *args: _C.Value) -> tuple[_C.Value, ...]:
    """lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)
    lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor, Tensor)

    The hidden states of the last layer, and of all layers the last hidden and the last
    cell state
    """
    if _known(args[2]) not in (True, False):
        raise errors.SymbolicValueError(
            "lstm: batch_sizes, of a packed sequence, has no translation", input
        )
    has_biases, layers, dropout, train, bidirectional, batch_first = [
        _told(value, "each number and flag") for value in args[2:]
    ]
    if train and dropout > 0 and (layers > 1):
        raise errors.SymbolicValueError("lstm: dropout has no translation in training", input)
    single = _as_single(g, input)
    x = g.op("Transpose", single, perm_i=[1, 0, 2]) if batch_first else single
    states = [_cast_like(g, state, x) for state in symbolic_helper._unpack_list(args[0])]
    weights = [_cast_like(g, weight, x) for weight in symbolic_helper._unpack_list(args[1])]
    directions = 2 if bidirectional else 1
    count = len(weights) // (layers * directions)
    if count != (4 if has_biases else 2) and count != (5 if has_biases else 3):
        raise errors.SymbolicValueError("lstm: params have to be those of num_layers layers", input)
    found = _layered(g, x, states, weights, "lstm", layers, directions, bool(has_biases))
    outputs = g.op("Transpose", found[0], perm_i=[1, 0, 2]) if batch_first else found[0]
    hidden, cell = _stacked_states(g, found[1::2]), _stacked_states(g, found[2::2])
    return (_cast_like(g, outputs, input), _cast_like(g, hidden, input), _cast_like(g, cell, input))


# symgen: aten::rnn_relu 2496d7d587a9affc
@_onnx_symbolic("aten::rnn_relu")
def rnn_relu(g: jit_utils.GraphContext, input: _C.Value, *args: _C.Value) -> tuple[_C.Value, ...]:
    """rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)
    rnn_relu.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)

    The hidden states of the last layer, and the last ones of all layers
    """
    if not _dtype(input).is_floating_point:
        raise errors.SymbolicValueError("input has to be of floating point", input)
    return _one_state_layers(g, input, args[0], args[1], args[2], args[2:], "relu")
