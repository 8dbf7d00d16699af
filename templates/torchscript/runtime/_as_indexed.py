def _as_indexed(g: jit_utils.GraphContext, indices: list[_C.Value], place: int) -> _C.Value:
    """One of the indices of an assignment as the model has it, without the view that the exporter took of it."""
    node = list(g.original_node.inputsAt(1).node().inputs())[place].node()
    if node.kind() != "aten::view":
        return indices[place]
    viewed = node.inputsAt(0)
    if viewed.node().kind() == "prim::Constant":
        return g.op("Constant", value_t=viewed.toIValue())
    reshape = indices[place].node()
    if reshape.kind() != "onnx::Reshape":
        raise errors.SymbolicValueError("index_put: the shape of an index is not known", indices[place])
    return reshape.inputsAt(0)
