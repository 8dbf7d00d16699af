def _loop(
    g: jit_utils.GraphContext, count: _C.Value, body: Callable[..., Any], *state: _C.Value
) -> _C.Value | tuple[_C.Value, ...]:
    """`state = body(g, i, *state)` for i from 0 to count - 1, as an ONNX Loop."""

    def turn(inner: jit_utils.GraphContext, iteration: _C.Value, *arguments: _C.Value) -> tuple[_C.Value, Any]:
        return inner.op("Constant", value_t=torch.tensor(True)), body(inner, iteration, *arguments)

    going_on = g.op("Constant", value_t=torch.tensor(True))
    count = symbolic_helper._reshape_helper(g, count, g.op("Constant", value_t=torch.tensor([], dtype=torch.int64)))
    return _turns(g, count, going_on, turn, state)
