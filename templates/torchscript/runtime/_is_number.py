def _is_number(value: Any) -> bool:
    """Whether a value is one number: absent, or a tensor of rank 0."""
    if isinstance(value, list):
        return all(_is_number(element) for element in value)
    return symbolic_helper._is_none(value) or symbolic_helper._get_tensor_rank(value) == 0
