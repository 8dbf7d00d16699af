def _not_reshaped(value: ir.Value) -> ir.Value:
    """A result where something is empty, not right from a Reshape to a length that only the model knows.

    The exporter's optimizer would make a constant of the shape that torch.export has for it, with 0 and −1 together.
    """
    maker = value.producer()
    if maker is None or maker.op_type != "Reshape" or _known(maker.inputs[1]) is not None:
        return value
    return op.Squeeze(op.Unsqueeze(value, [-1]), [-1])
