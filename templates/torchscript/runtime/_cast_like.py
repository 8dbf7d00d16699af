def _cast_like(g: jit_utils.GraphContext, value: _C.Value, like: _C.Value) -> _C.Value:
    """The tensor in the dtype of `like`, also where that is unknown at export."""
    known = _type_utils.JitScalarType.from_value(like, _type_utils.JitScalarType.UNDEFINED)
    if known != _type_utils.JitScalarType.UNDEFINED:
        return symbolic_helper._maybe_cast_to_type(g, value, known)
    if g.opset < 15:
        raise errors.SymbolicValueError("a dtype that is unknown at export needs opset 15 (CastLike)", like)
    return g.op("CastLike", value, like)
