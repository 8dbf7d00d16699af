def _loop(
    g: jit_utils.GraphContext, count: _C.Value, body: Callable[..., Any], *state: _C.Value
) -> _C.Value | tuple[_C.Value, ...]:
    """`state = body(g, i, *state)` for i from 0 to count - 1, as an ONNX Loop."""
    going_on = g.op("Constant", value_t=torch.tensor(True))
    count = symbolic_helper._reshape_helper(g, count, g.op("Constant", value_t=torch.tensor([], dtype=torch.int64)))
    outputs, (inner,), _ = jit_utils.add_op_with_blocks(
        g, "Loop", count, going_on, *state, outputs=len(state), n_blocks=1
    )
    iteration = utils._add_input_to_block(inner.block)
    iteration.inferTypeFrom(torch.tensor(0))
    condition = utils._add_input_to_block(inner.block)
    condition.inferTypeFrom(torch.tensor(True))
    arguments = []
    for value in state:
        argument = utils._add_input_to_block(inner.block)
        argument.setType(value.type())
        arguments.append(argument)
    results = body(inner, iteration, *arguments)
    results = results if isinstance(results, tuple) else (results,)
    utils._add_output_to_block(inner.block, inner.op("Identity", condition))
    for result in results:
        utils._add_output_to_block(inner.block, result)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    for output, value in zip(outputs, state):
        output.setType(value.type())
    return outputs[0] if len(state) == 1 else tuple(outputs)
