def _before_cast(value: Any) -> Any:
    """What a value was cast from; the value itself where it is of no cast."""
    maker = value.producer() if isinstance(value, ir.Value) else None
    return value if maker is None or maker.op_type != "Cast" else maker.inputs[0]
