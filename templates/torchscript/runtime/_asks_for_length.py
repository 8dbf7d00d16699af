def _asks_for_length(node: _C.Node) -> bool:
    """Whether a node reads the length of an axis that is counted from the first: an axis for parts changes nothing."""
    if node.kind() != "aten::size":
        return False
    inputs = list(node.inputs())
    axis = inputs[1].toIValue() if len(inputs) > 1 else None
    return axis is not None and int(axis) >= 0
