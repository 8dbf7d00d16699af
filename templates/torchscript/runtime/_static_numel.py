def _static_numel(value: _C.Value) -> int | None:
    """The number of elements where it is known at export, else None."""
    sizes = symbolic_helper._get_tensor_sizes(value)
    return None if sizes is None or None in sizes else math.prod(sizes)
