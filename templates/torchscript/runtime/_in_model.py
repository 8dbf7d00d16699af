def _in_model(g: jit_utils.GraphContext, position: int | None = None) -> list[_C.Value]:
    """The arguments, or the one at a position, as the model has them: with their own types, those in lists one by one."""
    if not g.original_node.kind().startswith("aten::"):
        return []
    inputs = list(g.original_node.inputs())
    chosen = inputs if position is None else [inputs[position]]
    return [one for x in chosen for one in (x.node().inputs() if x.node().kind() == "prim::ListConstruct" else [x])]
