def _cast_all(g: jit_utils.GraphContext, value: Any, dtype: torch.dtype) -> Any:
    """Cast a tensor, or each tensor of a list; an absent one stays absent."""
    if isinstance(value, list):
        return [_cast(g, element, dtype) for element in value]
    return value if symbolic_helper._is_none(value) else _cast(g, value, dtype)
