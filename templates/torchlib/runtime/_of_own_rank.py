def _of_own_rank(value: ir.Value) -> ir.Value:
    """The value, which keeps the rank that ONNX infers: of a few operators torch.export has another one."""
    kind, known = type(value), value.shape
    if known is None:
        return value

    def state(output: ir.Value, shape: ir.Shape | None) -> None:
        if shape is None or len(shape) == len(known):
            kind.shape.fset(output, shape)

    value.__class__ = type(kind.__name__, (kind,), {"__slots__": (), "shape": kind.shape.setter(state)})
    return value
