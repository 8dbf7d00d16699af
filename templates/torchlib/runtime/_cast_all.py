def _cast_all(value: Any, dtype: torch.dtype) -> Any:
    """Cast a tensor, or each tensor of a list; an absent one stays absent."""
    if isinstance(value, (list, tuple)):
        return [_cast_all(element, dtype) for element in value]
    return value if value is None else _cast(value, dtype)
