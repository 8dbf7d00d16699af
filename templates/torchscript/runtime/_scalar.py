def _scalar(g: jit_utils.GraphContext, number: Any, like: _C.Value) -> _C.Value:
    """A constant of the dtype of `like`, also where that is unknown at export."""
    known = _type_utils.JitScalarType.from_value(like, _type_utils.JitScalarType.UNDEFINED)
    if known == _type_utils.JitScalarType.UNDEFINED:
        return _cast_like(g, g.op("Constant", value_t=torch.tensor(number)), like)
    return g.op("Constant", value_t=torch.tensor(number, dtype=known.dtype()))
