def _cond(
    g: jit_utils.GraphContext, test: _C.Value, then: Callable[..., Any], otherwise: Callable[..., Any]
) -> _C.Value:
    """The result of `then(g)` or `otherwise(g)`, as an ONNX If."""
    output, contexts, _ = jit_utils.add_op_with_blocks(g, "If", test, outputs=1, n_blocks=2)
    for context, branch in zip(contexts, (then, otherwise)):
        result = branch(context)
        utils._add_output_to_block(context.block, context.op("Identity", result))
        known = result.type()
    output.setType(known)
    return output
