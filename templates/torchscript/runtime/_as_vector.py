def _as_vector(g: jit_utils.GraphContext, value: Any) -> Any:
    """A 0-d tensor as one of shape [1]; any other value, and an absent one, as it is."""
    if isinstance(value, list):
        return [_as_vector(g, element) for element in value]
    if symbolic_helper._is_none(value) or symbolic_helper._get_tensor_rank(value) != 0:
        return value
    return symbolic_helper._unsqueeze_helper(g, value, [0])
