def _ints(values: Any) -> ir.Value:
    """Integers, of which some may be graph values, as one int64 tensor of shape [n]."""
    if isinstance(values, ir.Value):
        return _cast(op.Reshape(values, [-1]), torch.int64)
    if not _holds_value(values):
        return _constant(list(values) if isinstance(values, (list, tuple)) else [values], torch.int64)
    runs = itertools.groupby(values, key=lambda value: isinstance(value, ir.Value))
    parts = [part for is_value, run in runs for part in (run if is_value else [list(run)])]
    return op.Concat(*[_ints(part) for part in parts], axis=0)
