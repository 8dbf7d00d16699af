def _static_size(value: ir.Value, axis: int) -> int | None:
    """The length of an axis where it is known at export, else None."""
    size = None if value.shape is None else value.shape[axis]
    return size if isinstance(size, int) else None
