def _as_vector(g: jit_utils.GraphContext, value: Any) -> Any:
    """A 0-d tensor as one of shape [1]; an absent one stays absent."""
    if isinstance(value, list):
        return [_as_vector(g, element) for element in value]
    return value if symbolic_helper._is_none(value) else symbolic_helper._unsqueeze_helper(g, value, [0])
