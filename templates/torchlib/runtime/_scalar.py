def _scalar(number: Any, like: ir.Value) -> ir.Value:
    """A constant of the dtype of `like`."""
    return _constant(number, _dtype(like))
