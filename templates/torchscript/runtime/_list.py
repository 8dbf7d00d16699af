def _list(g: jit_utils.GraphContext, values: Sequence[_C.Value]) -> _C.Value:
    """A list of tensors: to be unpacked at once, as traced models do, else as an ONNX sequence."""
    uses = [use.user.kind() for output in g.original_node.outputs() for use in output.uses()]
    if all(kind == "prim::ListUnpack" for kind in uses):
        return g.op("prim::ListConstruct", *values)
    if g.opset < 11:
        raise errors.SymbolicValueError("a list that is not unpacked at once needs opset 11 (sequences)", values[0])
    kinds = [_type_utils.JitScalarType.from_value(v, _type_utils.JitScalarType.UNDEFINED) for v in values]
    if _type_utils.JitScalarType.BFLOAT16 in kinds:
        raise errors.SymbolicValueError("ONNX sequences hold no bfloat16", values[0])
    return g.op("SequenceConstruct", *values)
