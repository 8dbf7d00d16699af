def _zero_point_of(g: jit_utils.GraphContext, value: _C.Value) -> _C.Value:
    """The zero point of a quantised tensor, in single precision."""
    return g.op("Cast", symbolic_helper._unpack_quantized_tensor(value)[2], to_i=_type_utils.JitScalarType.FLOAT.onnx_type())
