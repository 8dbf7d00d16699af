"""One step of recurrent networks."""

from symgen.match.language import decomposition, helper


@helper
def affine(op, x, weight, bias):
    """x · weightᵀ + bias; the bias may be absent."""
    product = op.MatMul(x, op.Transpose(weight, perm=[1, 0]))
    return product if bias is None else product + bias


@decomposition("aten::gru_cell", promote=("input", "hx", "w_ih", "w_hh", "b_ih", "b_hh"))
def gru_cell(op, input, hx, w_ih, w_hh, b_ih, b_hh):
    """(1 − z) · n + z · h with the gates r, z and the candidate n = tanh(of the input + r · of the state)"""
    size = op.size(hx, -1)
    of_input, of_state = affine(op, input, w_ih, b_ih), affine(op, hx, w_hh, b_hh)
    inputs = [op.Slice(of_input, size * k, size * (k + 1), [-1]) for k in range(3)]
    states = [op.Slice(of_state, size * k, size * (k + 1), [-1]) for k in range(3)]
    reset = op.Sigmoid(inputs[0] + states[0])
    update = op.Sigmoid(inputs[1] + states[1])
    candidate = op.Tanh(inputs[2] + reset * states[2])
    return candidate + update * (hx - candidate)


@decomposition("aten::rnn_tanh_cell", promote=("input", "hx", "w_ih", "w_hh", "b_ih", "b_hh"))
def rnn_tanh_cell(op, input, hx, w_ih, w_hh, b_ih, b_hh):
    """tanh(of the input + of the state)"""
    return op.Tanh(affine(op, input, w_ih, b_ih) + affine(op, hx, w_hh, b_hh))


@decomposition("aten::rnn_relu_cell", promote=("input", "hx", "w_ih", "w_hh", "b_ih", "b_hh"))
def rnn_relu_cell(op, input, hx, w_ih, w_hh, b_ih, b_hh):
    """max(0, of the input + of the state)"""
    return op.Max(affine(op, input, w_ih, b_ih) + affine(op, hx, w_hh, b_hh), 0.0)
