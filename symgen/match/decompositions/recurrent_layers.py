"""Layers of recurrent networks, each a loop over the steps of a sequence.

ONNX's own LSTM and GRU are not used: the runtime's kernels give numbers where torch has nan, end the process with an
empty batch, and take neither float64 nor bfloat16.

What takes the batch first is cast before it is transposed: where a product with a constant follows a transposition and
then a cast of half precision, the runtime's optimiser makes one node of the three, and ends the process.
"""

from symgen.match.decompositions.differences import as_single
from symgen.match.decompositions.recurrent_cells import affine, gru_step, lstm_step
from symgen.match.language import Values, decomposition, helper


@helper
def place_of_step(op, step, steps, is_reversed: bool):
    """Where in the sequence a step reads, which may go backwards."""
    return steps - 1 - step if is_reversed else step


@helper
def with_step(op, outputs, state, is_reversed: bool):
    """The outputs with one more, behind the others or in front of them."""
    output = op.Unsqueeze(state, [0])
    return op.Concat(output, outputs, axis=0) if is_reversed else op.Concat(outputs, output, axis=0)


@helper
def lstm_direction(op, x, hidden, cell, weights: Values, has_biases: bool, is_reversed: bool):
    """(The hidden state after each step, the last one, the last cell state); a projection is the last weight."""
    b_ih, b_hh = (weights[2], weights[3]) if has_biases else (None, None)
    inputs = affine(op, x, weights[0], b_ih)
    steps = op.Squeeze(op.size(x, 0), [0])

    def step(op, k, hidden, cell, outputs):
        of_input = op.Gather(inputs, place_of_step(op, k, steps, is_reversed), axis=0)
        hidden, cell = lstm_step(op, of_input + affine(op, hidden, weights[1], b_hh), cell)
        if len(weights) % 2 == 1:
            hidden = affine(op, hidden, weights[-1], None)
        return hidden, cell, with_step(op, outputs, hidden, is_reversed)

    nothing = op.Slice(op.Unsqueeze(hidden, [0]), [0], [0], [0])
    hidden, cell, outputs = op.loop(steps, step, hidden, cell, nothing)
    return outputs, hidden, cell


@helper
def one_state_direction(op, x, hidden, weights: Values, kind: str, has_biases: bool, is_reversed: bool):
    """(The hidden state after each step, the last one), of a layer of kind gru, tanh or relu."""
    b_ih, b_hh = (weights[2], weights[3]) if has_biases else (None, None)
    inputs = affine(op, x, weights[0], b_ih)
    steps = op.Squeeze(op.size(x, 0), [0])

    def step(op, k, hidden, outputs):
        of_input = op.Gather(inputs, place_of_step(op, k, steps, is_reversed), axis=0)
        of_state = affine(op, hidden, weights[1], b_hh)
        if kind == "gru":
            hidden = gru_step(op, of_input, of_state, hidden)
        elif kind == "tanh":
            hidden = op.Tanh(of_input + of_state)
        else:
            # A nan is not below 0, and stays.
            total = of_input + of_state
            hidden = op.Where(total < 0.0, 0.0, total)
        return hidden, with_step(op, outputs, hidden, is_reversed)

    nothing = op.Slice(op.Unsqueeze(hidden, [0]), [0], [0], [0])
    hidden, outputs = op.loop(steps, step, hidden, nothing)
    return outputs, hidden


@helper
def stacked_states(op, states: Values):
    """States of all layers and directions as one tensor."""
    return op.Concat(*[op.Unsqueeze(state, [0]) for state in states], axis=0)


@helper
def layered(
    op, x, states: Values, weights: Values, kind: str, layers: int, directions: int, has_biases: bool
) -> Values:
    """The hidden states of the last layer; behind them the last states of each direction of each layer in turn."""
    count = len(weights) // (layers * directions)
    lasts = []
    for layer in range(layers):
        results = []
        for direction in range(directions):
            place = layer * directions + direction
            first = [op.Gather(state, op.constant(place), axis=0) for state in states]
            own = weights[place * count : (place + 1) * count]
            if kind == "lstm":
                outputs, hidden, cell = lstm_direction(op, x, first[0], first[1], own, has_biases, direction == 1)
                lasts.append(hidden)
                lasts.append(cell)
            else:
                outputs, hidden = one_state_direction(op, x, first[0], own, kind, has_biases, direction == 1)
                lasts.append(hidden)
            results.append(outputs)
        x = op.Concat(*results, axis=2) if directions == 2 else results[0]
    return [x, *lasts]


