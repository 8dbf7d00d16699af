def _requantized(g: jit_utils.GraphContext, value: _C.Value, like: _C.Value) -> _C.Value:
    """The tensor quantised as another quantised one is."""
    _, scale, zero_point, *_ = symbolic_helper._unpack_quantized_tensor(like)
    return _quantized(g, value, scale, zero_point, like)
