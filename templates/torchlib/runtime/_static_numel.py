def _static_numel(value: ir.Value) -> int | None:
    """The number of elements where it is known at export, else None."""
    sizes = [_static_size(value, axis) for axis in range(_rank(value))]
    return None if None in sizes else math.prod(sizes)
