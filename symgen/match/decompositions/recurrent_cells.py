"""One step of recurrent networks."""

from symgen.match.language import Values, decomposition, helper


@helper
def affine(op, x, weight, bias):
    """x · weightᵀ + bias; the bias may be absent."""
    product = op.MatMul(x, op.Transpose(weight, perm=[1, 0]))
    return product if bias is None else product + bias


@helper
def gates_of(op, x, size, count: int) -> Values:
    """Parts of that size along the last axis, each one gate."""
    return [op.Slice(x, size * k, size * (k + 1), [-1]) for k in range(count)]


@helper
def gru_step(op, of_input, of_state, hidden):
    """(1 − z) · n + z · h with the gates r, z and the candidate n, of which the parts of input and state are given."""
    size = op.size(hidden, -1)
    inputs, states = gates_of(op, of_input, size, 3), gates_of(op, of_state, size, 3)
    reset = op.Sigmoid(inputs[0] + states[0])
    update = op.Sigmoid(inputs[1] + states[1])
    candidate = op.Tanh(inputs[2] + reset * states[2])
    return candidate + update * (hidden - candidate)


@helper
def lstm_step(op, gates, cell):
    """(The hidden state, the cell's): σ(o) · tanh(c) with c = σ(f) · before + σ(i) · tanh(g), the gates in one."""
    parts = gates_of(op, gates, op.size(cell, -1), 4)
    kept = op.Sigmoid(parts[1]) * cell
    cell = kept + op.Sigmoid(parts[0]) * op.Tanh(parts[2])
    return op.Sigmoid(parts[3]) * op.Tanh(cell), cell


@decomposition("aten::lstm_cell", promote=("input", "hx", "w_ih", "w_hh", "b_ih", "b_hh"))
def lstm_cell(op, input, hx, w_ih, w_hh, b_ih, b_hh):
    """The hidden state σ(o) · tanh(c) and the cell's, c = σ(f) · before + σ(i) · tanh(g)"""
    hidden, cell = hx[0], hx[1]
    return lstm_step(op, affine(op, input, w_ih, b_ih) + affine(op, hidden, w_hh, b_hh), cell)


@decomposition("aten::gru_cell", promote=("input", "hx", "w_ih", "w_hh", "b_ih", "b_hh"))
def gru_cell(op, input, hx, w_ih, w_hh, b_ih, b_hh):
    """(1 − z) · n + z · h with the gates r, z and the candidate n = tanh(of the input + r · of the state)"""
    return gru_step(op, affine(op, input, w_ih, b_ih), affine(op, hx, w_hh, b_hh), hx)


@decomposition("aten::rnn_tanh_cell", promote=("input", "hx", "w_ih", "w_hh", "b_ih", "b_hh"))
def rnn_tanh_cell(op, input, hx, w_ih, w_hh, b_ih, b_hh):
    """tanh(of the input + of the state)"""
    return op.Tanh(affine(op, input, w_ih, b_ih) + affine(op, hx, w_hh, b_hh))


@decomposition("aten::rnn_relu_cell", promote=("input", "hx", "w_ih", "w_hh", "b_ih", "b_hh"))
def rnn_relu_cell(op, input, hx, w_ih, w_hh, b_ih, b_hh):
    """max(0, of the input + of the state)"""
    return op.Max(affine(op, input, w_ih, b_ih) + affine(op, hx, w_hh, b_hh), 0.0)
