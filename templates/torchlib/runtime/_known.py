def _known(value: Any) -> Any:
    """The number, list of numbers or text in a constant; None where it is known only when the model runs."""
    if isinstance(value, (list, tuple)):
        elements = [_known(element) for element in value]
        if None in elements:
            return None
        return [number for part in elements for number in (part if isinstance(part, list) else [part])]
    if isinstance(value, ir.Value):
        constant = ir.convenience.get_const_tensor(value)
        return None if constant is None else constant.numpy().tolist()
    return value
