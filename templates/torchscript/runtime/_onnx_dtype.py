def _onnx_dtype(dtype: int | None) -> int | None:
    """The number that ONNX has for a dtype that PyTorch gives as its own number."""
    return None if dtype is None else int(_type_utils.JitScalarType(dtype).onnx_type())
