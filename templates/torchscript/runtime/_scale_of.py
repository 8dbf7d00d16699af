def _scale_of(g: jit_utils.GraphContext, value: _C.Value) -> _C.Value:
    """The scale of a quantised tensor, in single precision."""
    return g.op("Cast", symbolic_helper._unpack_quantized_tensor(value)[1], to_i=_type_utils.JitScalarType.FLOAT.onnx_type())
