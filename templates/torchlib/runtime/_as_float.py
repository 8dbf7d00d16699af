def _as_float(value: Any) -> Any:
    """A tensor of whole numbers or bools in float32; any other as it is."""
    return value if value is None or _dtype(value).is_floating_point else _cast(value, torch.float32)
