def _stand_in(value: _C.Value) -> Any:
    """What counts for promotion: a Python number for a constant that was one, else a tensor of the dtype and rank."""
    dtype = _dtype(value)
    rank = symbolic_helper._get_tensor_rank(value)
    if rank == 0 and value.node().kind() == "onnx::Constant":
        # The exporter turns Python numbers into constants of the widest dtype.
        number = {torch.float64: 1.0, torch.int64: 1, torch.bool: True}.get(dtype)
        if number is not None:
            return number
    return torch.empty((1,) * (1 if rank is None else rank), dtype=dtype, device="meta")
