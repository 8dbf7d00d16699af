def _size(value: ir.Value, axis: int) -> ir.Value:
    """The length of an axis as an int64 tensor of shape [1], also where it is dynamic."""
    known = _static_size(value, axis)
    if known is not None:
        return _constant([known], torch.int64)
    start = axis % _rank(value)
    return op.Shape(value, start=start, end=start + 1)
