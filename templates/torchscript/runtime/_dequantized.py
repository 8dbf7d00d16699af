def _dequantized(g: jit_utils.GraphContext, value: _C.Value) -> _C.Value:
    """The float tensor that a quantised one stands for."""
    return symbolic_helper.dequantize_helper(g, value)[0]
