def _unpacked_count(g: jit_utils.GraphContext) -> int | None:
    """How many tensors the model unpacks the operator's list into, None where it does not do so at once."""
    users = [use.user for output in g.original_node.outputs() for use in output.uses()]
    if len(users) == 1 and users[0].kind() == "prim::ListUnpack":
        return users[0].outputsSize()
    return None
