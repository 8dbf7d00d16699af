def _length_of_complex(self: ir.Value, dim: int = 0) -> ir.Value:
    """The length of an axis of a complex tensor, whose parts have an axis more."""
    axis = dim % (_rank(self) - 1)
    return op.Squeeze(op.Shape(self, start=axis, end=axis + 1), [0])
