def _dtype_argument(dtype: int | None) -> torch.dtype | None:
    """The `torch.dtype` that a `dtype` argument stands for; the exporter has -1 for one that is absent."""
    return None if dtype is None or dtype == -1 else _torch_dtype(ir.DataType(dtype))
