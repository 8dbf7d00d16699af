def _int_list(value: Any) -> list[int] | None:
    """An `int` or `int[]` argument as a list, None where it is absent."""
    if symbolic_helper._is_none(value):
        return None
    if symbolic_helper._is_packed_list(value):
        return symbolic_helper._parse_arg(value, "is")
    constant = symbolic_helper._parse_arg(value, "t")
    return [int(number) for number in torch.as_tensor(constant).reshape(-1)]
