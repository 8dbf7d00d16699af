def _with_parts(value: Any, dtype: torch.dtype) -> Any:
    """A complex number as a tensor of its parts; any other argument as it is."""
    node = _node_in_model(value)
    if node is not None and node.target is torch.ops.aten.scalar_tensor.default and _is_complex(value):
        # The exporter rounds a number to single precision where it makes a complex tensor of it.
        (value,), dtype = node.args, _dtype(value)
    if isinstance(value, complex):
        value = _constant([value.real, value.imag], dtype)
        value.meta["is_complex"] = True
    return value
