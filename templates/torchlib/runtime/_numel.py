def _numel(value: ir.Value) -> ir.Value:
    """The number of elements as an int64 tensor of shape [1]."""
    return op.Unsqueeze(op.Size(value), [0])