@decomposition("aten::lstm", promote=(), limits=("packed sequences raise", "dropout between layers raises in training"))
def lstm(op, input, *args):
    """The hidden states of the last layer, and of all layers the last hidden and the last cell state"""
    if op.known(args[2]) not in (True, False):
        op.fail("lstm: batch_sizes, of a packed sequence, has no translation", input)
    has_biases, layers, dropout, train, bidirectional, batch_first = [
        op.told(value, "each number and flag") for value in args[2:]
    ]
    if train and dropout > 0 and layers > 1:
        op.fail("lstm: dropout has no translation in training", input)
    single = as_single(op, input)
    x = op.Transpose(single, perm=[1, 0, 2]) if batch_first else single
    states = [op.cast(state, like=x) for state in op.items(args[0])]
    weights = [op.cast(weight, like=x) for weight in op.items(args[1])]
    directions = 2 if bidirectional else 1
    count = len(weights) // (layers * directions)
    if count != (4 if has_biases else 2) and count != (5 if has_biases else 3):
        op.fail("lstm: params have to be those of num_layers layers", input)
    found = layered(op, x, states, weights, "lstm", layers, directions, bool(has_biases))
    outputs = op.Transpose(found[0], perm=[1, 0, 2]) if batch_first else found[0]
    hidden, cell = stacked_states(op, found[1::2]), stacked_states(op, found[2::2])
    return op.cast(outputs, like=input), op.cast(hidden, like=input), op.cast(cell, like=input)


@helper
def one_state_layers(op, input, state, params, batch_sizes, flags: Values, kind: str):
    """(The hidden states of the last layer, the last ones of all layers), of layers of kind gru, tanh or relu."""
    if op.known(batch_sizes) not in (True, False):
        op.fail("batch_sizes, of a packed sequence, has no translation", input)
    has_biases, layers, dropout, train, bidirectional, batch_first = [
        op.told(value, "each number and flag") for value in flags
    ]
    if train and dropout > 0 and layers > 1:
        op.fail("dropout has no translation in training", input)
    single = as_single(op, input)
    x = op.Transpose(single, perm=[1, 0, 2]) if batch_first else single
    weights = [op.cast(weight, like=x) for weight in op.items(params)]
    directions = 2 if bidirectional else 1
    if len(weights) // (layers * directions) != (4 if has_biases else 2):
        op.fail("params have to be those of num_layers layers", input)
    found = layered(op, x, [op.cast(state, like=x)], weights, kind, layers, directions, bool(has_biases))
    outputs = op.Transpose(found[0], perm=[1, 0, 2]) if batch_first else found[0]
    return op.cast(outputs, like=input), op.cast(stacked_states(op, found[1:]), like=input)


@decomposition("aten::gru", promote=(), limits=("packed sequences raise", "dropout between layers raises in training"))
def gru(op, input, *args):
    """The hidden states of the last layer, and the last ones of all layers"""
    return one_state_layers(op, input, args[0], args[1], args[2], args[2:], "gru")


@decomposition(
    "aten::rnn_tanh", promote=(), limits=("packed sequences raise", "dropout between layers raises in training")
)
def rnn_tanh(op, input, *args):
    """The hidden states of the last layer, and the last ones of all layers"""
    return one_state_layers(op, input, args[0], args[1], args[2], args[2:], "tanh")


@decomposition(
    "aten::rnn_relu",
    promote=(),
    limits=("packed sequences raise", "dropout between layers raises in training", "whole numbers raise"),
)
def rnn_relu(op, input, *args):
    """The hidden states of the last layer, and the last ones of all layers"""
    if not op.dtype(input).is_floating_point:
        op.fail("input has to be of floating point", input)
    return one_state_layers(op, input, args[0], args[1], args[2], args[2:], "relu")
