def _cast_back(output: Any, compute: torch.dtype, result: torch.dtype) -> Any:
    """Cast what was computed to the dtype of the result; an output of another dtype (indices, a mask) stays."""
    if isinstance(output, (list, tuple)):
        return [_cast_back(element, compute, result) for element in output]
    if output.dtype is None or output.dtype == _onnx_dtype(compute):
        return _cast(output, result)
    return output
