def _in_function(block: _C.Block) -> bool:
    """Whether a local function is being made here: the exporter finds none that only another one calls."""
    node = block.owningNode()
    while node is not None and node.kind() != "prim::LocalFunction":
        node = node.owningBlock().owningNode()
    return node is not None
