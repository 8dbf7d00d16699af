def _split(value: ir.Value, sizes: Any = None, *, outputs: int, **attributes: Any) -> Any:
    """A Split into so many parts; one alone is no list."""
    parts = _node("Split", [value, None if sizes is None else _ints(sizes)], outputs, **attributes)
    return parts[0] if outputs == 1 else parts
