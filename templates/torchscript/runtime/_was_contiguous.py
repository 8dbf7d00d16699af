def _was_contiguous(g: jit_utils.GraphContext) -> bool:
    """Whether the operator's first tensor lay in memory row by row when the model was traced, as far as that is known."""
    traced = next(g.original_node.inputs()).type()
    strides = traced.strides() if isinstance(traced, _C.TensorType) else None
    if strides is None:
        return True
    sizes = traced.sizes() or [None] * len(strides)
    expected = 1
    for size, stride in zip(reversed(sizes), reversed(strides)):
        if size is None:
            return strides == sorted(strides, reverse=True) and 0 not in strides
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True
