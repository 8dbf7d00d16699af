def _with_parts(value: Any, dtype: torch.dtype, is_alone: bool) -> Any:
    """A complex number as a tensor of its parts, also a real one that stands alone; any other argument as it is."""
    node = _node_in_model(value)
    if node is not None and node.target is torch.ops.aten.scalar_tensor.default and _is_complex(value):
        # The exporter rounds a number to single precision where it makes a complex tensor of it.
        (number,), dtype = node.args, _dtype(value)
        value = complex(number) if is_alone else number
    if isinstance(value, complex):
        value = _constant([value.real, value.imag], dtype)
        _infer_types(value.producer())
        value.meta["is_complex"] = True
    return value
