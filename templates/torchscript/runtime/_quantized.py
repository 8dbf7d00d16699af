def _quantized(
    g: jit_utils.GraphContext, value: _C.Value, scale: _C.Value, zero_point: _C.Value, like: _C.Value
) -> _C.Value:
    """The tensor quantised, in whole numbers of the type that those of `like` have."""
    numbers, *_ = symbolic_helper._unpack_quantized_tensor(like)
    kind = _type_utils.JitScalarType.from_value(numbers, _type_utils.JitScalarType.UINT8)
    zero_point = g.op("Cast", zero_point, to_i=kind.onnx_type())
    return symbolic_helper.quantize_helper(g, value, scale, zero_point)
