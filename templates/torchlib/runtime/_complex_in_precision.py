def _complex_in_precision(a: ir.Value, dtype: int) -> ir.Value:
    """A complex tensor in another precision."""
    parts = {ir.DataType.COMPLEX64: ir.DataType.FLOAT, ir.DataType.COMPLEX128: ir.DataType.DOUBLE}
    if dtype not in parts:
        raise NotImplementedError("a complex tensor becomes no real one without being asked for a part")
    return op.Cast(a, to=int(parts[ir.DataType(dtype)]))
