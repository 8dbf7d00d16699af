def _number(value: _C.Value) -> Any:
    """The Python number in a constant value, None where it is not a constant number."""
    constant = symbolic_helper._maybe_get_const(value, "t")
    return constant.item() if isinstance(constant, torch.Tensor) and constant.numel() == 1 else None
