def _unrounded(value: Any) -> Any:
    """What the exporter's pass for promotion has cast to an argument; the argument itself where it has not."""
    maker = value.producer() if isinstance(value, ir.Value) else None
    node = None if maker is None else maker.meta.get("node")
    if maker is None or node is None or maker.op_type != "Cast":
        return value
    # Of a number the pass makes a tensor, which says of itself that the operator stood there in the model.
    number, origin = torch.ops.aten.scalar_tensor.default, node.meta.get("original_aten")
    is_number = node.target is number and origin is not None and str(origin) != str(number)
    is_of_pass = _was_cast(value) or is_number
    return maker.inputs[0] if is_of_pass else value
