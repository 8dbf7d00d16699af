def _dtype_argument(dtype: int | None) -> torch.dtype | None:
    """The `torch.dtype` that a `dtype` argument stands for."""
    return None if dtype is None else _type_utils.JitScalarType(dtype).dtype()
