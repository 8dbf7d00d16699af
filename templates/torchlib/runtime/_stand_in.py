def _stand_in(value: Any) -> Any:
    """What counts for promotion: a number as it is, for a tensor one without data of the same dtype and rank."""
    if not isinstance(value, ir.Value):
        return value
    rank = 1 if value.shape is None else len(value.shape)
    return torch.empty((1,) * rank, dtype=_dtype(value), device="meta")
