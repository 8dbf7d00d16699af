def _is_packed(value: Any) -> bool:
    """Whether a value of the graph is a list or a tuple of others."""
    packing = ("prim::ListConstruct", "prim::TupleConstruct", "onnx::SequenceConstruct")
    return isinstance(value, _C.Value) and value.node().kind() in packing
