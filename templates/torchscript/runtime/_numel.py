def _numel(g: jit_utils.GraphContext, value: _C.Value) -> _C.Value:
    """The number of elements as an int64 tensor of shape [1]."""
    return symbolic_helper._unsqueeze_helper(g, g.op("Size", value), [0])
