def _cond(test: ir.Value, then: Callable[..., Any], otherwise: Callable[..., Any]) -> ir.Value:
    """The result of `then()` or `otherwise()`, as an ONNX If."""
    branches = [_subgraph(branch, ()) for branch in (then, otherwise)]
    (output,) = _node("If", [test], 1, then_branch=branches[0], else_branch=branches[1])
    one, other = (branch.outputs[0] for branch in branches)
    output.type = one.type
    output.shape = one.shape if one.shape == other.shape else None
    return output
